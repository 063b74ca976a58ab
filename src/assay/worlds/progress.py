"""The exact potential Phi* of a task: a function of the state alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.worlds.state import State
from assay.worlds.tasks.base import Subgoal

__all__ = ["done", "potential", "spans"]

_BELOW_ONE = math.nextafter(1.0, 0.0)


def done(subgoals: Sequence[Subgoal], state: State) -> int:
    """Return k: how many subgoals hold, counted from the first up to the first that does not.

    A subgoal also counts when the later one named by its `until` does.
    """
    held: dict[str, bool] = {}
    for subgoal in reversed(subgoals):
        held[subgoal.name] = held.get(subgoal.until, False) or subgoal.holds(state)
    for number, subgoal in enumerate(subgoals):
        if not held[subgoal.name]:
            return number
    return len(subgoals)


def spans(subgoals: Sequence[Subgoal], start: State) -> tuple[float, ...]:
    """Return every subgoal's distance at the start of the episode: the whole way there."""
    return tuple(subgoal.distance(start) for subgoal in subgoals)


def potential(subgoals: Sequence[Subgoal], whole: Sequence[float], state: State) -> float:
    """Return Phi* = (k + s)/K of the state, in [0, 1].

    K subgoals, of which the first k hold; s in [0, 1) is the covered fraction of the next one's
    distance. Undoing subgoal j makes k = j - 1.
    """
    k = done(subgoals, state)
    if k == len(subgoals):
        return 1.0
    left = subgoals[k].distance(state)
    covered = 1.0 - left / whole[k] if whole[k] > 0 else 0.0
    return min((k + min(max(covered, 0.0), _BELOW_ONE)) / len(subgoals), _BELOW_ONE)
