"""Jittery: the arm trembles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.records import Floats
from assay.worlds.policies._flawed import FlawedActor, chance, check_strength
from assay.worlds.policies._reaching import joint_ranges
from assay.worlds.policies.base import Observation
from assay.worlds.robots.base import grippers
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
        self._rng, self._height = rng, strength * _SWING * np.sqrt(2 / _WAVES)
        self._drawn: tuple[Floats, Floats] | None = None

    def act(self, observation: Observation) -> Floats:
        """Return the expert's action, shaken."""
        robot = observation.truth.robot
        time = self.own / CONTROL_HZ
        self.own += 1
        action = np.array(self.expert.act(observation))
        ranges = np.concatenate([joint_ranges(arm) for arm in robot.arms])
        joints = np.delete(np.arange(action.shape[1]), grippers(robot))
        # It grows from nothing, so that the first step is no jump.
        shaken = self._height * min(time / _RISE_S, 1.0) * self._waves(time, len(joints))
        action[0, joints] = np.clip(action[0, joints] + shaken, ranges[:, 0], ranges[:, 1])
        return action

    def _waves(self, time: float, count: int) -> Floats:
        """Return the noise of every joint; its chance is drawn when the robot is first met."""
        if self._drawn is None:
            shape = (_WAVES, count)
            turns = 2 * np.pi * self._rng.uniform(*_BAND_HZ, shape)
            self._drawn = turns, self._rng.uniform(0.0, 2 * np.pi, shape)
        turns, phases = self._drawn
        waves: Floats = np.sin(turns * time + phases).sum(axis=0)
        return waves
