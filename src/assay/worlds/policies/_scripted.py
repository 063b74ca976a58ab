"""An actor that follows a script of moves, and can be stopped and put back anywhere in it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.errors import UsageError
from assay.records import Floats
from assay.worlds.moves import Move, Pose, tool_pose
from assay.worlds.policies._reaching import Reach
from assay.worlds.policies.base import Observation
from assay.worlds.robots.panda import Panda
from assay.worlds.state import State
from assay.worlds.tasks.base import Aim, Task
from assay.worlds.world import CONTROL_HZ

__all__ = ["Memory", "ScriptedActor"]

_STEP_S = 1.0 / CONTROL_HZ
_TURN = 1.6  # rad/s
_SLOWING = 5.0  # 1/s: the speed falls with the distance left, so that the arm does not overshoot
_CREEP = 0.03  # m/s


@dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """All that a scripted actor remembers.

    Attributes:
        move: Number of the present move; one past the last when the script is over.
        steps: Control steps since it began.
        stayed: Control steps at its target without a break.
        set_point: Where the tool is being led.
        joints: The joint angles last asked for [rad].
        opening: What the gripper was last told.
    """

    move: int = 0
    steps: int = 0
    stayed: int = 0
    set_point: Pose | None = None
    joints: tuple[float, ...] = ()
    opening: float = 1.0


class ScriptedActor:
    """Follow the script of `task` for `aim`.

    Attributes:
        memory: Where in the script it is.
        script: The moves.
    """

    def __init__(self, task: Task, aim: Aim) -> None:
        self.script = task.script(aim)
        self._numbers = {move.name: number for number, move in enumerate(self.script)}
        self._reach = Reach(Panda())
        self.reset("")

    def reset(self, instruction: str) -> None:  # noqa: ARG002 - the script knows what to do
        """Begin anew."""
        self.memory = Memory(joints=Panda().home)

    def save(self) -> Memory:
        """Return where in the script it is."""
        return self.memory

    def restore(self, saved: Memory) -> None:
        """Go back to there."""
        self.memory = saved

    @property
    def finished(self) -> bool:
        """Tell whether the script is over."""
        return self.memory.move >= len(self.script)

    @property
    def move(self) -> Move | None:
        """Return the present move, None when the script is over."""
        return None if self.finished else self.script[self.memory.move]

    @property
    def last_action(self) -> Floats:
        """Return the action that was given last, of shape (1, A)."""
        return np.array([[*self.memory.joints, self.memory.opening]])

    def act(self, observation: Observation) -> Floats:
        """Return one action, of shape (1, A)."""
        state = observation.truth
        if self.memory.set_point is None:
            self.memory = replace(self.memory, set_point=tool_pose(state))
        self._advance(state)
        move = self.move
        if move is not None:
            self.lead(move.where(state), move.opening, move.speed)
        return self.last_action

    def _advance(self, state: State) -> None:
        """Go on to the next move, or back to an earlier one, as the state says."""
        memory = self.memory
        move = self.move
        if move is None:
            return
        if move.lost(state):
            self.again()
            return
        there = _apart(tool_pose(state), move.where(state)) <= move.tolerance
        stayed = memory.stayed + 1 if there else 0
        over = there and stayed >= move.hold_s / _STEP_S and move.done(state)
        if over or memory.steps >= move.patience_s / _STEP_S:
            self._begin(memory.move + 1)
        else:
            self.memory = replace(memory, steps=memory.steps + 1, stayed=stayed)

    def again(self) -> None:
        """Go back to where the present move is tried again from."""
        move = self.move
        if move is not None:
            self._begin(self._numbers[move.retry] if move.retry else 0)

    def _begin(self, number: int) -> None:
        self.memory = replace(self.memory, move=number, steps=0, stayed=0)

    def lead(self, target: Pose, opening: float, speed: float) -> Floats:
        """Move the set point towards `target`, let the joints follow, return that action."""
        start = self.memory.set_point
        if start is None:
            raise UsageError("A scripted actor can be led only after its first step.")
        point = _towards(start, target, speed)
        self._reach.joints = np.array(self.memory.joints)
        joints = tuple(float(angle) for angle in self._reach.towards(point))
        self.memory = replace(self.memory, set_point=point, joints=joints, opening=opening)
        return self.last_action


def _apart(one: Pose, other: Pose) -> float:
    """Return the distance between two poses [m]; angles don't count."""
    return float(np.linalg.norm([one.x - other.x, one.y - other.y, one.z - other.z]))


def _towards(start: Pose, end: Pose, speed: float) -> Pose:
    """Return the pose one control step from `start` on the way to `end`."""
    gap = np.array([end.x - start.x, end.y - start.y, end.z - start.z])
    left = float(np.linalg.norm(gap))
    stride = min(left, min(speed, _SLOWING * left + _CREEP) * _STEP_S)
    x, y, z = np.array([start.x, start.y, start.z]) + (gap * (stride / left) if left else 0.0)
    return Pose(
        float(x),
        float(y),
        float(z),
        start.yaw + _limited(_wrapped(end.yaw - start.yaw)),
    )


def _limited(angle: float) -> float:
    return min(max(angle, -_TURN * _STEP_S), _TURN * _STEP_S)


def _wrapped(angle: float) -> float:
    return float((angle + np.pi) % (2 * np.pi) - np.pi)
