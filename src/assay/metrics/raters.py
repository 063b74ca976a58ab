"""How far several people agree who scored the same things."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from assay.errors import UsageError
from assay.metrics.correlation import ON_Z, SMALLEST_LINE, Figure, jackknifed
from assay.metrics.results import Floats, Ints

__all__ = ["RaterAgreement", "agree"]

_ROUNDING = 1e-12  # of all squares
_LARGEST = 1e9  # of B / W: what no scorer disagrees on leaves it without end


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """How far raters agree.

    Attributes:
        single: ICC(1), the share of the variance of one person's score that is between the things
            scored; 1 when all agree, 0 when people differ as much as the things do.
        mean: The reliability of the mean over raters, by Spearman and Brown from `single`; None
            when that is not above 0.
        ceiling: The highest correlation with that mean that a perfect judge can expect:
            sqrt(reliability), or None.
        per_thing: How many scores a thing has, on average (the k0 of unequal groups).
        pairwise: The mean linear correlation over pairs of raters; None without such a pair.
        pairs: How many pairs share at least 3 things and tell them apart.
    """

    single: Figure
    mean: float | None
    ceiling: float | None
    per_thing: float
    pairwise: float | None
    pairs: int


def agree(
    scores: Floats, things: Ints, raters: Ints, episodes: Ints | None = None
) -> RaterAgreement | None:
    """Return how far raters agree; None when no thing has two scores.

    The one-way model asks nothing of who scored what: a lenient rater counts as disagreement. With
    the mean squares between (B) and within (W) things, N scores of n things, k_i of thing i, and
    k0 = (N - sum k_i^2 / N) / (n - 1): ICC = (B - W) / (B + (k0 - 1) W). Things with one score
    tell nothing of agreement and are left out. The interval is made on Fisher's z = ln(B / W) / 2,
    where its distribution is nearly even: ICC = (e^2z - 1) / (e^2z + k0 - 1).

    Args:
        scores: The scores, of shape (m,).
        things: What each is a score of, numbered from 0, of shape (m,).
        raters: Who gave it, numbered from 0, of shape (m,).
        episodes: The episode of each thing, numbered from 0, of shape (things,): they are left out
            in turn for the interval. None when things are episodes.

    Cites:
        Shrout and Fleiss (1979), "Intraclass correlations: uses in assessing rater reliability";
        Fisher (1925), "Statistical methods for research workers", on intraclass correlations.
    """
    if not scores.shape == things.shape == raters.shape or scores.ndim != 1:
        raise UsageError("Scores, things and raters must be lists of one length.")
    counts = np.bincount(things, minlength=int(things.max(initial=-1)) + 1)
    if not (counts > 1).any():
        return None
    often = counts > 1
    kept = often[things]
    named = np.arange(len(counts)) if episodes is None else episodes
    single, k0 = _icc(scores[kept], things[kept], named)
    pairwise = _pairwise(scores, things, raters)
    value = single.value
    mean = None if value is None or value <= 0 else k0 * value / (1.0 + (k0 - 1.0) * value)
    return RaterAgreement(
        single=single,
        mean=mean,
        ceiling=None if mean is None else float(np.sqrt(mean)),
        per_thing=k0,
        pairwise=float(np.mean(pairwise)) if pairwise else None,
        pairs=len(pairwise),
    )


def _icc(scores: Floats, things: Ints, episodes: Ints) -> tuple[Figure, float]:
    """Return ICC(1) with its interval, and k0."""
    sums = _sums(scores, things)
    whole = sums.sum(axis=0)
    ratio, k0 = float(_ratio(whole)), float(_k0(whole))
    _, owner = np.unique(episodes[np.unique(things)], return_inverse=True)
    n = int(owner.max()) + 1
    if math.isnan(ratio):
        why = "fewer than 2 things scored twice" if len(sums) < 2 else "no spread"
        return Figure(None, None, None, n, why=why), k0
    value = _share(ratio, k0)
    if not 1.0 / _LARGEST < ratio < _LARGEST:
        return Figure(value, None, None, n, why="no score is out of line: no interval"), k0
    by_episode = np.stack([np.bincount(owner, weights=part) for part in sums.T], axis=1)
    z = np.log(np.clip(_ratio(whole - by_episode), 1.0 / _LARGEST, _LARGEST)) / 2.0
    found = jackknifed(math.log(ratio) / 2.0, z)
    if found.low is None or found.high is None:
        return Figure(value, None, None, n, why=found.why), k0
    low, high = (_share(math.exp(2.0 * end), k0) for end in (found.low, found.high))
    return Figure(value, low, high, n, ON_Z), k0


def _share(ratio: float, k0: float) -> float:
    """Return ICC(1) for a ratio of mean squares B / W."""
    return 1.0 - k0 / (ratio + k0 - 1.0)


def _sums(scores: Floats, things: Ints) -> Floats:
    """Return what mean squares are made of, by thing, of shape (n, 6).

    These are 1, k, k^2, k m, k m^2 and the squares within, for k scores with the mean m, taken from
    the mean of all scores.
    """
    _, places = np.unique(things, return_inverse=True)
    apart, k = scores - scores.mean(), np.bincount(places)
    means = np.bincount(places, weights=apart) / k
    within = np.bincount(places, weights=(apart - means[places]) ** 2)
    return np.stack([np.ones(len(k)), k, k**2, k * means, k * means**2, within], axis=1)


def _ratio(sums: Floats) -> Floats:
    """Return B / W, the ratio of mean squares, from sums over things of shape (.., 6).

    It is NaN where it is undefined, and infinite where all scores of a thing are equal.
    """
    n, total, _, first, second, within = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        between = np.maximum(second - first**2 / total, 0.0)
        squares = between + within
        # What others leave of equal scores is rounding.
        between, within = (
            np.where(part > _ROUNDING * squares, part, 0.0) for part in (between, within)
        )
        found: Floats = (between / (n - 1.0)) / (within / (total - n))
    return np.where(n > 1, found, np.nan)


def _k0(sums: Floats) -> Floats:
    """Return how many scores a thing has on average, from the same sums."""
    n, total, squares = np.moveaxis(sums, -1, 0)[:3]
    found: Floats = np.where(n > 1, (total - squares / total) / np.maximum(n - 1.0, 1.0), total)
    return found


def _pairwise(scores: Floats, things: Ints, raters: Ints) -> list[float]:
    """Return the linear correlation of each pair of raters that has one."""
    table = np.full((int(raters.max(initial=-1)) + 1, int(things.max(initial=-1)) + 1), np.nan)
    table[raters, things] = scores
    found = []
    for a, b in combinations(table, 2):
        both = ~np.isnan(a) & ~np.isnan(b)
        if both.sum() >= SMALLEST_LINE and np.ptp(a[both]) and np.ptp(b[both]):
            found.append(float(np.corrcoef(a[both], b[both])[0, 1]))
    return found
