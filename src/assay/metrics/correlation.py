"""How far two scores of the same things go together: correlations, a line, and their intervals.

Points of one episode are not independent, so whole episodes are left out in turn. The jackknife
over episodes gives the standard error e of every number here; the ends are at value +- t e, with t
the quantile of Student's distribution with one degree of freedom less than there are episodes.
Correlations are taken to Fisher's z = artanh(r) first, where their distribution is nearly even.

Cites:
    Tukey (1958), "Bias and confidence in not-quite large samples"; Fisher (1915), "Frequency
    distribution of the values of the correlation coefficient".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from assay.errors import UsageError
from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.metrics.results import Floats, Ints

__all__ = ["ON_Z", "SMALLEST_LINE", "Association", "Figure", "associate", "gain", "jackknifed"]

SMALLEST_LINE = 3
"""With fewer episodes every line fits and every correlation is -1 or 1."""

METHOD = "jackknife by episode"
ON_Z = f"{METHOD}, Fisher's z"
"""What the interval of a correlation is called that was made on Fisher's z."""

_SAME = 1e-9  # scores are shares: what differs by less differs by rounding
_ROUNDING = 1e-12  # of all squares: what is left of equal scores when others are taken away
_EDGE = 1.0 - 1e-9  # artanh(1) is infinite
_PAIRS_AT_ONCE = 1 << 22  # 32 MB of signs

Found: TypeAlias = tuple[float, Floats]
"""A number, and the number without each of the episodes in turn, of shape (episodes,)."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number with its interval.

    Attributes:
        value: The number; None when it is undefined.
        low: Lower end of its interval, or None.
        high: Upper end of its interval, or None.
        n: How many episodes stand behind it.
        method: How the interval was made, or "".
        why: Why something above is None.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    method: str = ""
    why: str | None = None

    def as_json(self) -> dict[str, float | int | str | None]:
        """Return the number as it stands in result files."""
        found: dict[str, float | int | str | None] = {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "n": self.n,
            "method": self.method,
        }
        return found if self.why is None else {**found, "why": self.why}


@dataclass(frozen=True, slots=True)
class Association:
    """How far a second score y goes with a first score x.

    Attributes:
        n: How many episodes there are.
        points: How many points they have.
        pearson: The linear correlation.
        spearman: The linear correlation of ranks.
        kendall: Tau-b, the correlation of orders.
        slope: Of the least-squares line y = intercept + slope x.
        intercept: Of the same line.
    """

    n: int
    points: int
    pearson: Figure
    spearman: Figure
    kendall: Figure
    slope: Figure
    intercept: Figure


def associate(
    x: Floats,
    y: Floats,
    episodes: Ints | None = None,
    *,
    names: tuple[str, str] = ("the first score", "the second score"),
    level: float = 0.95,
) -> Association:
    """Return correlations and the regression of `y` on `x`, each with its interval.

    There is no number with fewer than 3 episodes or for scores that are all equal, and no interval
    with fewer than 5 episodes.

    Args:
        x: The first score of each point, of shape (m,); finite.
        y: The second one, of shape (m,); finite.
        episodes: Which episode each point belongs to, numbered 0..n-1, of shape (m,); None when
            every point is an episode of its own.
        names: What the scores are called where a reason names one.
        level: The wanted coverage.
    """
    x, y, groups = _checked(x, y, episodes)
    n = int(groups.max(initial=-1)) + 1
    why = _undefined(n, dict(zip(names, (x, y), strict=True)))
    no_line = _undefined(n, {names[0]: x})  # scores that never change have a line, and a flat one

    def figure(found: Found | None, why: str | None, *, on_z: bool = True) -> Figure:
        if found is None:
            return Figure(None, None, None, n, why=why)
        return jackknifed(*found, on_z=on_z, level=level)

    slope, intercept = (None, None) if no_line else _line(x, y, groups)
    return Association(
        n=n,
        points=len(x),
        pearson=figure(None if why else _pearson(x, y, groups), why),
        spearman=figure(None if why else _spearman(x, y, groups), why),
        kendall=figure(None if why else _kendall(x, y, groups), why),
        slope=figure(slope, no_line, on_z=False),
        intercept=figure(intercept, no_line, on_z=False),
    )


def gain(
    x: Floats, y: Floats, null: Floats, episodes: Ints | None = None, *, level: float = 0.95
) -> Figure:
    """Return by how much the linear correlation of `y` with `x` exceeds that of `null` with `x`.

    A null score that goes against `x` counts as 0: to be wrong by chance is no merit of the other.

    Args:
        x: What both are held against, of shape (m,).
        y: The score in question, of shape (m,).
        null: The score that it has to beat, of shape (m,).
        episodes: As in `associate`.
        level: The wanted coverage.
    """
    x, y, groups = _checked(x, y, episodes)
    null = _checked(x, null, episodes)[1]
    n = int(groups.max(initial=-1)) + 1
    why = _undefined(n, {"the first score": x, "the judge": y, "the null judge": null})
    if why:
        return Figure(None, None, None, n, why=why)
    (a, without_a), (b, without_b) = _pearson(x, y, groups), _pearson(x, null, groups)
    without = without_a - np.maximum(without_b, 0.0)
    return jackknifed(a - max(b, 0.0), without, level=level, low=-2.0, high=1.0)


def jackknifed(
    value: float,
    without: Floats,
    *,
    on_z: bool = False,
    level: float = 0.95,
    low: float = -math.inf,
    high: float = math.inf,
) -> Figure:
    """Return a number with the interval that the numbers without each episode lead to.

    Args:
        value: The number.
        without: The number without each episode, of shape (n,); NaN where it is undefined.
        on_z: Whether it is a correlation, whose interval is made on Fisher's z.
        level: The wanted coverage.
        low: The smallest value the number can take.
        high: The largest.
    """
    n = len(without)
    if n < SMALLEST_SAMPLE:
        few = f"fewer than {SMALLEST_SAMPLE} episodes: no interval"
        return Figure(value, None, None, n, why=few)
    if np.isnan(without).any():
        return Figure(value, None, None, n, why="undefined without one of the episodes")
    if on_z and abs(value) >= _EDGE:
        return Figure(value, None, None, n, why="no point is out of line: no interval")
    from scipy.special import stdtrit

    centre = math.atanh(value) if on_z else value
    parts = np.arctanh(np.clip(without, -_EDGE, _EDGE)) if on_z else without
    error = math.sqrt((n - 1) / n * float(np.sum((parts - parts.mean()) ** 2)))
    reach = float(stdtrit(n - 1, 0.5 + level / 2)) * error
    ends = (centre - reach, centre + reach)
    start, end = map(math.tanh, ends) if on_z else ends
    return Figure(value, max(low, start), min(high, end), n, ON_Z if on_z else METHOD)


def _checked(x: Floats, y: Floats, episodes: Ints | None) -> tuple[Floats, Floats, Ints]:
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    groups = np.arange(len(x)) if episodes is None else np.asarray(episodes, dtype=np.int64)
    if not x.shape == y.shape == groups.shape or x.ndim != 1:
        raise UsageError(f"Scores must be lists of one length, not {x.shape} and {y.shape}.")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise UsageError("Scores must be finite: leave out what is unscored.")
    return x, y, groups


def _undefined(n: int, scores: Mapping[str, Floats]) -> str | None:
    """Return why nothing can be said of `n` episodes with these scores, or None."""
    if n < SMALLEST_LINE:
        return f"fewer than {SMALLEST_LINE} episodes"
    flat = (name for name, score in scores.items() if float(np.ptp(score)) <= _SAME)
    return next((f"{name} never changes" for name in flat), None)


def _moments(x: Floats, y: Floats, groups: Ints) -> Floats:
    """Return n, sx, sy, sxx, syy, sxy of all points, then without each episode: (6, 1 + G).

    The scores are centred first, so that no digits are lost in the differences.
    """
    x, y = x - x.mean(), y - y.mean()
    terms = (np.ones_like(x), x, y, x * x, y * y, x * y)
    own = np.stack([np.bincount(groups, weights=term) for term in terms])
    whole = own.sum(axis=1, keepdims=True)
    return np.concatenate([whole, whole - own], axis=1)


def _spreads(x: Floats, y: Floats, groups: Ints) -> tuple[Floats, Floats, Floats]:
    """Return the sums of squares of x and y and of their products, whole and without each."""
    n, sx, sy, sxx, syy, sxy = _moments(x, y, groups)
    n = np.maximum(n, 1)  # an only episode leaves nothing, and its sums are 0 too
    return sxx - sx * sx / n, syy - sy * sy / n, sxy - sx * sy / n


def _split(found: Floats) -> Found:
    return float(found[0]), found[1:]


def _pearson(x: Floats, y: Floats, groups: Ints) -> Found:
    xx, yy, xy = _spreads(x, y, groups)
    known = (xx > _ROUNDING * xx[0]) & (yy > _ROUNDING * yy[0])
    r = np.divide(
        xy, np.sqrt(np.where(known, xx * yy, 1)), where=known, out=np.full(len(xx), np.nan)
    )
    return _split(np.clip(r, -1.0, 1.0))


def _line(x: Floats, y: Floats, groups: Ints) -> tuple[Found, Found]:
    """Return slope and intercept of the least-squares line."""
    xx, _, xy = _spreads(x, y, groups)
    known = xx > _ROUNDING * xx[0]
    slope = np.divide(xy, xx, where=known, out=np.full(len(xx), np.nan))
    n, sx, sy = _moments(x, y, groups)[:3]
    n = np.maximum(n, 1)
    intercept = (y.mean() + sy / n) - slope * (x.mean() + sx / n)
    return _split(slope), _split(intercept)


def _spearman(x: Floats, y: Floats, groups: Ints) -> Found:
    from scipy.stats import rankdata

    def rho(kept: slice | np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
        a, b = rankdata(x[kept]), rankdata(y[kept])
        if not len(a) or not np.ptp(a) or not np.ptp(b):
            return math.nan
        return float(np.corrcoef(a, b)[0, 1])

    without = [rho(groups != group) for group in range(int(groups.max()) + 1)]
    return rho(slice(None)), np.array(without)


def _kendall(x: Floats, y: Floats, groups: Ints) -> Found:
    """Return tau-b, from how each point is ordered with all others and with its own episode.

    Leaving out an episode takes away the pairs of its points with all points; those between its
    own points would be taken away twice.
    """
    count = int(groups.max()) + 1
    whole, inside = np.zeros((3, count)), np.zeros((3, count))
    rows = max(1, _PAIRS_AT_ONCE // len(x))
    for start in range(0, len(x), rows):
        part = slice(start, start + rows)
        a, b = _signs(x[part], x), _signs(y[part], y)
        own = groups[part, None] == groups
        for place, sums in enumerate((a * b, a * a, b * b)):
            np.add.at(whole[place], groups[part], sums.sum(axis=1))
            np.add.at(inside[place], groups[part], (sums * own).sum(axis=1))
    total = whole.sum(axis=1, keepdims=True)
    s, in_a, in_b = np.concatenate([total, total - 2 * whole + inside], axis=1)
    known = (in_a > 0) & (in_b > 0)
    scale = np.sqrt(np.where(known, in_a * in_b, 1))
    return _split(np.divide(s, scale, where=known, out=np.full(len(s), np.nan)))


def _signs(a: Floats, b: Floats) -> Floats:
    """Return 1, 0 or -1 for the order of each pair, of shape (len(a), len(b))."""
    apart = a[:, None] - b
    return np.where(np.abs(apart) <= _SAME, 0.0, np.sign(apart))
