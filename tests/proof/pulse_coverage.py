"""Measure how often the intervals of pulse hold the truth when pairs of one episode go together.

    python tests/proof/pulse_coverage.py --simulations 2000

Episodes have 0 to 8 pairs in each of the three bins. Each episode has a chance of right answers of
its own, from a beta distribution with mean 0.93: on some episodes a judge is always right, and on
few it often fails. On real runs of pulse the correlation within episodes was 0.10. Prints a
markdown table with the percentile bootstrap beside, then one of the lift over a null judge that is
right every other time, one of areas under the curve, where n is the number of successes and of
failures, and one of medians, which is computed. Fails when the
interval of an average covers less than 0.93 with 100 episodes or more.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import binom

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from assay.benchmarks.pulse.ranks import auc
from assay.benchmarks.pulse.shares import Averages, bounded, clustered_share
from proof._cells import SIZES, Cells, add_options, error_of

SHARE = 0.93
BINS = 3
MOST = 8  # pairs of an episode in a bin
LEAST_COVERAGE = 0.93
LEAST_EPISODES = 100
AREAS = (0.5, 0.7, 0.9, 0.98)


def held(low: float, high: float) -> tuple[bool, float]:
    """Tell whether the interval holds the truth, and return its width."""
    return low <= SHARE <= high, high - low


def answered(
    episodes: int, correlation: float, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.random.Generator]:
    """Simulate one benchmark; return episode, bin and whether it is right of each answer."""
    rng = np.random.default_rng([seed, episodes])
    size = 1 / correlation - 1  # of the beta distribution, whose correlation is 1 / (size + 1)
    chance = rng.beta(SHARE * size, (1 - SHARE) * size, episodes)
    counts = rng.integers(0, MOST + 1, episodes * BINS)
    episode = np.repeat(np.repeat(np.arange(episodes), BINS), counts)
    places = np.repeat(np.tile(np.arange(BINS), episodes), counts)
    return episode, places, rng.random(len(episode)) < chance[episode], rng


def study(episodes: int, correlation: float, seed: int) -> list[tuple[bool, float]]:
    """Return what each interval of a benchmark does: ours, percentile, of the share."""
    episode, places, right, _ = answered(episodes, correlation, seed)
    resampled = Averages(episode, places, np.arange(BINS)).overall(right.astype(float))
    ours = bounded(resampled, len(right), episodes, (0.0, 1.0))
    share = clustered_share(right, episode.tolist())
    usual = np.quantile(resampled.values[1:], [0.025, 0.975])
    return [held(ours.low, ours.high), held(*usual), held(share.low, share.high)]


def averages(simulations: int, cells: Cells) -> float:
    """Print the table of averages and shares; return the least coverage from 100 episodes on."""
    intervals = ("average", "percentile", "share")
    heads = [f"{name}: {what}" for name in intervals for what in ("coverage", "width")]
    print(f"| episodes | correlation | {' | '.join(heads)} |")
    print("|---" * (2 + len(heads)) + "|")
    worst = 1.0
    for episodes in sorted({*SIZES, LEAST_EPISODES}):
        for correlation in (0.1, 0.3):
            found = np.array([study(episodes, correlation, k) for k in range(simulations)])
            means = found.mean(axis=0)
            cells_shown = [f"{number:.3f}" for number in means.reshape(-1)]
            print(f"| {episodes} | {correlation} | {' | '.join(cells_shown)} |", flush=True)
            if episodes >= LEAST_EPISODES:
                worst = min(worst, float(means[0, 0]))
            if episodes in SIZES:
                case = f"pairs of an episode correlate by {correlation:g}"
                cells.add("average of bins", case, episodes, float(means[0, 0]))
                cells.add("share by episode", case, episodes, float(means[2, 0]))
    return worst


def lifts(simulations: int, cells: Cells) -> None:
    """Print the table of lifts over a null judge that is right every other time."""
    print("\n| episodes | correlation | lift: coverage |\n|---|---|---|")
    for episodes in SIZES:
        for correlation in (0.1, 0.3):
            found = []
            for seed in range(simulations):
                episode, places, right, rng = answered(episodes, correlation, seed)
                null = rng.random(len(right)) < 0.5
                apart = right.astype(float) - null
                resampled = Averages(episode, places, np.arange(BINS)).overall(apart)
                ends = bounded(resampled, len(right), episodes, (-1.0, 1.0))
                found.append(ends.low <= SHARE - 0.5 <= ends.high)
            print(f"| {episodes} | {correlation} | {np.mean(found):.3f} |", flush=True)
            case = f"pairs of an episode correlate by {correlation:g}"
            cells.add("lift over a null judge", case, episodes, float(np.mean(found)))


def auc_coverage(area: float, n: int, simulations: int, *, clipped: bool) -> float:
    """Return how often the area is held: normal ends of n successes and of n failures.

    Clipped ends pile up at 1, as those of judges do, so that many successes tie with failures; the
    area is then P(a > b) + P(a = b) / 2 with ends cut off at the mean of the failures plus 1.
    """
    rng = np.random.default_rng((4, n))
    apart = float(np.sqrt(2.0) * ndtri(area))
    true = area
    if clipped:
        # Both at the top count half; else a is above if it is at the top or the larger one.
        grid = np.linspace(-6.0, 1.0, 4001)
        density = np.exp(-(grid**2) / 2) / np.sqrt(2 * np.pi)
        below = np.trapezoid(density * (1 - ndtr(grid - apart)), grid)
        true = float(below + ndtr(-1.0) * ndtr(apart - 1.0) / 2)
    inside = 0
    for _ in range(simulations):
        a, b = rng.standard_normal(n) + apart, rng.standard_normal(n)
        if clipped:
            a, b = np.minimum(a, 1.0), np.minimum(b, 1.0)
        found = auc(a, b)
        inside += found.low is not None and found.low <= true <= found.high
    return inside / simulations


def areas(simulations: int, cells: Cells) -> None:
    print("\n| area under the curve | n of each kind | coverage |")
    print("|---|---|---|")
    for area in AREAS:
        for clipped in (False, True):
            for n in SIZES:
                share = auc_coverage(area, n, simulations, clipped=clipped)
                case = f"area {area:g}{', many ties' if clipped else ''}"
                print(f"| {case} | {n} | {share:.3f} |", flush=True)
                cells.add("auc", case, n, share)


def medians(cells: Cells) -> None:
    """Print what order statistics hold: 1 - 2 P(fewer than k of n lie on one side)."""
    print("\n| median, exactly | coverage |")
    print("|---|---|")
    for n in SIZES:
        k = int(binom.ppf(0.025, n, 0.5))
        share = float(1 - 2 * binom.cdf(k - 1, n, 0.5))
        print(f"| {n} | {share:.3f} |")
        cells.add("median", "values without ties", n, share, simulations=0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, simulations=2000)
    parts = ("averages", "lifts", "areas", "medians")
    parser.add_argument("--only", choices=parts, nargs="+", default=parts, help="measure these")
    options = parser.parse_args()
    cells, many = Cells(options.json, options.simulations), options.simulations
    print(f"{many} simulations a cell; {error_of(many)}.\n")
    worst = averages(many, cells) if "averages" in options.only else 1.0
    if "lifts" in options.only:
        lifts(many, cells)
    if "areas" in options.only:
        areas(many, cells)
    if "medians" in options.only:
        medians(cells)
    cells.write()
    return int(worst < LEAST_COVERAGE)


if __name__ == "__main__":
    sys.exit(main())
