"""Measure how often the intervals of pulse hold the truth when pairs of one episode go together.

    python tests/proof/pulse_coverage.py --simulations 2000

Episodes have 0 to 8 pairs in each of the three bins. Each episode has a chance of right answers of
its own, from a beta distribution with mean 0.93: on some episodes a judge is always right, and on
few it often fails. On real runs of pulse the correlation within episodes was 0.10. Prints a
markdown table with the percentile bootstrap beside, and fails when the interval of an average
covers less than 0.93.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from assay.benchmarks.pulse.shares import Averages, bounded, clustered_share

SHARE = 0.93
BINS = 3
MOST = 8  # pairs of an episode in a bin
LEAST_COVERAGE = 0.93


def held(low: float, high: float) -> tuple[bool, float]:
    """Tell whether the interval holds the truth, and return its width."""
    return low <= SHARE <= high, high - low


def study(episodes: int, correlation: float, seed: int) -> list[tuple[bool, float]]:
    """Simulate one benchmark; return what each interval does: ours, percentile, of the share."""
    rng = np.random.default_rng([seed, episodes])
    size = 1 / correlation - 1  # of the beta distribution, whose correlation is 1 / (size + 1)
    chance = rng.beta(SHARE * size, (1 - SHARE) * size, episodes)
    counts = rng.integers(0, MOST + 1, episodes * BINS)
    episode = np.repeat(np.repeat(np.arange(episodes), BINS), counts)
    places = np.repeat(np.tile(np.arange(BINS), episodes), counts)
    right = rng.random(len(episode)) < chance[episode]
    resampled = Averages(episode, places, np.arange(BINS)).overall(right.astype(float))
    ours = bounded(resampled, len(right), episodes, (0.0, 1.0))
    share = clustered_share(right, episode.tolist())
    usual = np.quantile(resampled.values[1:], [0.025, 0.975])
    return [held(ours.low, ours.high), held(*usual), held(share.low, share.high)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=2000)
    simulations = parser.parse_args().simulations
    intervals = ("average", "percentile", "share")
    heads = [f"{name}: {what}" for name in intervals for what in ("coverage", "width")]
    print(f"| episodes | correlation | {' | '.join(heads)} |")
    print("|---" * (2 + len(heads)) + "|")
    worst = 1.0
    for episodes in (100, 200):
        for correlation in (0.1, 0.3):
            found = np.array([study(episodes, correlation, k) for k in range(simulations)])
            cells = [f"{number:.3f}" for number in found.mean(axis=0).reshape(-1)]
            print(f"| {episodes} | {correlation} | {' | '.join(cells)} |", flush=True)
            worst = min(worst, float(found.mean(axis=0)[0, 0]))
    return int(worst < LEAST_COVERAGE)


if __name__ == "__main__":
    sys.exit(main())
