"""Which pairs of moments to compare, and how the answers become a curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from assay.metrics.integrators import Potential, cumulative, fused, least_squares
from assay.records import Curve, Floats, Judged

__all__ = ["GOAL", "Integrator", "Plan"]

Integrator: TypeAlias = Literal[
    "cumulative", "forward", "backward", "anchored", "least-squares", "fused"
]
Pair: TypeAlias = tuple[int, int]
Failed: TypeAlias = tuple[Pair, Judged[float]]

GOAL = -1  # stands for the goal's picture where a moment's number is wanted


@dataclass(frozen=True)
class Plan:
    """The comparisons that a curve of `count` moments is made from; moment 0 is the start.

    - cumulative: every moment with the one before; the hops are followed from the start.
    - forward: every moment with the start.
    - backward: every moment with the goal.
    - anchored: every moment with the start and with the goal; the mean of what the two tell.
    - least-squares: every moment with each of the `reach` before it; the best fit to all. A pair
      that is k moments apart weighs 1 / k, since the size of a long hop is told less well.
    - fused: cumulative, forward and backward; the mean of the three.

    Attributes:
        integrator: One of these.
        count: The number of moments.
        reach: How far apart pairs are at most, for least-squares.
        signs: Whether an answer is a mere sign. Over k of the `count - 1` steps it counts as k.
    """

    integrator: Integrator
    count: int
    reach: int = 1
    signs: bool = False

    @property
    def pairs(self) -> list[Pair]:
        """Return the comparisons, before and after, each once."""
        later = range(1, self.count)
        if self.integrator == "least-squares":
            return [(i, j) for j in later for i in range(max(j - self.reach, 0), j)]
        chain = [(k - 1, k) for k in later]
        forward, backward = [(0, k) for k in later], [(GOAL, k) for k in range(self.count)]
        found = {
            "cumulative": chain,
            "forward": forward,
            "backward": backward,
            "anchored": [*forward, *backward],
            "fused": [*chain, *forward, *backward],
        }
        return list(dict.fromkeys(found[self.integrator]))

    def potential(self, hops: Sequence[Judged[float]]) -> Potential:
        """Return the progress told by the answers to `pairs`."""
        told = [np.nan if hop.value is None else hop.value for hop in hops]
        if self.integrator == "least-squares":
            return self._fitted(np.array(told))
        by_pair = dict(zip(self.pairs, told, strict=True))
        followed = self._followed([by_pair.get((k - 1, k), np.nan) for k in range(1, self.count)])
        if self.integrator == "cumulative":
            return followed
        start = np.array([0.0, *(by_pair.get((0, k), np.nan) for k in range(1, self.count))])
        goal = np.array([by_pair.get((GOAL, k), np.nan) for k in range(self.count)])
        forward, backward = np.maximum(start, 0.0), 1.0 + np.minimum(goal, 0.0)
        estimates = {
            "forward": [forward],
            "backward": [backward],
            "anchored": [forward, backward],
            "fused": [followed.values, forward, backward],
        }
        return fused(estimates[self.integrator])

    def curve(self, times: Floats, hops: Sequence[Judged[float]], first: int = 0) -> Curve:
        """Return the curve of the moments from `first` on, at `times` of shape (count - first,).

        A moment that the known hops don't tell has the status of the failed hop it hangs on. The
        detail names the first failed hop; without one it gives the residual.
        """
        found = self.potential(hops)
        values = found.values[first:]
        failed = [(p, h) for p, h in zip(self.pairs, hops, strict=True) if h.value is None]
        status = np.full(len(times), "ok", dtype="<U16")
        for index in np.flatnonzero(np.isnan(values)).tolist():
            status[index] = _blamed(failed, index + first).status
        return Curve(times, values, status, self._detail(found, failed, times, first))

    def _followed(self, hops: Sequence[float]) -> Potential:
        scale = self.count - 1 if self.signs else 1
        return cumulative(np.array(hops) / scale, relative=not self.signs)

    def _fitted(self, hops: Floats) -> Potential:
        pairs = np.array(self.pairs, dtype=np.int64).reshape(-1, 2)
        before, after = pairs[:, 0], pairs[:, 1]
        apart = (after - before).astype(np.float64)
        sizes = hops * apart / max(self.count - 1, 1) if self.signs else hops
        return least_squares(
            before, after, sizes, self.count, weights=1.0 / apart, relative=not self.signs
        )

    def _detail(self, found: Potential, failed: Sequence[Failed], times: Floats, first: int) -> str:
        if not failed:
            told = f"{self.integrator} over {len(self.pairs)} pairs"
            return "" if found.residual is None else f"{told}, residual {found.residual:.3f}"
        (before, after), hop = failed[0]
        named = [_named(moment, times, first) for moment in (before, after)]
        return (
            f"{len(failed)} of {len(self.pairs)} hops have no value, the first from {named[0]}"
            f" to {named[1]}: {hop.detail}"
        )


def _blamed(failed: Sequence[Failed], moment: int) -> Judged[float]:
    """Return the failed hop that a moment hangs on: its own, else the last one before it."""
    own = [hop for (_, after), hop in failed if after == moment]
    before = [hop for (_, after), hop in failed if after < moment]
    return (own or before[::-1] or [hop for _, hop in failed])[0]


def _named(moment: int, times: Floats, first: int) -> str:
    if moment == GOAL:
        return "the goal"
    return "the start" if moment < first else f"{times[moment - first]:g} s"
