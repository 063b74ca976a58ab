"""Wrong-object: takes the wrong thing."""

from __future__ import annotations

from dataclasses import dataclass

from assay.worlds.policies._flawed import chance, check_strength
from assay.worlds.policies._scripted import ScriptedActor
from assay.worlds.tasks.base import Aim, Task

__all__ = ["WrongObject"]


@dataclass(frozen=True)
class WrongObject:
    """Do the task with the wrong thing in some attempts, and cleanly in the others.

    Attributes:
        strength: The share of attempts at the wrong thing; 0 is the expert.
    """

    strength: float = 0.5

    def __post_init__(self) -> None:
        check_strength(self, self.strength)

    def actor(self, task: Task, seed: int) -> ScriptedActor:
        """Return an actor that has made its choice."""
        wrong = chance(self, task, seed).random() < self.strength
        return ScriptedActor(task, Aim(wrong="object" if wrong else ""))
