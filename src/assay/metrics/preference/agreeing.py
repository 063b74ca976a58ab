"""How far two rankings of the same policies agree, such as that of people and that of a judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.errors import UsageError
from assay.metrics.correlation import Figure
from assay.metrics.results import Floats

__all__ = ["SMALLEST_ORDER", "Drawn", "RankAgreement", "agree_rankings", "resample_means"]

SMALLEST_ORDER = 3
"""With fewer policies a rank correlation could only be -1 or 1."""

METHOD = "percentile and basic bootstrap"
_SAME = 1e-9  # what differs by less differs by rounding
_MOST_UNDEFINED = 0.05  # of the resamples; leaving more out would tell of the others alone
_AT_ONCE = 1 << 20  # drawn numbers, 8 MB


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A score of each policy, and what it is when the data are drawn again.

    Attributes:
        names: The policies, of length P.
        values: Their scores, of shape (P,); NaN where there is none.
        resamples: Their scores in each resample, of shape (B, P); None if there is no interval.
        why: Why there are no resamples, or None.
    """

    names: Sequence[str]
    values: Floats
    resamples: Floats | None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class RankAgreement:
    """How far two rankings agree.

    Attributes:
        kendall: Tau-b: pairs in the same order less pairs in the opposite one, as a share.
        spearman: The linear correlation of ranks.
        policies: Those that both rank.
        only_first: Those that only the first ranks.
        only_second: Those that only the second ranks.
        swapped: The pairs that they put in opposite orders, the first's better one first.
    """

    kendall: Figure
    spearman: Figure
    policies: tuple[str, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    swapped: tuple[tuple[str, str], ...]


def agree_rankings(first: Drawn, second: Drawn, level: float = 0.95) -> RankAgreement:
    """Compare two rankings of the policies that both have.

    Both sides are drawn again, each by itself, and the correlation r* is computed anew. It says how
    far the data at hand fix the agreement on these policies; they are not a sample of others.
    Noise moves r* towards 0, away from a truth near -1 or 1. So the interval joins two: that of the
    quantiles of r* (percentile) and that of 2 r - r* (basic), each at half the tail, in -1..1.
    Measured in tests/proof/rank_coverage.py.

    Args:
        first: One ranking.
        second: The other one, with as many resamples.
        level: The wanted coverage.

    Cites:
        Kendall (1945), "The treatment of ties in ranking problems"; Spearman (1904), "The proof
        and measurement of association between two things"; Davison and Hinkley (1997), "Bootstrap
        methods and their application", section 5.2.
    """
    a, b = (_known(side) for side in (first, second))
    names = tuple(sorted(a.keys() & b.keys()))
    x = np.array([first.values[a[name]] for name in names])
    y = np.array([second.values[b[name]] for name in names])
    why = _undefined(x, y)
    drawn, lacking = None, first.why or second.why
    if first.resamples is not None and second.resamples is not None:
        drawn = (
            first.resamples[:, [a[name] for name in names]],
            second.resamples[:, [b[name] for name in names]],
        )
    signs = _signs(x) * _signs(y)
    swapped = [
        (names[i], names[j]) if x[i] > x[j] else (names[j], names[i])
        for i, j in zip(*np.nonzero(np.triu(signs < 0)), strict=True)
    ]
    return RankAgreement(
        kendall=_figure(_kendall, x, y, drawn, why or lacking, level),
        spearman=_figure(_spearman, x, y, drawn, why or lacking, level),
        policies=names,
        only_first=tuple(sorted(a.keys() - b.keys())),
        only_second=tuple(sorted(b.keys() - a.keys())),
        swapped=tuple(swapped),
    )


def resample_means(values: Mapping[str, Floats], resamples: int = 1000, seed: int = 0) -> Drawn:
    """Return the mean of each policy, and its means when its episodes are drawn again.

    Args:
        values: One value per episode, by policy, of shape (m,), m >= 1.
        resamples: How many resamples to draw.
        seed: The same seed gives the same resamples.
    """
    names = sorted(values)
    rng = np.random.default_rng(seed)
    found = np.empty((resamples, len(names)))
    for place, name in enumerate(names):
        own = values[name]
        width = max(1, _AT_ONCE // len(own))
        for start in range(0, resamples, width):
            part = found[start : start + width, place]
            part[:] = own[rng.integers(0, len(own), (len(part), len(own)))].mean(axis=1)
    return Drawn(names, np.array([values[name].mean() for name in names]), found)


def _known(side: Drawn) -> dict[str, int]:
    """Return where each policy with a score stands."""
    if len(set(side.names)) != len(side.names) or len(side.names) != len(side.values):
        raise UsageError("A ranking has one score for each of its policies, and each name once.")
    return {name: k for k, name in enumerate(side.names) if not np.isnan(side.values[k])}


def _undefined(x: Floats, y: Floats) -> str | None:
    if len(x) < SMALLEST_ORDER:
        return f"fewer than {SMALLEST_ORDER} policies that both rank"
    for side, which in ((x, "first"), (y, "second")):
        if float(np.ptp(side)) <= _SAME:
            return f"the {which} ranking tells no two policies apart"
    return None


def _figure(
    kind: Callable[[Floats, Floats], Floats],
    x: Floats,
    y: Floats,
    drawn: tuple[Floats, Floats] | None,
    why: str | None,
    level: float,
) -> Figure:
    """Return a correlation with its interval, or why there is none."""
    n = len(x)
    if _undefined(x, y):
        return Figure(None, None, None, n, why=why)
    value = float(kind(x, y))
    if drawn is None:
        return Figure(value, None, None, n, why=why)
    width = max(1, _AT_ONCE // n**2)
    many = range(0, len(drawn[0]), width)
    found = np.concatenate([kind(drawn[0][k : k + width], drawn[1][k : k + width]) for k in many])
    defined = found[~np.isnan(found)]
    if len(found) - len(defined) > _MOST_UNDEFINED * len(found):
        often = "too often undefined when the data are drawn again: no interval"
        return Figure(value, None, None, n, why=often)
    tail = (1.0 - level) / 4.0
    low, high = np.quantile(defined, [tail, 1.0 - tail], method="closest_observation").tolist()
    ends = (low, high, 2.0 * value - high, 2.0 * value - low, value)
    return Figure(value, max(-1.0, min(ends)), min(1.0, max(ends)), n, METHOD)


def _signs(values: Floats) -> Floats:
    """Return the order of every pair: 1, 0 for a tie, or -1; (.., P) gives (.., P, P)."""
    apart = values[..., :, None] - values[..., None, :]
    return np.where(np.abs(apart) <= _SAME, 0.0, np.sign(apart))


def _kendall(x: Floats, y: Floats) -> Floats:
    a, b = _signs(x), _signs(y)
    return _over(a * b, a * a, b * b, axes=(-2, -1))


def _spearman(x: Floats, y: Floats) -> Floats:
    # Twice the rank, ties at their mean, less its average: how many are below, less how many above.
    a, b = _signs(x).sum(axis=-1), _signs(y).sum(axis=-1)
    return _over(a * b, a * a, b * b, axes=(-1,))


def _over(both: Floats, one: Floats, other: Floats, axes: tuple[int, ...]) -> Floats:
    """Return a correlation from products and squares; NaN where one side is all ties."""
    scale = np.sqrt(one.sum(axis=axes) * other.sum(axis=axes))
    top = np.asarray(both.sum(axis=axes))
    found: Floats = np.divide(top, scale, out=np.full(top.shape, np.nan), where=scale > 0)
    return found
