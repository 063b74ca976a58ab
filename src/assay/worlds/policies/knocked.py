"""Knocked: the arm is thrown off its way again and again, and finds back."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.records import Floats
from assay.worlds.moves import tool_pose
from assay.worlds.policies._flawed import FlawedActor, chance, check_strength, in_steps
from assay.worlds.policies._reaching import joint_ranges
from assay.worlds.policies.base import Observation
from assay.worlds.robots.panda import Panda
from assay.worlds.tasks.base import Task

__all__ = ["Knocked"]

_SWING = 0.12  # rad: root mean square of a knock on a joint target at strength 1
_PAUSE_S = (0.4, 1.2)  # between two knocks
_LASTS_S = (0.1, 0.25)


@dataclass(frozen=True)
class Knocked:
    """Do the task right with an arm that is thrown off its way about once a second.

    After a knock it goes on from where the arm has come to. So its attempts show how to get back,
    which those of the expert never do: demonstrations for policies that learn.

    Attributes:
        strength: How far a knock goes; 0 is the expert, 1 is 0.12 rad (root mean square) on every
            joint target.
    """

    strength: float = 0.5

    def __post_init__(self) -> None:
        check_strength(self, self.strength)

    def actor(self, task: Task, seed: int) -> FlawedActor[int]:
        """Return an actor that is knocked."""
        return _KnockedActor(task, chance(self, task, seed), self.strength)


class _KnockedActor(FlawedActor[int]):
    """Add an offset to the joint targets in the steps that are drawn; `own` counts the steps."""

    def __init__(self, task: Task, rng: np.random.Generator, strength: float) -> None:
        super().__init__(task, 0)
        self._ranges = joint_ranges(Panda())
        steps = in_steps(task.limit_s)
        self._offsets = np.zeros((steps, len(self._ranges)))
        at = 0
        while strength and at < steps:
            at += in_steps(rng.uniform(*_PAUSE_S))
            lasts = in_steps(rng.uniform(*_LASTS_S))
            offset = rng.normal(0.0, strength * _SWING, len(self._ranges))
            self._offsets[at : at + lasts] = offset
            at += lasts

    def act(self, observation: Observation) -> Floats:
        """Return the expert's action, or a knock."""
        step = self.own
        self.own += 1
        if self._knocks(step):
            action = np.array(self.expert.last_action)
            action[0, :-1] += self._offsets[step % len(self._offsets)]
            action[0, :-1] = np.clip(action[0, :-1], self._ranges[:, 0], self._ranges[:, 1])
            return action
        if self._knocks(step - 1):
            self._find_back(observation)
        return self.expert.act(observation)

    def _knocks(self, step: int) -> bool:
        return step >= 0 and bool(self._offsets[step % len(self._offsets)].any())

    def _find_back(self, observation: Observation) -> None:
        """Let the expert go on from where the arm is, and not from where it had led it."""
        self.expert.memory = replace(
            self.expert.memory,
            set_point=tool_pose(observation.truth),
            joints=tuple(float(angle) for angle in observation.joint_position),
        )
