"""Time the five metrics over many curves: plain Python, numpy per episode, Assay, one read.

    python speed/opd.py --episodes 100000

Everything is timed in one run on the same curves, so compare the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np

from assay.metrics.opd import opd
from assay.metrics.results import METRICS

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from metrics.reference import reference  # the plain loop that the tests check against

EPSILON = 0.01
PLAIN_EPISODES = 2_000


def make_curves(episodes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return random walks of 100 to 700 steps, kept in 0..1, end to end."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(101, 702, episodes)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    values = rng.normal(0.002, 0.02, offsets[-1])
    for start, end in pairwise(offsets):
        np.clip(np.cumsum(values[start:end]), 0, 1, out=values[start:end])
    return values, offsets


def plain(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    curves = [values[a:b].tolist() for a, b in pairwise(offsets)]
    return np.array([list(reference(curve, EPSILON).values()) for curve in curves])


def per_episode(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Compute the metrics the way one writes them for a single curve, in a loop."""
    rows = []
    for start, end in pairwise(offsets):
        curve = values[start:end]
        steps = np.abs(np.diff(curve))
        peak = curve.max()
        gain = curve[-1] * max(curve[-1] - curve[0], 0) / (steps.sum() + 1e-8)
        regret = np.mean(np.maximum.accumulate(curve) - curve)
        rows.append((np.floor(4 * peak) / 4, peak, gain, regret, np.mean(steps < EPSILON)))
    return np.array(rows)


def ours(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    table = opd(values, offsets, epsilon=EPSILON)
    return np.stack([table.column(name) for name in METRICS], axis=1)


def best_time(call: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=100_000)
    episodes = parser.parse_args().episodes
    values, offsets = make_curves(episodes)
    some = offsets[: min(episodes, PLAIN_EPISODES) + 1]
    scale = len(values) / some[-1]

    result = ours(values, offsets)
    gap_plain = np.abs(plain(values, some) - result[: len(some) - 1]).max()
    gap_numpy = np.abs(per_episode(values, offsets) - result).max()
    seconds = {
        f"plain Python (from {len(some) - 1:,} episodes)": scale
        * best_time(lambda: plain(values, some), 1),
        "numpy, one episode at a time": best_time(lambda: per_episode(values, offsets), 1),
        "assay.metrics.opd": best_time(lambda: ours(values, offsets), 5),
        "one read of the memory": best_time(lambda: np.add.reduce(values), 5),
    }
    mine, read = seconds["assay.metrics.opd"], seconds["one read of the memory"]
    print(f"{episodes:,} episodes, {len(values):,} values, {values.nbytes / 1e6:.0f} MB")
    print(f"{'':38}{'ms':>10}{'x assay':>10}{'x read':>10}")
    for name, taken in seconds.items():
        print(f"{name:38}{taken * 1e3:10.1f}{taken / mine:10.2f}{taken / read:10.1f}")
    print(f"largest difference: {gap_plain:.1e} to plain Python, {gap_numpy:.1e} to numpy")


if __name__ == "__main__":
    main()
