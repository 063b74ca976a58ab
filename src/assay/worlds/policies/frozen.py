"""Frozen: does not move."""

from __future__ import annotations

from dataclasses import dataclass

from assay.records import Floats
from assay.worlds.policies._flawed import FlawedActor, chance, check_strength
from assay.worlds.policies._scripted import ScriptedActor
from assay.worlds.policies.base import Actor, Observation
from assay.worlds.tasks.base import Aim, Task

__all__ = ["Frozen"]


@dataclass(frozen=True)
class Frozen:
    """Do not move at all, and never say so.

    Attributes:
        strength: The share of attempts in which it does not move; 0 is the expert.
    """

    strength: float = 1.0

    def __post_init__(self) -> None:
        check_strength(self, self.strength)

    def actor(self, task: Task, seed: int) -> Actor:
        """Return an actor that does not move, or the expert."""
        frozen = chance(self, task, seed).random() < self.strength
        return _FrozenActor(task, None) if frozen else ScriptedActor(task, Aim())


class _FrozenActor(FlawedActor[None]):
    """Hold the pose that every attempt begins with."""

    def act(self, observation: Observation) -> Floats:
        """Return the pose of the start."""
        return self.expert.stay(observation.truth)
