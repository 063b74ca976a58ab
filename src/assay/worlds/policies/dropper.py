"""Dropper: lets go in mid-carry."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assay.records import Floats
from assay.worlds.moves import tool_pose
from assay.worlds.policies._flawed import LapsingActor, chance, check_strength
from assay.worlds.state import State
from assay.worlds.tasks.base import Task

__all__ = ["Dropper"]

_LASTS_S = (0.5, 0.9)
_RISE_M = 0.15
_SPEED = 0.25  # m/s


@dataclass(frozen=True)
class Dropper:
    """Do the task right, but let go in mid-carry, then begin again.

    Attributes:
        strength: How likely it is to lose what it carries, pulls or pushes, each time that it does
            so; 0 is the expert.
    """

    strength: float = 0.9

    def __post_init__(self) -> None:
        check_strength(self, self.strength)

    def actor(self, task: Task, seed: int) -> LapsingActor:
        """Return an actor that drops things."""
        return _DropperActor(task, chance(self, task, seed), self.strength, _LASTS_S)


class _DropperActor(LapsingActor):
    """In a lapse, open the hand, or both, and pull it up; then the expert tries again."""

    def lapse(self, state: State) -> Floats:
        """Return an action that opens the hands that carry something and lifts them."""
        for part in self.carried():
            seen = state.hand(part.hand)
            now = tool_pose(seen)
            self.expert.lead(seen, replace(now, z=now.z + _RISE_M), 1.0, _SPEED)
        if not self.own.left:
            self.expert.again()
        return self.expert.stay(state)
