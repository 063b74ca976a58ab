"""Measure how often the 95 % intervals of correlations hold the truth, beside Fisher's own.

    python tests/proof/correlation_coverage.py --simulations 1000

Prints markdown tables. Fisher's interval takes both scores for normal; people's scores clump. n is
the number of episodes; in one population each has three points that go together. The second table
is of raters: n things, three scores each, and the share of variance between things.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from assay.metrics.correlation import associate, gain
from assay.metrics.raters import agree
from proof._cells import SIZES, Cells, add_options, error_of

Draw = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]
FIGURES = ("pearson", "spearman", "kendall", "slope", "intercept")
_LARGE = 400_000  # stands for the population; its own error is below 0.002
_POINTS = 3  # of an episode


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


def thrice(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return three points of each of n episodes, which share half of what moves them."""
    shared = np.repeat(rng.standard_normal((2, n)), _POINTS, axis=1)
    x, noise = math.sqrt(0.5) * (shared + rng.standard_normal((2, _POINTS * n)))
    return x, 0.5 * x + math.sqrt(0.75) * noise


POPULATIONS: dict[str, Draw] = {
    "normal, rho = 0": normal(0.0),
    "normal, rho = 0.5": normal(0.5),
    "normal, rho = 0.9": normal(0.9),
    "clumps, a good judge": clumps(0.15),
    "clumps, a poor judge": clumps(0.5),
    "lop-sided": lopsided,
    "three points an episode": thrice,
}
GAINS = ((0.7, 0.4), (0.5, 0.0), (0.9, 0.8))
"""The true correlation of a judge and that of a null judge."""


def truth_of(draw: Draw) -> dict[str, float]:
    """Return the figures of the population, by scipy from a large sample."""
    x, y = draw(np.random.default_rng(9), _LARGE)
    return {
        "pearson": float(stats.pearsonr(x, y).statistic),
        "spearman": float(stats.spearmanr(x, y).statistic),
        "kendall": float(stats.kendalltau(x, y).statistic),
        "slope": float(stats.linregress(x, y).slope),
        "intercept": float(stats.linregress(x, y).intercept),
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
        x, y = draw(rng, n)
        found = associate(x, y, np.repeat(np.arange(n), len(x) // n))
        for place, name in enumerate(FIGURES):
            figure = getattr(found, name)
            held[place] += figure.low is not None and figure.low <= truth[name] <= figure.high
        held[-1] += fisher_holds(found.pearson.value, len(x), truth["pearson"])
    return (held / simulations).tolist()


def gain_coverage(rho: float, null: float, n: int, simulations: int) -> float:
    """Return how often the gain over a null score is held; it is rho - max(null, 0)."""
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(simulations):
        x, one, other = rng.standard_normal((3, n))
        scores = [r * x + math.sqrt(1 - r * r) * e for r, e in ((rho, one), (null, other))]
        found = gain(x, *scores)
        held += found.low is not None and found.low <= rho - max(null, 0.0) <= found.high
    return held / simulations


def icc_coverage(icc: float, n: int, simulations: int, *, clumped: bool) -> float:
    """Return how often ICC(1) is held: n things, three scores each.

    With clumps things are mostly near 0 and 1, as in people's scores; the variance of the noise is
    chosen so that ICC(1) is what it should be.
    """
    rng = np.random.default_rng(3)
    values, chances = np.array([0, 0.25, 0.5, 0.75, 1]), [0.35, 0.15, 0.1, 0.1, 0.3]
    between = float(
        np.average(values**2, weights=chances) - np.average(values, weights=chances) ** 2
    )
    held, things, raters = 0, np.repeat(np.arange(n), 3), np.tile(np.arange(3), n)
    for _ in range(simulations):
        own = rng.choice(values, n, p=chances) if clumped else rng.standard_normal(n)
        spread = math.sqrt((between if clumped else 1.0) * (1 / icc - 1))
        found = agree(own[things] + spread * rng.standard_normal(3 * n), things, raters)
        figure = found.single
        held += figure.low is not None and figure.low <= icc <= figure.high
    return held / simulations


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, simulations=1000)
    parts = ("correlations", "gain", "icc")
    parser.add_argument("--only", choices=parts, nargs="+", default=parts, help="measure these")
    options = parser.parse_args()
    simulations = options.simulations
    cells = Cells(options.json, simulations)
    print(f"{simulations} simulations a cell; {error_of(simulations)}.\n")
    print(f"| population | n | {' | '.join(FIGURES)} | pearson by Fisher |")
    print("|---|---|" + "---|" * (len(FIGURES) + 1))
    for name, draw in POPULATIONS.items() if "correlations" in options.only else ():
        truth = truth_of(draw)
        for n in SIZES:
            shares = coverage(draw, truth, n, simulations)
            shown = " | ".join(f"{share:.3f}" for share in shares)
            print(f"| {name} | {n} | {shown} |", flush=True)
            for figure, held in zip(FIGURES, shares, strict=False):
                cells.add(figure, name, n, held)
    print("\n| figure | population | n | coverage |")
    print("|---|---|---|---|")
    for n in SIZES:
        for rho, null in GAINS if "gain" in options.only else ():
            case, held = f"{rho:g} over {null:g}", gain_coverage(rho, null, n, simulations)
            print(f"| gain over a null judge | {case} | {n} | {held:.3f} |", flush=True)
            cells.add("gain", case, n, held)
        for icc in (0.2, 0.5, 0.8) if "icc" in options.only else ():
            for clumped in (False, True):
                case = f"ICC {icc:g}, {'clumps' if clumped else 'normal'}"
                held = icc_coverage(icc, n, simulations, clumped=clumped)
                print(f"| raters' ICC(1) | {case} | {n} | {held:.3f} |", flush=True)
                cells.add("icc", case, n, held)
    cells.write()


if __name__ == "__main__":
    main()
