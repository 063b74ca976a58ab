"""How far two rankings of the same policies agree, such as that of people and that of a judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.errors import UsageError
from assay.metrics.correlation import Figure
from assay.metrics.orders import LEFT_OPEN, drawn_signs, rho_range, tau_range, unseen_error2
from assay.metrics.results import Floats, Ints

__all__ = ["SMALLEST_ORDER", "Drawn", "RankAgreement", "agree_rankings", "resample_means"]

SMALLEST_ORDER = 3
"""With fewer policies a rank correlation could only be -1 or 1."""

_SAME = 1e-9  # what differs by less differs by rounding
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

    The intervals say how far the data at hand fix the agreement on these policies; they are not a
    sample of others. What both rankings say of a pair is settled when each has its order in all but
    (1 - level) / 4 of the resamples: so it is right for a pair with the wanted chance. The ends are
    those of all orders that contradict nothing settled (`metrics.orders`). Quantiles of resampled
    correlations would not do, see there. Measured in tests/proof/rank_coverage.py.

    Args:
        first: One ranking.
        second: The other one.
        level: The wanted coverage.

    Cites:
        Kendall (1945), "The treatment of ties in ranking problems"; Spearman (1904), "The proof
        and measurement of association between two things"; Brandenburg, Gleissner and Hofmeier
        (2013), "Comparing and aggregating partial orders with Kendall tau distances".
    """
    a, b = (_known(side) for side in (first, second))
    names = tuple(sorted(a.keys() & b.keys()))
    x = np.array([first.values[a[name]] for name in names])
    y = np.array([second.values[b[name]] for name in names])
    why = _undefined(x, y)
    settled, lacking = None, first.why or second.why
    if first.resamples is not None and second.resamples is not None and not why:
        tail = (1.0 - level) / 2.0
        settled = (
            drawn_signs(x, first.resamples[:, [a[name] for name in names]], tail),
            drawn_signs(y, second.resamples[:, [b[name] for name in names]], tail),
        )
    signs = _signs(x) * _signs(y)
    swapped = [
        (names[i], names[j]) if x[i] > x[j] else (names[j], names[i])
        for i, j in zip(*np.nonzero(np.triu(signs < 0)), strict=True)
    ]
    return RankAgreement(
        kendall=_figure(_kendall, tau_range, (x, y), settled, why or lacking),
        spearman=_figure(_spearman, rho_range, (x, y), settled, why or lacking),
        policies=names,
        only_first=tuple(sorted(a.keys() - b.keys())),
        only_second=tuple(sorted(b.keys() - a.keys())),
        swapped=tuple(swapped),
    )


def resample_means(
    values: Mapping[str, Floats],
    resamples: int = 1000,
    seed: int = 0,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Drawn:
    """Return the mean of each policy, and its means when its episodes are drawn again.

    Equal values would give the same mean each time; as elsewhere they are not taken for certain.
    Their means are drawn from a normal distribution with the error of `orders.unseen_error2`.

    Args:
        values: One value per episode, by policy, of shape (m,), m >= 1.
        resamples: How many resamples to draw.
        seed: The same seed gives the same resamples.
        bounds: The smallest and the largest possible value; they matter for equal values alone.
    """
    names = sorted(values)
    rng = np.random.default_rng(seed)
    found = np.empty((resamples, len(names)))
    for place, name in enumerate(names):
        own = values[name]
        if float(np.ptp(own)) <= _SAME:
            error = np.sqrt(unseen_error2(own, bounds))
            found[:, place] = own[0] + error * rng.standard_normal(resamples)
            continue
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
    span: Callable[[Ints, Ints], tuple[float, float]],
    scores: tuple[Floats, Floats],
    settled: tuple[Ints, Ints] | None,
    why: str | None,
) -> Figure:
    """Return a correlation with its interval, or why there is none."""
    n = len(scores[0])
    if _undefined(*scores):
        return Figure(None, None, None, n, why=why)
    value = float(kind(*scores))
    if settled is None:
        return Figure(value, None, None, n, why=why)
    low, high = span(*settled)
    return Figure(value, min(low, value), max(high, value), n, LEFT_OPEN)


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
