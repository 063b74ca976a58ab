"""Choose the pairs of a benchmark: spread over time, few from each episode, signs balanced."""

from __future__ import annotations

import zlib
from itertools import zip_longest
from typing import Final

import numpy as np
import numpy.typing as npt

from assay.benchmarks.pulse.pairs import ORDERS, Pairs
from assay.benchmarks.pulse.thresholds import (
    BIN_NAMES,
    DISTANCE_BINS,
    DISTANCE_EDGES_S,
    LEAST_REGRESSIONS,
    REGRESSION_SHARE,
)
from assay.records import Floats

__all__ = ["balanced", "drawn", "quantile_bins"]

Ints = npt.NDArray[np.int64]
FORWARD, REVERSED, ANTI_TIME = range(len(ORDERS))
_SMALL: Final = 0


def drawn(pairs: Pairs, episode: str, per_stratum: int, seed: int) -> Ints:
    """Return the places of an episode's candidates: at most `per_stratum` of each order and bin.

    Within a stratum they are drawn from bands of frame distance in turn. Seed and episode decide.
    """
    rng = np.random.default_rng([seed, zlib.crc32(episode.encode())])
    found = []
    for order in range(len(ORDERS)):
        for level in range(len(BIN_NAMES)):
            places = np.flatnonzero((pairs.order == order) & (pairs.bin == level))
            found += _in_turn(places, pairs.distance_s[places], per_stratum, rng)
    return np.array(sorted(found), dtype=np.int64)


def _in_turn(places: Ints, distance_s: Floats, count: int, rng: np.random.Generator) -> list[int]:
    """Return up to `count` of the places, from each band of distance one, then again."""
    band = np.digitize(distance_s, DISTANCE_EDGES_S)
    bands = [rng.permutation(places[band == b]).tolist() for b in rng.permutation(np.unique(band))]
    turns = (place for turn in zip_longest(*bands) for place in turn if place is not None)
    return [place for place, _ in zip(turns, range(count), strict=False)]


def balanced(order: Ints, level: Ints, distance_s: Floats, seed: int) -> Ints:
    """Return the places of candidates that together are balanced, increasing.

    In each bin there are as many gains as losses. Half of the losses are real ones, unless there
    are fewer than `LEAST_REGRESSIONS`: then all of them are taken and reversed pairs fill up. In
    the small bin this holds within every quantile of frame distance too, so that the distance
    tells nothing of the sign.

    Args:
        order: Places in `ORDERS`, of shape (P,).
        level: Places in `BIN_NAMES`, of shape (P,).
        distance_s: How far apart the frames are [s], of shape (P,).
        seed: Decides which are taken.
    """
    rng = np.random.default_rng([seed, len(order)])
    taken: list[Ints] = []
    for place in range(len(BIN_NAMES)):
        own = np.flatnonzero(level == place)
        halves = int(np.count_nonzero(order[own] == ANTI_TIME)) >= LEAST_REGRESSIONS
        cells = quantile_bins(distance_s[own]) if place == _SMALL else np.zeros(len(own), int)
        for cell in np.unique(cells):
            taken += _cell(own[cells == cell], order, rng, halves=halves)
    return np.sort(np.concatenate(taken)) if taken else np.empty(0, dtype=np.int64)


def _cell(own: Ints, order: Ints, rng: np.random.Generator, *, halves: bool) -> list[Ints]:
    """Return as many gains as losses of the candidates `own`."""
    forward, back, lost = (rng.permutation(own[order[own] == kind]) for kind in range(3))
    if halves:
        share = REGRESSION_SHARE
        total = min(int(len(lost) / share), int(len(back) / (1 - share)), len(forward))
        real = int(total * share)
        rest = int(real * (1 - share) / share)
        return [lost[:real], back[:rest], forward[: real + rest]]
    losses = np.concatenate([lost, back])
    each = min(len(losses), len(forward))
    return [losses[:each], forward[:each]]


def quantile_bins(distance_s: Floats) -> Ints:
    """Return which quantile of all the distances each belongs to, of shape (P,)."""
    if not len(distance_s):
        return np.empty(0, dtype=np.int64)
    shares = np.arange(1, DISTANCE_BINS) / DISTANCE_BINS
    return np.digitize(distance_s, np.unique(np.quantile(distance_s, shares)))
