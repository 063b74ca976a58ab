"""Measure how often the 95 % intervals of correlations hold the truth, beside Fisher's own.

    python tests/proof/correlation_coverage.py --simulations 1000

Prints a markdown table. Fisher's interval takes both scores for normal; people's scores clump.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

import numpy as np
from scipy import stats

from assay.metrics.correlation import associate

Draw = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]
FIGURES = ("pearson", "spearman", "kendall", "slope")
_LARGE = 400_000  # stands for the population; its own error is below 0.002


def normal(rho: float) -> Draw:
    def draw(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        x, noise = rng.standard_normal((2, n))
        return x, rho * x + math.sqrt(1 - rho**2) * noise

    return draw


def clumps(noise: float) -> Draw:
    """Return people who score in steps of 5, mostly near 0 and 100, and a noisy judge."""

    def draw(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        truth = rng.choice([0, 0.25, 0.5, 0.75, 1], n, p=[0.35, 0.15, 0.1, 0.1, 0.3])
        people = np.round(np.clip(truth + 0.1 * rng.standard_normal(n), 0, 1) * 20) / 20
        return people, np.clip(truth + noise * rng.standard_normal(n), 0, 1)

    return draw


def lopsided(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    truth = np.where(rng.random(n) < 0.8, rng.beta(20, 2, n), rng.beta(1, 5, n))
    people = np.clip(truth + 0.1 * rng.standard_normal(n), 0, 1)
    return people, np.clip(0.3 + 0.5 * truth + 0.15 * rng.standard_normal(n), 0, 1)


POPULATIONS: dict[str, Draw] = {
    "normal, rho = 0": normal(0.0),
    "normal, rho = 0.5": normal(0.5),
    "normal, rho = 0.9": normal(0.9),
    "clumps, a good judge": clumps(0.15),
    "clumps, a poor judge": clumps(0.5),
    "lop-sided": lopsided,
}


def truth_of(draw: Draw) -> dict[str, float]:
    """Return the figures of the population, by scipy from a large sample."""
    x, y = draw(np.random.default_rng(9), _LARGE)
    return {
        "pearson": float(stats.pearsonr(x, y).statistic),
        "spearman": float(stats.spearmanr(x, y).statistic),
        "kendall": float(stats.kendalltau(x, y).statistic),
        "slope": float(stats.linregress(x, y).slope),
    }


def fisher_holds(r: float, n: int, truth: float) -> bool:
    return abs(math.atanh(r) - math.atanh(truth)) <= 1.96 / math.sqrt(n - 3)


def coverage(draw: Draw, truth: dict[str, float], n: int, simulations: int) -> list[float]:
    """Return the coverage of each figure, then that of Fisher's interval of Pearson.

    A figure without an interval has not held the truth.
    """
    rng = np.random.default_rng(1)
    held = np.zeros(len(FIGURES) + 1)
    for _ in range(simulations):
        found = associate(*draw(rng, n))
        for place, name in enumerate(FIGURES):
            figure = getattr(found, name)
            held[place] += figure.low is not None and figure.low <= truth[name] <= figure.high
        held[-1] += fisher_holds(found.pearson.value, n, truth["pearson"])
    return (held / simulations).tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=1000)
    simulations = parser.parse_args().simulations
    error = math.sqrt(0.95 * 0.05 / simulations)
    print(f"{simulations} simulations a cell; Monte-Carlo error of a coverage: {error:.3f}.\n")
    print(f"| population | n | {' | '.join(FIGURES)} | pearson by Fisher |")
    print("|---|---|" + "---|" * (len(FIGURES) + 1))
    for name, draw in POPULATIONS.items():
        truth = truth_of(draw)
        for n in (10, 20, 50, 200):
            shares = coverage(draw, truth, n, simulations)
            shown = " | ".join(f"{share:.3f}" for share in shares)
            print(f"| {name} | {n} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
