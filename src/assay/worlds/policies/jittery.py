"""Jittery: the arm trembles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.records import Floats
from assay.worlds.policies._flawed import FlawedActor, chance, check_strength
from assay.worlds.policies._reaching import joint_ranges
from assay.worlds.policies.base import Observation
from assay.worlds.robots.panda import Panda
from assay.worlds.tasks.base import Task
from assay.worlds.world import CONTROL_HZ

__all__ = ["Jittery"]

_WAVES = 3  # a joint
_BAND_HZ = (1.0, 3.0)
_SWING = 0.06  # rad: root mean square of a joint's noise at strength 1
_RISE_S = 0.5


@dataclass(frozen=True)
class Jittery:
    """Do the task right with an arm that trembles.

    Attributes:
        strength: How large the noise on every joint target is; 0 is the expert, 1 is 0.06 rad (root
            mean square) between 1 and 3 Hz.
    """

    strength: float = 0.35

    def __post_init__(self) -> None:
        check_strength(self, self.strength)

    def actor(self, task: Task, seed: int) -> FlawedActor[int]:
        """Return an actor that trembles."""
        return _JitteryActor(task, chance(self, task, seed), self.strength)


class _JitteryActor(FlawedActor[int]):
    """Add waves to the expert's joint targets; `own` counts the steps."""

    def __init__(self, task: Task, rng: np.random.Generator, strength: float) -> None:
        super().__init__(task, 0)
        self._ranges = joint_ranges(Panda())
        shape = (_WAVES, len(self._ranges))
        self._turns = 2 * np.pi * rng.uniform(*_BAND_HZ, shape)
        self._phases = rng.uniform(0.0, 2 * np.pi, shape)
        self._height = strength * _SWING * np.sqrt(2 / _WAVES)

    def act(self, observation: Observation) -> Floats:
        """Return the expert's action, shaken."""
        time = self.own / CONTROL_HZ
        self.own += 1
        waves = np.sin(self._turns * time + self._phases).sum(axis=0)
        action = np.array(self.expert.act(observation))
        # It grows from nothing, so that the first step is no jump.
        action[0, :-1] += self._height * min(time / _RISE_S, 1.0) * waves
        action[0, :-1] = np.clip(action[0, :-1], self._ranges[:, 0], self._ranges[:, 1])
        return action
