"""The exact potential Phi* of a task: a function of the state alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.worlds.state import State
from assay.worlds.tasks.base import Subgoal

__all__ = ["covered", "done", "held", "potential", "spans"]

_BELOW_ONE = math.nextafter(1.0, 0.0)


def done(subgoals: Sequence[Subgoal], state: State) -> int:
    """Return k: how many subgoals hold, counted from the first up to the first that does not."""
    return next((k for k, holds in enumerate(held(subgoals, state)) if not holds), len(subgoals))


def held(subgoals: Sequence[Subgoal], state: State) -> tuple[bool, ...]:
    """Return which subgoals hold; one also does when the later one named by its `until` does."""
    found: dict[str, bool] = {}
    for subgoal in reversed(subgoals):
        found[subgoal.name] = found.get(subgoal.until, False) or subgoal.holds(state)
    return tuple(found[subgoal.name] for subgoal in subgoals)


def covered(subgoal: Subgoal, whole: float, state: State) -> float:
    """Return the covered fraction of the way to a subgoal, in [0, 1)."""
    share = 1.0 - subgoal.distance(state) / whole if whole > 0 else 0.0
    return min(max(share, 0.0), _BELOW_ONE)


def spans(subgoals: Sequence[Subgoal], start: State) -> tuple[float, ...]:
    """Return every subgoal's distance at the start of the episode: the whole way there."""
    return tuple(subgoal.distance(start) for subgoal in subgoals)


def potential(
    subgoals: Sequence[Subgoal], whole: Sequence[float], state: State, k: int | None = None
) -> float:
    """Return Phi* = (k + s)/K of the state, in [0, 1].

    K subgoals, of which the first k hold; s in [0, 1) is the covered fraction of the next one's
    distance. Undoing subgoal j makes k = j - 1. Whoever knows k already may give it.
    """
    k = done(subgoals, state) if k is None else k
    if k == len(subgoals):
        return 1.0
    return min((k + covered(subgoals[k], whole[k], state)) / len(subgoals), _BELOW_ONE)
