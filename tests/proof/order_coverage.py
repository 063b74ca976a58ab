"""Measure how often the interval of tau-b between two judges' orders of policies holds the truth.

    python tests/proof/order_coverage.py --simulations 2000

n is the number of episodes of each policy, and both judges score the same ones. Beside it stands
the percentile bootstrap, as it was used before, on a tenth of the studies. Prints a markdown table.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from scipy.special import betaincinv, ndtr

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from assay.metrics.agreement import compare_orders
from assay.metrics.orders import pair_signs
from proof._cells import SIZES, Cells, add_options, error_of

_TOGETHER = 0.6  # correlation of the judges' scores of one episode, on the normal scale
_LARGE = 10_000  # values stand for a population
_WIDE = 2.0  # pseudo-counts of the beta distribution: scores are mostly near 0 or near 1


@cache
def population(mean: float) -> np.ndarray:
    """Return the sorted scores of a policy with this mean, the last one twice."""
    places = (np.arange(_LARGE) + 0.5) / _LARGE
    values = betaincinv(_WIDE * mean, _WIDE * (1 - mean), places)
    return np.append(values, values[-1])


@dataclass(frozen=True)
class Orders:
    """The mean of each policy by either judge; scores have a beta distribution.

    Attributes:
        first: By the first judge.
        second: By the second one.
    """

    first: tuple[float, ...]
    second: tuple[float, ...]

    @property
    def truth(self) -> float:
        """Return tau of the true means, none of which are equal."""
        pairs = pair_signs(np.array(self.first)) * pair_signs(np.array(self.second))
        return float(pairs.mean())

    def draw(self, rng: np.random.Generator, n: int) -> tuple[dict[str, np.ndarray], ...]:
        """Return the scores of n episodes of each policy by both judges."""
        found: tuple[dict[str, np.ndarray], ...] = ({}, {})
        for place, means in enumerate(zip(self.first, self.second, strict=True)):
            scene, *own = rng.standard_normal((3, n))
            for side, mean, noise in zip(found, means, own, strict=True):
                u = ndtr(np.sqrt(_TOGETHER) * scene + np.sqrt(1 - _TOGETHER) * noise)
                side[str(place)] = population(mean)[(u * _LARGE).astype(int)]
        return found


SIX = (0.8, 0.65, 0.6, 0.45, 0.3, 0.15)
CASES = {
    "six in one order": Orders(SIX, SIX),
    "six, two pairs swapped": Orders(SIX, (0.65, 0.8, 0.6, 0.3, 0.45, 0.15)),
    "six reversed": Orders(SIX, SIX[::-1]),
    "six unrelated": Orders(SIX, (0.45, 0.8, 0.15, 0.65, 0.3, 0.6)),
    "six close together, one order": Orders(*[(0.55, 0.53, 0.51, 0.49, 0.47, 0.45)] * 2),
    "six close together, reversed": Orders(
        (0.55, 0.53, 0.51, 0.49, 0.47, 0.45), (0.45, 0.47, 0.49, 0.51, 0.53, 0.55)
    ),
    "three apart": Orders((0.7, 0.5, 0.3), (0.7, 0.3, 0.5)),
    "nine in one order": Orders(*[tuple(np.linspace(0.1, 0.9, 9))] * 2),
}


def percentile(first: dict, second: dict, rng: np.random.Generator) -> tuple[float, float]:
    """Return the percentile bootstrap of tau over 500 resamples."""
    n = len(first["0"])
    both = np.stack([[side[name] for name in first] for side in (first, second)], axis=2)  # P, n, 2
    taken = rng.integers(0, n, (len(first), 500, n))
    means = np.stack([own[places].mean(axis=1) for own, places in zip(both, taken, strict=True)])
    taus = np.mean(pair_signs(means[..., 0].T) * pair_signs(means[..., 1].T), axis=1)
    low, high = np.quantile(taus, [0.025, 0.975], method="closest_observation")
    return float(low), float(high)


def coverage(case: Orders, n: int, simulations: int) -> tuple[float, float, float]:
    """Return the coverage of the interval and of the percentile bootstrap, and the mean width."""
    rng = np.random.default_rng((1, n))
    held, usual, width = [], [], []
    for number in range(simulations):
        first, second = case.draw(rng, n)
        # Shares of swaps are not looked at: one resample will do.
        found = compare_orders(first, second, resamples=1)
        held.append(found.low - 1e-6 <= case.truth <= found.high + 1e-6)
        width.append(found.high - found.low)
        if number % 10 == 0:
            low, high = percentile(first, second, rng)
            usual.append(low - 1e-6 <= case.truth <= high + 1e-6)
    return float(np.mean(held)), float(np.mean(usual)), float(np.mean(width))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, simulations=2000)
    options = parser.parse_args()
    cells = Cells(options.json, options.simulations)
    print(f"{options.simulations} studies a row; {error_of(options.simulations)}.\n")
    print("| orders | n | coverage | width | percentile bootstrap |")
    print("|---|---|---|---|---|")
    for name, case in CASES.items():
        for n in SIZES:
            held, usual, width = coverage(case, n, options.simulations)
            print(f"| {name} | {n} | {held:.3f} | {width:.2f} | {usual:.3f} |", flush=True)
            cells.add("tau of two judges", name, n, held)
    cells.write()


if __name__ == "__main__":
    main()
