"""Measure how often the 95 % intervals hold the truth, beside the percentile bootstrap.

    python tests/proof/coverage.py --simulations 2000

Prints markdown tables. The coverage of shares is computed, not simulated: there are n + 1 counts. A
method is as good as its coverage is near 0.95 from above and its width
is small; an interval that is always 0..1 covers everything and says nothing.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import binom

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from assay.metrics.intervals import mean_interval, share_interval
from proof._cells import SIZES, Cells, add_options, error_of

Draw = Callable[[np.random.Generator, int], np.ndarray]
Interval = Callable[[np.ndarray], tuple[float, float]]


@dataclass(frozen=True)
class Population:
    """A metric as it occurs in practice, with its true mean."""

    name: str
    draw: Draw
    mean: float
    is_share: bool = False
    is_open: bool = False


def mixture(share: float, one: Draw, other: Draw) -> Draw:
    """Return a population of which `share` comes from `one` and the rest from `other`."""

    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        return np.where(rng.random(n) < share, one(rng, n), other(rng, n))

    return draw


def beta(a: float, b: float) -> Draw:
    return lambda rng, n: rng.beta(a, b, n)


def exactly(value: float) -> Draw:
    return lambda _, n: np.full(n, value)


def coin(p: float) -> Draw:
    return lambda rng, n: (rng.random(n) < p).astype(float)


POPULATIONS = (
    Population("60 % zeros, else beta(2, 2)", mixture(0.6, exactly(0), beta(2, 2)), 0.4 * 0.5),
    Population("80 % zeros, else beta(2, 2)", mixture(0.8, exactly(0), beta(2, 2)), 0.2 * 0.5),
    Population("beta(2, 5)", beta(2, 5), 2 / 7),
    Population("near 1: beta(20, 1)", beta(20, 1), 20 / 21),
    Population("70 % ones, else beta(8, 2)", mixture(0.7, exactly(1), beta(8, 2)), 0.94),
    Population(
        "rare collapse: 90 % beta(30, 1), else beta(1, 4)",
        mixture(0.9, beta(30, 1), beta(1, 4)),
        0.9 * 30 / 31 + 0.1 / 5,
    ),
    Population("share, p = 0.5", coin(0.5), 0.5, is_share=True),
    Population("share, p = 0.9", coin(0.9), 0.9, is_share=True),
    Population("without ends: exponential", lambda rng, n: rng.exponential(1, n), 1, is_open=True),
    Population("without ends: normal", lambda rng, n: rng.standard_normal(n), 0, is_open=True),
)
SHARES = (0.02, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9)


def ours(is_share: bool, *, is_open: bool = False) -> Interval:
    """Return the interval that reports use for a mean or for a share."""
    ends = {"low": -math.inf, "high": math.inf} if is_open else {}

    def interval(values: np.ndarray) -> tuple[float, float]:
        if is_share:
            _, low, high, _ = share_interval(int(values.sum()), len(values))
        else:
            _, low, high, _ = mean_interval(values, **ends)
        return (-math.inf, math.inf) if low is None or high is None else (low, high)

    return interval


def percentile(n: int, resamples: int = 2000) -> Interval:
    """Return the percentile bootstrap, the usual choice, for samples of size `n`."""
    picks = np.random.default_rng(0).integers(0, n, (n, resamples))
    tail = int(resamples * 0.025)

    def interval(values: np.ndarray) -> tuple[float, float]:
        means = np.sort(values[picks].sum(axis=0) / n)
        return float(means[tail]), float(means[-1 - tail])

    return interval


def coverage(
    population: Population, interval: Interval, n: int, simulations: int, seed: int = 1
) -> tuple[float, float]:
    """Return the share of intervals that hold the true mean, and the mean width."""
    rng = np.random.default_rng(seed)
    ends = np.array([interval(population.draw(rng, n)) for _ in range(simulations)])
    # A sum of equal floats can miss the true mean by a rounding error.
    held = (ends[:, 0] <= population.mean + 1e-12) & (population.mean - 1e-12 <= ends[:, 1])
    return float(held.mean()), float(np.diff(ends, axis=1).mean())


def share_coverage(p: float, n: int) -> float:
    """Return how often Wilson's interval holds a share p of n, by adding up all counts."""
    ends = [share_interval(k, n)[1:3] for k in range(n + 1)]
    held = np.array([low <= p <= high for low, high in ends])
    return float(np.sum(binom.pmf(np.arange(n + 1), n, p)[held]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, simulations=2000)
    options = parser.parse_args()
    simulations = options.simulations
    cells = Cells(options.json, simulations)
    print(f"{simulations} simulations a cell; {error_of(simulations)}.\n")
    print("| population | n | coverage | width | percentile: coverage | width |")
    print("|---|---|---|---|---|---|")
    for population in POPULATIONS:
        for n in (5, *SIZES):
            interval = ours(population.is_share, is_open=population.is_open)
            mine = coverage(population, interval, n, simulations)
            usual = coverage(population, percentile(n), n, simulations)
            numbers = f"{mine[0]:.3f} | {mine[1]:.3f} | {usual[0]:.3f} | {usual[1]:.3f}"
            print(f"| {population.name} | {n} | {numbers} |", flush=True)
            if not population.is_share and n in SIZES:
                kind = "mean, open range" if population.is_open else "mean"
                cells.add(kind, population.name, n, mine[0])
    print(f"\n| Wilson, exactly | {' | '.join(f'n = {n}' for n in SIZES)} |")
    print("|---" * (1 + len(SIZES)) + "|")
    for p in SHARES:
        found = [share_coverage(p, n) for n in SIZES]
        print(f"| share {p:g} | {' | '.join(f'{held:.3f}' for held in found)} |")
        for n, held in zip(SIZES, found, strict=True):
            cells.add("share", f"share {p:g}", n, held, simulations=0)
    cells.write()


if __name__ == "__main__":
    main()
