"""An actor that follows a script of moves, and can be stopped and put back anywhere in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.errors import UnknownNameError, UsageError
from assay.records import Floats
from assay.worlds.moves import Move, Pose, tool_pose
from assay.worlds.policies._reaching import Reach
from assay.worlds.policies.base import Observation
from assay.worlds.robots.base import Arm, Side
from assay.worlds.state import State
from assay.worlds.tasks.base import Aim, Task
from assay.worlds.world import CONTROL_HZ

__all__ = ["Hand", "Memory", "ScriptedActor"]

_STEP_S = 1.0 / CONTROL_HZ
_TURN = 1.6  # rad/s
_SLOWING = 5.0  # 1/s: the speed falls with the distance left, so that the arm does not overshoot
_CREEP = 0.03  # m/s


@dataclass(frozen=True, slots=True, eq=False)
class Hand:
    """What is remembered of one hand.

    Attributes:
        side: Which one.
        joints: The joint angles last asked for [rad].
        opening: What the gripper was last told.
        set_point: Where the tool is being led.
    """

    side: Side
    joints: tuple[float, ...]
    opening: float = 1.0
    set_point: Pose | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """All that a scripted actor remembers.

    Attributes:
        move: Number of the present move; one past the last when the script is over.
        steps: Control steps since it began.
        stayed: Control steps at its target without a break.
        hands: Of each hand, in the order of the robot's arms; none before the first step.
    """

    move: int = 0
    steps: int = 0
    stayed: int = 0
    hands: tuple[Hand, ...] = ()


class ScriptedActor:
    """Follow the script of `task` for `aim`, with the robot that it meets at its first step.

    Attributes:
        memory: Where in the script it is.
        script: The moves.
    """

    def __init__(self, task: Task, aim: Aim) -> None:
        self.script = task.script(aim)
        self._numbers = {move.name: number for number, move in enumerate(self.script)}
        _check(task, self.script)
        self._reaches: dict[Arm, Reach] = {}
        self.reset("")

    def reset(self, instruction: str) -> None:  # noqa: ARG002 - the script knows what to do
        """Begin anew."""
        self.memory = Memory()

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

    def stay(self, state: State) -> Floats:
        """Return the action that was given last, of shape (1, A); at first, the start's."""
        hands = self.memory.hands or _at_home(state)
        return np.array([[number for hand in hands for number in (*hand.joints, hand.opening)]])

    def act(self, observation: Observation) -> Floats:
        """Return one action, of shape (1, A)."""
        state = observation.truth
        if not self.memory.hands:
            hands = (
                replace(hand, set_point=tool_pose(state.hand(hand.side)))
                for hand in _at_home(state)
            )
            self.memory = replace(self.memory, hands=tuple(hands))
        self._advance(state)
        move = self.move
        if move is not None:
            for part in move.parts:
                seen = state.hand(part.hand)
                self.lead(seen, part.where(seen), part.opening, part.speed)
        return self.stay(state)

    def _advance(self, state: State) -> None:
        """Go on to the next move, or back to an earlier one, as the state says."""
        memory = self.memory
        move = self.move
        if move is None:
            return
        seen = [(part, state.hand(part.hand)) for part in move.parts]
        if any(part.lost(view) for part, view in seen):
            self.again()
            return
        there = all(
            _apart(tool_pose(view), part.where(view)) <= part.tolerance for part, view in seen
        )
        stayed = memory.stayed + 1 if there else 0
        long_enough = all(stayed >= part.hold_s / _STEP_S for part, _ in seen)
        over = there and long_enough and all(part.done(view) for part, view in seen)
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

    def lead(self, state: State, target: Pose, opening: float, speed: float) -> None:
        """Move the set point of the hand that sees `state` towards `target`; its joints follow."""
        arm = state.arm
        hands = {hand.side: hand for hand in self.memory.hands}
        hand = hands.get(arm.side)
        if hand is None or hand.set_point is None:
            raise UsageError("A scripted actor can be led only after its first step.")
        point = _towards(hand.set_point, target, speed)
        if arm not in self._reaches:
            self._reaches[arm] = Reach(arm)
        reach = self._reaches[arm]
        reach.joints = np.array(hand.joints)
        joints = tuple(float(angle) for angle in reach.towards(point))
        hands[arm.side] = replace(hand, set_point=point, joints=joints, opening=opening)
        self.memory = replace(self.memory, hands=tuple(hands.values()))


def _check(task: Task, script: Sequence[Move]) -> None:
    """Refuse a script in which it is not clear where a move is tried again from.

    Raises:
        UsageError: Two moves have one name.
        UnknownNameError: A move is tried again from one that is not there.
    """
    counts = Counter(move.name for move in script)
    for name, count in counts.items():
        if count > 1:
            raise UsageError(
                f"The script of {task.name!r} has {count} moves named {name!r}: each needs a name "
                "of its own."
            )
    for move in script:
        if move.retry and move.retry not in counts:
            raise UnknownNameError(f"move to try {move.name!r} again from", move.retry, counts)


def _at_home(state: State) -> tuple[Hand, ...]:
    """Return the hands of the robot as every attempt begins with them."""
    return tuple(Hand(arm.side, arm.home) for arm in state.robot.arms)


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
