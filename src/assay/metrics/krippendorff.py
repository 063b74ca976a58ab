"""Krippendorff's alpha: how far any number of raters agree, on any scale, with ratings missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from assay.errors import UsageError
from assay.metrics.correlation import Figure
from assay.metrics.item_sums import chance_corrected, grouped
from assay.metrics.results import Floats, Ints

__all__ = ["krippendorff_alpha"]

Scale: TypeAlias = Literal["nominal", "ordinal", "interval"]


def krippendorff_alpha(
    ratings: Floats,
    scale: Scale,
    *,
    episodes: Ints | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Figure:
    """Return Krippendorff's alpha with its interval: 1 all agree, 0 no better than chance.

    A unit with m_u >= 2 ratings adds its ordered pairs of ratings, each counted 1 / (m_u - 1);
    units with fewer are left out. With d(c, k) the distance of two ratings, D the sum of d^2 over
    the pairs within units, E the sum over all pairs of the N ratings, whoever gave them:
    alpha = 1 - (N - 1) D / E. The distance of different ratings is 1 on the nominal scale and
    |c - k| on the interval scale. On the ordinal scale it is how many ratings lie between the two,
    each end counted half: the difference of their mean ranks.

    Units are drawn again for the interval, and on the ordinal scale the ranks are made anew.

    Args:
        ratings: Of shape (units, raters), NaN where there is none. On the nominal scale numbers
            are just names.
        scale: "nominal", "ordinal" or "interval".
        episodes: Which episode each unit belongs to, numbered from 0, of shape (units,): they are
            drawn together. None when every unit is an episode of its own.
        level: The wanted coverage.
        resamples: How many resamples to draw.
        seed: The same seed gives the same interval.

    Cites:
        Krippendorff (2011), "Computing Krippendorff's alpha-reliability"; Hayes and Krippendorff
        (2007), "Answering the call for a standard reliability measure for coding data".
    """
    if scale not in _SCALES:
        raise UsageError(f"A scale is nominal, ordinal or interval, not {scale!r}.")
    ratings = np.asarray(ratings, dtype=np.float64)
    if ratings.ndim != 2 or np.isinf(ratings).any():
        raise UsageError("Ratings need a table, one row a unit and one column a rater, finite.")
    paired = (~np.isnan(ratings)).sum(axis=1) > 1
    kept = ratings[paired]
    if not len(kept):
        return Figure(None, None, None, 0, why="no unit was rated twice")
    made = _SCALES[scale](kept)
    total = made.terms(made.parts.sum(axis=0))
    return chance_corrected(
        grouped(made.parts, None if episodes is None else np.asarray(episodes)[paired]),
        made.number,
        observed=float(total.within),
        expected=float(total.across / (total.n * np.maximum(total.n - 1.0, 1.0))) / made.most,
        level=level,
        resamples=resamples,
        seed=seed,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Terms:
    """What alpha is made of, each of shape (..), and their slopes, of shape (.., p).

    Attributes:
        n: The number of ratings N.
        within: The sum D over pairs within units.
        across: The sum E over all pairs.
        slopes: The slopes of n, within and across.
    """

    n: Floats
    within: Floats
    across: Floats
    slopes: tuple[Floats, Floats, Floats]


@dataclass(frozen=True, slots=True, eq=False)
class _Made:
    """What each unit adds to the sums, of shape (units, p), and what the sums mean.

    Attributes:
        parts: The parts.
        terms: The terms of alpha from the sums.
        most: The largest squared distance of two ratings.
    """

    parts: Floats
    terms: Callable[[Floats], _Terms]
    most: float

    def number(self, sums: Floats) -> tuple[Floats, Floats]:
        """Return alpha and its slopes."""
        found = self.terms(sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = found.within / found.across
            value = 1.0 - (found.n - 1.0) * share
            along = (-share, (1.0 - found.n) / found.across, (found.n - 1) * share / found.across)
            slopes = sum(a[..., None] * s for a, s in zip(along, found.slopes, strict=True))
        return value, np.asarray(slopes)


def _nominal(ratings: Floats) -> _Made:
    """Return the disagreement of each unit and how often it got each of the K ratings: 1 + K."""
    counts, _ = _counted(ratings)
    m = counts.sum(axis=1)
    within = (m**2 - (counts**2).sum(axis=1)) / (m - 1.0)

    def terms(sums: Floats) -> _Terms:
        own = sums[..., 1:]
        n = own.sum(axis=-1)
        one = np.ones_like(own)
        across = 2.0 * (n[..., None] - own)
        return _Terms(
            n,
            sums[..., 0],
            n**2 - (own**2).sum(axis=-1),
            (_beside(0.0, one), _beside(1.0, 0.0 * one), _beside(0.0, across)),
        )

    return _Made(np.concatenate([within[:, None], counts], axis=1), terms, 1.0)


def _interval(ratings: Floats) -> _Made:
    """Return the disagreement of each unit, and the sums of 1, x and x^2 over its ratings x: 4."""
    known = ~np.isnan(ratings)
    low, high = float(np.nanmin(ratings)), float(np.nanmax(ratings))
    # In units of the range, from its middle, so that no digits are lost in differences of squares.
    x = np.where(known, (ratings - (low + high) / 2.0) / max(high - low, 1e-300), 0.0)
    m, sx, sxx = known.sum(axis=1), x.sum(axis=1), (x**2).sum(axis=1)
    within = 2.0 * (m * sxx - sx**2) / (m - 1.0)
    # Exactly, for the bound of full agreement.
    within[np.nanmax(ratings, axis=1) == np.nanmin(ratings, axis=1)] = 0.0

    def terms(sums: Floats) -> _Terms:
        d, n, sx, sxx = (sums[..., place] for place in range(4))
        none, one = np.zeros_like(d), np.ones_like(d)
        return _Terms(
            n,
            d,
            2.0 * (n * sxx - sx**2),
            (
                np.stack([none, one, none, none], axis=-1),
                np.stack([one, none, none, none], axis=-1),
                np.stack([none, 2.0 * sxx, -4.0 * sx, 2.0 * n], axis=-1),
            ),
        )

    return _Made(np.stack([within, m, sx, sxx], axis=1), terms, 1.0)


def _ordinal(ratings: Floats) -> _Made:
    """Return how often each unit got each of the K ratings and each pair of them: K + K^2."""
    counts, size = _counted(ratings)
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs[:, np.arange(size), np.arange(size)] -= counts  # no rating is a pair with itself
    pairs /= (counts.sum(axis=1) - 1.0)[:, None, None]
    # A rating's mean rank is the number of ratings below it and half of its own.
    below = np.tril(np.ones((size, size)), -1) + np.eye(size) / 2.0

    def terms(sums: Floats) -> _Terms:
        own, shared = sums[..., :size], sums[..., size:].reshape(*sums.shape[:-1], size, size)
        ranks = own @ below.T
        apart = ranks[..., None, :] - ranks[..., :, None]
        squared, every = apart**2, own[..., :, None] * own[..., None, :]
        # Ranks move too when a rating comes in: from the slopes along ranks to those along counts.
        within = 4.0 * (shared * apart).sum(axis=-2) @ below
        across = 4.0 * (every * apart).sum(axis=-2) @ below
        across = across + 2.0 * (squared @ own[..., None])[..., 0]
        flat = squared.reshape(*sums.shape[:-1], size * size)
        none = np.zeros_like(flat)
        return _Terms(
            own.sum(axis=-1),
            (shared * squared).sum(axis=(-2, -1)),
            (every * squared).sum(axis=(-2, -1)),
            (
                np.concatenate([np.ones_like(own), none], axis=-1),
                np.concatenate([within, flat], axis=-1),
                np.concatenate([across, none], axis=-1),
            ),
        )

    ranks = below @ counts.sum(axis=0)
    most = max(float(ranks[-1] - ranks[0]) ** 2, 1e-300)
    return _Made(np.concatenate([counts, pairs.reshape(len(counts), -1)], axis=1), terms, most)


_SCALES: dict[str, Callable[[Floats], _Made]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
}


def _counted(ratings: Floats) -> tuple[Floats, int]:
    """Return how often each unit got each of the K different ratings, (units, K), and K."""
    known = ~np.isnan(ratings)
    values, codes = np.unique(ratings[known], return_inverse=True)
    counts = np.zeros((len(ratings), len(values)))
    np.add.at(counts, (np.nonzero(known)[0], codes), 1.0)
    return counts, len(values)


def _beside(first: float, rest: Floats) -> Floats:
    """Return `rest`, of shape (.., K), with a column of `first` before it."""
    return np.concatenate([np.full((*rest.shape[:-1], 1), first), rest], axis=-1)
