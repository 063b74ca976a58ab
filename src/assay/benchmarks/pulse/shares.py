"""Shares of right answers with intervals that know that pairs of one episode go together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from assay.metrics.intervals import SMALLEST_SAMPLE, estimate_share
from assay.metrics.results import Estimate
from assay.records import Floats

__all__ = ["Averages", "bounded", "clustered_share"]

_RESAMPLES = 1000
_LEVEL = 0.95
_TOO_FEW = f"fewer than {SMALLEST_SAMPLE} episodes: no interval"
Bools = npt.NDArray[np.bool_]


def clustered_share(right: Bools, clusters: Sequence[str], unscored: int = 0) -> Estimate:
    """Return the share of right answers with a Wilson interval by episode.

    Pairs of one episode resemble each other, so n pairs count as n / d of independent ones, d the
    ratio of the variance between episodes to that of independent pairs, at least 1. When all
    answers are equal, n is the number of episodes.

    Args:
        right: Whether each answer is right, of shape (n,).
        clusters: The episode of each.
        unscored: How many had no answer: wrong in `worst`, right in `best`.

    Cites:
        Wilson (1927); Kish (1965), "Survey Sampling", on the design effect.
    """
    n = len(right)
    reach = estimate_share(int(np.sum(right)), n, unscored)
    worst, best = reach.worst, reach.best
    if not n:
        return Estimate(None, None, None, 0, worst, best, "no such pair")
    share = float(np.mean(right))
    _, place = np.unique(np.asarray(clusters), return_inverse=True)
    count = int(place.max()) + 1
    if count < SMALLEST_SAMPLE:
        return Estimate(share, None, None, n, worst, best, _TOO_FEW)
    plain = share * (1 - share) / n
    if plain > 0:
        sums = np.bincount(place, weights=right - share)
        between = float(np.sum(sums**2)) / n**2 * count / (count - 1)
        size = n / max(between / plain, 1.0)
    else:
        size = float(count)
    low, high = _wilson(share, size)
    return Estimate(share, low, high, n, worst, best, None, "wilson by episode")


def _wilson(share: float, n: float) -> tuple[float, float]:
    z2 = NormalDist().inv_cdf(0.5 + _LEVEL / 2) ** 2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * share * (1 - share) / n + (z2 / (2 * n)) ** 2) / (1 + z2 / n)
    return max(0.0, min(centre - half, share)), min(1.0, max(centre + half, share))


@dataclass(frozen=True, eq=False)
class Averages:
    """The unweighted averages of a benchmark and their resamples over episodes.

    All judges get the same resamples, so that differences between two of them are paired.

    Attributes:
        clusters: The episode of each item, as a number, of shape (n,).
        cells: The bin and setting of each item, as a number, of shape (n,).
        bins: The bin of each cell, of shape (C,).
        seed: Decides the resamples.
    """

    clusters: npt.NDArray[np.int64]
    cells: npt.NDArray[np.int64]
    bins: npt.NDArray[np.int64]
    seed: int = 0

    def overall(self, right: Bools) -> Floats:
        """Return the mean of bins of means of settings: as it is, then of each resample."""
        return self._means(right)[0]

    def of_bin(self, right: Bools, place: int) -> Floats:
        """Return the same of one bin."""
        return self._means(right)[1][:, place]

    def _means(self, right: Bools) -> tuple[Floats, Floats]:
        episodes, count = int(self.clusters.max()) + 1, len(self.bins)
        flat = self.clusters * count + self.cells
        size = episodes * count
        hits = np.bincount(flat, weights=right, minlength=size).reshape(episodes, count)
        asked = np.bincount(flat, minlength=size).reshape(episodes, count)
        draws = self._draws(episodes)
        asked_of = draws @ asked
        cells = np.divide(
            draws @ hits, asked_of, out=np.full(asked_of.shape, np.nan), where=asked_of > 0
        )
        bins = np.stack(
            [_mean(cells[:, self.bins == place]) for place in np.unique(self.bins)], axis=1
        )
        return _mean(bins), bins

    def _draws(self, episodes: int) -> Floats:
        """Return how often each episode counts: once, then as drawn, (1 + resamples, episodes)."""
        rng = np.random.default_rng(self.seed)
        drawn = rng.integers(0, episodes, (_RESAMPLES, episodes))
        drawn += episodes * np.arange(_RESAMPLES)[:, None]
        counts = np.bincount(drawn.reshape(-1), minlength=_RESAMPLES * episodes)
        return np.concatenate(
            [np.ones((1, episodes)), counts.reshape(_RESAMPLES, episodes).astype(np.float64)]
        )


def _mean(values: Floats) -> Floats:
    """Return the mean over the last axis of what is there; NaN where nothing is."""
    there = ~np.isnan(values)
    found: Floats = np.divide(
        np.where(there, values, 0.0).sum(axis=-1),
        there.sum(axis=-1),
        out=np.full(values.shape[:-1], np.nan),
        where=there.any(axis=-1),
    )
    return found


def bounded(resampled: Floats, n: int, episodes: int, ends: tuple[float, float]) -> Estimate:
    """Return the first number with the 95 % quantiles of the others, which are resamples.

    Equal resamples tell nothing of the spread; the bound for equal values takes their place.

    Args:
        resampled: The number, then its resamples, of shape (1 + B,).
        n: How many pairs stand behind it.
        episodes: How many episodes these are from.
        ends: The least and the largest value there can be.
    """
    value = float(resampled[0])
    if episodes < SMALLEST_SAMPLE:
        return Estimate(value, None, None, n, value, value, _TOO_FEW)
    drawn = resampled[1:][~np.isnan(resampled[1:])]
    if np.ptp(drawn) < 1e-9:
        p = 1 - (1 - _LEVEL) ** (1 / episodes)
        low, high = value - (value - ends[0]) * p, value + (ends[1] - value) * p
        return Estimate(value, low, high, n, value, value, None, "exact bound")
    tail = (1 - _LEVEL) / 2
    low, high = (float(q) for q in np.quantile(drawn, [tail, 1 - tail]))
    method = "percentile bootstrap by episode"
    return Estimate(value, min(low, value), max(high, value), n, value, value, None, method)
