"""Knocked: the arm is thrown off its way again and again, and finds back."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.records import Floats
from assay.worlds.moves import tool_pose
from assay.worlds.policies._flawed import FlawedActor, chance, check_strength, in_steps
from assay.worlds.policies._reaching import joint_ranges
from assay.worlds.policies.base import Observation
from assay.worlds.robots.base import grippers, width
from assay.worlds.state import State
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
        self._rng, self._swing, self._steps = rng, strength * _SWING, in_steps(task.limit_s)
        self._drawn: Floats | None = None

    def act(self, observation: Observation) -> Floats:
        """Return the expert's action, or a knock."""
        step, state = self.own, observation.truth
        self.own += 1
        offsets = self._offsets(state)
        if _knocks(offsets, step):
            joints = np.delete(np.arange(width(state.robot)), grippers(state.robot))
            ranges = np.concatenate([joint_ranges(arm) for arm in state.robot.arms])
            action = np.array(self.expert.stay(state))
            moved = action[0, joints] + offsets[step % len(offsets)]
            action[0, joints] = np.clip(moved, ranges[:, 0], ranges[:, 1])
            return action
        if _knocks(offsets, step - 1):
            self._find_back(state)
        return self.expert.act(observation)

    def _offsets(self, state: State) -> Floats:
        """Return the offset of every step, (steps, joints) [rad]; drawn when the robot is met."""
        if self._drawn is None:
            count = sum(len(arm.joints) for arm in state.robot.arms)
            self._drawn, at = np.zeros((self._steps, count)), 0
            while self._swing and at < self._steps:
                at += in_steps(self._rng.uniform(*_PAUSE_S))
                lasts = in_steps(self._rng.uniform(*_LASTS_S))
                self._drawn[at : at + lasts] = self._rng.normal(0.0, self._swing, count)
                at += lasts
        return self._drawn

    def _find_back(self, state: State) -> None:
        """Let the expert go on from where the arms are, and not from where it had led them."""
        hands = []
        for hand in self.expert.memory.hands:
            seen = state.hand(hand.side)
            joints = tuple(float(angle) for angle in seen.joint_position)
            hands.append(replace(hand, set_point=tool_pose(seen), joints=joints))
        self.expert.memory = replace(self.expert.memory, hands=tuple(hands))


def _knocks(offsets: Floats, step: int) -> bool:
    return step >= 0 and bool(offsets[step % len(offsets)].any())
