"""Near-miss: nearly does it."""

from __future__ import annotations

from dataclasses import dataclass

from assay.worlds.policies._flawed import check_strength
from assay.worlds.policies._scripted import ScriptedActor
from assay.worlds.tasks.base import Aim, Task

__all__ = ["NearMiss"]


@dataclass(frozen=True)
class NearMiss:
    """Do everything right but the last placement, which is a little off.

    Attributes:
        strength: How far off, 0 is the expert, 1 is surely not a success, yet close.
    """

    strength: float = 1.0

    def __post_init__(self) -> None:
        check_strength(self, self.strength)

    def actor(self, task: Task, seed: int) -> ScriptedActor:  # noqa: ARG002 - nothing is left to chance
        """Return an actor that just misses."""
        return ScriptedActor(task, Aim(miss=self.strength))
