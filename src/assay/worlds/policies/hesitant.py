"""Hesitant: stands still again and again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.records import Floats
from assay.worlds.policies._flawed import FlawedActor, chance, check_strength, in_steps
from assay.worlds.policies.base import Observation
from assay.worlds.tasks.base import Task

__all__ = ["Hesitant"]

_STRETCH_S = (0.5, 1.5)


@dataclass(frozen=True)
class Hesitant:
    """Do the task right, but stop and stand still again and again.

    Attributes:
        strength: The share of time it stands still, on average; 0 is the expert, 1 never moves.
    """

    strength: float = 0.6

    def __post_init__(self) -> None:
        check_strength(self, self.strength)

    def actor(self, task: Task, seed: int) -> FlawedActor[int]:
        """Return an actor that hesitates."""
        return _HesitantActor(task, chance(self, task, seed), self.strength)


class _HesitantActor(FlawedActor[int]):
    """Hold the last action in the steps that are drawn as pauses; `own` counts the steps."""

    def __init__(self, task: Task, rng: np.random.Generator, strength: float) -> None:
        super().__init__(task, 0)
        pauses: list[bool] = []
        while len(pauses) < in_steps(task.limit_s):
            pauses += [bool(rng.random() < strength)] * in_steps(rng.uniform(*_STRETCH_S))
        self._pauses = pauses

    def act(self, observation: Observation) -> Floats:
        """Act as the expert does, or not at all."""
        pausing = self._pauses[self.own % len(self._pauses)]
        self.own += 1
        if pausing:
            return self.expert.stay(observation.truth)
        return self.expert.act(observation)
