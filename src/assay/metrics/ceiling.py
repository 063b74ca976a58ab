"""How well one rater predicts the others: the height that a judge can be held against.

Each rater in turn plays the judge and the others are the people. A judge that goes with the people
as well as this is as good as one more person; nobody should ask for more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import UsageError
from assay.metrics.correlation import SMALLEST_LINE, Figure
from assay.metrics.item_sums import ONE_RATING, Number, figure_of_sums, grouped
from assay.metrics.kappa import Weights, cohen_number, weight_table
from assay.metrics.results import Floats, Ints

__all__ = ["Ceiling", "label_ceiling", "score_ceiling"]

_ROUNDING = 1e-12  # of all squares: what is left of equal scores


@dataclass(frozen=True, slots=True)
class Ceiling:
    """How well one rater predicts the others.

    Attributes:
        mean: The mean over raters.
        raters: Each rater against the others.
        left_out: The raters that `mean` leaves out, by place: theirs is undefined.
    """

    mean: Figure
    raters: tuple[Figure, ...]
    left_out: tuple[int, ...]


def score_ceiling(
    scores: Floats,
    *,
    episodes: Ints | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Ceiling:
    """Return the linear correlation of each rater with the mean of the others, and its mean.

    Only items that the rater and at least one other scored count for a rater. Items are drawn
    again for the interval, all raters' scores of an item together.

    Args:
        scores: Of shape (items, raters), NaN where there is none; two raters or more.
        episodes: Which episode each item belongs to, numbered from 0, of shape (items,): they are
            drawn together. None when every item is an episode of its own.
        level: The wanted coverage.
        resamples: How many resamples to draw.
        seed: The same seed gives the same intervals.
    """
    scores = np.asarray(scores, dtype=np.float64)
    _check_table(scores)
    if np.isinf(scores).any():
        raise UsageError("Scores must be finite: leave out what is unscored.")
    known = ~np.isnan(scores)
    # From the middle, in units of the spread, so that no digits are lost in squares.
    centred = scores - (np.nanmean(scores) if known.any() else 0.0)
    filled = np.where(known, centred, 0.0)
    filled /= max(float(np.max(np.abs(filled), initial=0.0)), 1e-300)
    blocks, whys = [], []
    for rater in range(scores.shape[1]):
        others = known.sum(axis=1) - known[:, rater]
        both = known[:, rater] & (others > 0)
        x, rest = filled[:, rater], filled.sum(axis=1) - filled[:, rater]
        y = np.divide(rest, others, out=np.zeros_like(rest), where=both)
        terms = (np.ones_like(x), x, y, x * x, y * y, x * y)
        parts = np.stack([np.where(both, term, 0.0) for term in terms], axis=1)
        blocks.append(grouped(parts, episodes))
        whys.append(_no_line(x[both], y[both]))
    return _ceiling(blocks, whys, _correlation, (level, resamples, seed))


def label_ceiling(
    labels: Ints,
    *,
    weights: Weights | Floats = "equal",
    episodes: Ints | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Ceiling:
    """Return Cohen's kappa of each rater with the majority of the others, and its mean.

    Where several categories share the first place among the others, the item counts for each of
    them in equal parts.

    Args:
        labels: Categories numbered from 0, of shape (items, raters), -1 where there is none; two
            raters or more.
        weights: As in `kappa.cohen_kappa`.
        episodes: As in `score_ceiling`.
        level: The wanted coverage.
        resamples: How many resamples to draw.
        seed: The same seed gives the same intervals.
    """
    labels = np.asarray(labels)
    _check_table(labels)
    whole = np.issubdtype(labels.dtype, np.integer) or not labels.size
    if not whole or (labels < -1).any():
        raise UsageError("Categories are whole numbers from 0, and -1 where there is none.")
    table = weight_table(weights, max(int(labels.max(initial=0)) + 1, 1))
    given = np.concatenate([np.eye(len(table)), np.zeros((1, len(table)))])[labels]
    blocks, whys = [], []
    for rater in range(labels.shape[1]):
        own, rest = given[:, rater], given.sum(axis=1) - given[:, rater]
        first = (rest == rest.max(axis=1, keepdims=True)) & (rest > 0)
        majority = first / np.maximum(first.sum(axis=1, keepdims=True), 1)
        both = (own.any(axis=1) & first.any(axis=1))[:, None]
        apart = ((own @ table) * majority).sum(axis=1, keepdims=True)
        parts = np.where(both, np.concatenate([apart, own, majority], axis=1), 0.0)
        blocks.append(grouped(parts, episodes))
        chance = (own * both).sum(axis=0) @ table @ (majority * both).sum(axis=0)
        whys.append(None if chance > 0 else _no_choice(int(both.sum())))
    return _ceiling(blocks, whys, cohen_number(table), (level, resamples, seed))


def _ceiling(
    blocks: list[Floats], whys: list[str | None], number: Number, draws: tuple[float, int, int]
) -> Ceiling:
    """Return the figures of all raters and of their mean.

    Args:
        blocks: What each item adds to the sums of each rater, of shape (items, p) each.
        whys: Why a rater has no figure, or None.
        number: The figure of one rater.
        draws: Level, resamples and seed.
    """
    good = [place for place, why in enumerate(whys) if why is None]
    level, resamples, seed = draws

    def figure(wanted: list[int]) -> Figure:
        parts = np.concatenate([blocks[place] for place in wanted], axis=1)
        return figure_of_sums(
            parts[parts.any(axis=1)],  # what nobody shares is no item
            _mean_of(number, len(wanted)),
            low=-1.0,
            high=1.0,
            level=level,
            resamples=resamples,
            seed=seed,
        )

    alone = tuple(
        figure([place]) if why is None else Figure(None, None, None, 0, why=why)
        for place, why in enumerate(whys)
    )
    mean = figure(good) if good else Figure(None, None, None, 0, why="no rater has a figure")
    return Ceiling(mean, alone, tuple(p for p, why in enumerate(whys) if why is not None))


def _mean_of(number: Number, raters: int) -> Number:
    """Return the mean of a number over raters, whose sums stand side by side."""

    def mean(sums: Floats) -> tuple[Floats, Floats]:
        value, slopes = number(sums.reshape(*sums.shape[:-1], raters, -1))
        return value.mean(axis=-1), slopes.reshape(sums.shape) / raters

    return mean


def _correlation(sums: Floats) -> tuple[Floats, Floats]:
    """Return the linear correlation from the sums of 1, x, y, x^2, y^2 and x y, and its slopes."""
    n, sx, sy, sxx, syy, sxy = (sums[..., place] for place in range(6))
    with np.errstate(divide="ignore", invalid="ignore"):
        mx, my = sx / n, sy / n
        xx, yy, xy = sxx - sx * mx, syy - sy * my, sxy - sx * my
        flat = (xx <= _ROUNDING * sxx) | (yy <= _ROUNDING * syy)
        scale = np.where(flat, np.nan, np.sqrt(np.abs(xx * yy)))
        r = np.clip(xy / scale, -1.0, 1.0)
        by_x, by_y = r / xx, r / yy
        slopes = np.stack(
            [
                mx * my / scale - (by_x * mx**2 + by_y * my**2) / 2.0,
                by_x * mx - my / scale,
                by_y * my - mx / scale,
                -by_x / 2.0,
                -by_y / 2.0,
                1.0 / scale,
            ],
            axis=-1,
        )
    return r, slopes


def _no_line(x: Floats, y: Floats) -> str | None:
    """Return why a rater has no correlation with the others, or None."""
    if len(x) < SMALLEST_LINE:
        return f"fewer than {SMALLEST_LINE} items shared with others"
    if np.ptp(x) <= 1e-9:
        return "gives all items the same score"
    return "the others give all items the same score" if np.ptp(y) <= 1e-9 else None


def _no_choice(items: int) -> str:
    """Return why a rater has no kappa with the others."""
    return ONE_RATING if items else "shares no item"


def _check_table(table: Floats | Ints) -> None:
    if table.ndim != 2 or table.shape[1] < 2:
        raise UsageError("A ceiling needs a table, one row an item, with at least two raters.")
