"""From signed progress between two moments to progress at each moment.

A hop h in -1..1 is a share: a gain is a share of what was left, a loss one of what was done. With
Phi the progress before and Phi' the progress after,

    Phi' = Phi + h (1 - Phi)  for h >= 0,    Phi' = Phi + h Phi  for h < 0,

that is Phi' = (1 - |h|) Phi + max(h, 0). A step d is a plain difference, Phi' = Phi + d. NaN is a
hop that is not known: what depends on it is NaN, and never a number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.errors import UsageError
from assay.metrics.results import Floats

__all__ = ["Potential", "anchored", "cumulative", "fused", "least_squares"]

Ints = npt.NDArray[np.int64]
# Below this share of the largest eigenvalue a direction is told by nothing but rounding.
_NOTHING = 1e-10


@dataclass(frozen=True, eq=False)
class Potential:
    """Progress made from hops.

    Attributes:
        values: Progress in 0..1, of shape (T,); NaN where the known hops don't tell it.
        residual: Root mean square of what the estimates contradict each other by, in progress;
            None where nothing was told twice.
    """

    values: Floats
    residual: float | None = None


def cumulative(hops: Floats, *, relative: bool = True) -> Potential:
    """Return the progress after each hop, from 0 on; it stays in 0..1.

    Args:
        hops: From each moment to the next, of shape (T - 1,); after a NaN all is NaN.
        relative: Whether they are shares, else steps.

    Returns:
        Progress of shape (T,), without residual: every hop is used once.
    """
    reached = [0.0]
    for hop in np.asarray(hops, dtype=np.float64).tolist():
        keep, gain = (1.0 - abs(hop), max(hop, 0.0)) if relative else (1.0, hop)
        reached.append(float(np.clip(keep * reached[-1] + gain, 0.0, 1.0)))
    return Potential(np.array(reached))


def anchored(from_start: Floats, from_goal: Floats | None = None) -> Potential:
    """Return the progress told by two anchors: the mean of max(h_start, 0) and 1 + min(h_goal, 0).

    Args:
        from_start: Hop from the start to each moment, of shape (T,).
        from_goal: Hop from the goal to each moment; without it the start alone tells.

    Returns:
        Progress of shape (T,); the residual is what the two anchors differ by from their mean.
    """
    forward = np.maximum(from_start, 0.0)
    if from_goal is None:
        return Potential(np.clip(forward, 0.0, 1.0))
    return fused([forward, 1.0 + np.minimum(from_goal, 0.0)])


def fused(estimates: list[Floats]) -> Potential:
    """Return the mean of several estimates of the same progress.

    Args:
        estimates: Each of shape (T,).

    Returns:
        Their mean; it is NaN where any is. The residual is the root mean square distance of the
        estimates from it, over all moments that have one.
    """
    together = np.clip(np.stack(estimates), 0.0, 1.0)
    mean: Floats = together.mean(axis=0)
    apart = (together - mean)[:, ~np.isnan(mean)]
    told_twice = len(estimates) > 1 and apart.size > 0
    return Potential(mean, float(np.sqrt(np.mean(apart**2))) if told_twice else None)


def least_squares(
    before: Ints,
    after: Ints,
    hops: Floats,
    count: int,
    *,
    weights: Floats | None = None,
    relative: bool = True,
) -> Potential:
    """Return the progress that fits all hops between pairs of moments best, with moment 0 at 0.

    Minimises sum_k w_k (Phi[after_k] - a_k Phi[before_k] - b_k)^2, with a = 1 - |h| and
    b = max(h, 0) for shares, a = 1 and b = h for steps. Unlike the running sum it is not thrown
    off by one bad hop, and where hops contradict each other the residual says by how much.

    Args:
        before: Index of the earlier moment of each pair, of shape (n,).
        after: Index of the later one.
        hops: Of shape (n,); pairs with NaN are left out.
        count: Number of moments T.
        weights: Of shape (n,), above 0; by default all 1.
        relative: Whether hops are shares, else steps.

    Returns:
        Progress of shape (T,), clipped to 0..1; NaN for moments that no known hop ties to moment 0.
        The residual is the weighted root mean square of the equations' errors before clipping.
    """
    weight = np.ones(len(hops)) if weights is None else np.asarray(weights, dtype=np.float64)
    if not (weight > 0).all():
        raise UsageError("The weights of hops must be above 0.")
    known = ~np.isnan(hops)
    heavy = weight[known]
    matrix, wanted = _equations(before[known], after[known], hops[known], count, relative=relative)
    root = np.sqrt(heavy)
    values = np.concatenate([[0.0], _solved(root[:, None] * matrix[:, 1:], root * wanted)])
    return Potential(np.clip(values, 0.0, 1.0), _residual(matrix, wanted, values, heavy))


def _equations(
    before: Ints, after: Ints, hops: Floats, count: int, *, relative: bool
) -> tuple[Floats, Floats]:
    """Return the matrix, of shape (n, T), and the right side, of shape (n,)."""
    matrix = np.zeros((len(hops), count))
    row = np.arange(len(hops))
    matrix[row, after] = 1.0
    matrix[row, before] -= (1.0 - np.abs(hops)) if relative else 1.0
    return matrix, np.maximum(hops, 0.0) if relative else hops


def _solved(matrix: Floats, wanted: Floats) -> Floats:
    """Return the least-squares solution of shape (columns,), NaN where it is not unique."""
    if matrix.shape[1] == 0:
        return np.empty(0)
    size, directions = np.linalg.eigh(matrix.T @ matrix)
    seen = size > max(float(size[-1]), 1.0) * _NOTHING
    told = (directions[:, ~seen] ** 2).sum(axis=1) < 1e-8
    along = directions[:, seen]
    values = along @ ((along.T @ (matrix.T @ wanted)) / size[seen])
    return np.where(told, values, np.nan)


def _residual(matrix: Floats, wanted: Floats, values: Floats, weight: Floats) -> float | None:
    """Return the weighted RMS error of the equations between known moments.

    None if there are no more equations than moments: then they are fulfilled whatever they say.
    """
    unknown = np.isnan(values)
    inside = ~(matrix[:, unknown] != 0.0).any(axis=1)
    if inside.sum() <= (~unknown).sum() - 1:
        return None
    errors = matrix[inside][:, ~unknown] @ values[~unknown] - wanted[inside]
    return float(np.sqrt(np.average(errors**2, weights=weight[inside])))
