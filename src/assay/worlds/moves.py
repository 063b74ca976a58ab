"""What a scripted policy is made of: moves of the tool that look at the state at every step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from assay.worlds.robots.base import Side
from assay.worlds.state import State

__all__ = ["Move", "Pose", "always", "by", "never", "tool_pose"]


@dataclass(frozen=True, slots=True)
class Pose:
    """Where the tool should be: position [m]; it points down, turned by `yaw` [rad]."""

    x: float
    y: float
    z: float
    yaw: float = 0.0


def tool_pose(state: State) -> Pose:
    """Return where the tool of a hand is."""
    x, y, z = (float(v) for v in state.position("tool"))
    return Pose(x, y, z, state.yaw("tool"))


def always(state: State) -> bool:  # noqa: ARG001 - a condition takes the state
    """Say yes."""
    return True


def never(state: State) -> bool:  # noqa: ARG001 - a condition takes the state
    """Say no."""
    return False


@dataclass(frozen=True, slots=True)
class Move:
    """One stretch of a script.

    The tool goes towards `where`, asked anew at every step. The move is over when the tool is
    there (within `tolerance`), has been so for `hold_s`, and `done` says yes; or when `patience_s`
    has passed. When `lost` says yes the script goes back to the move named `retry`.

    With two arms a move is one hand's: its functions see the state as that hand does. The other
    hand stays where it was led last, or does `also` at the same time: the move is then over when
    both are there, have stayed and are done, and is tried again when either is lost.

    Attributes:
        name: Unique in the script.
        where: The tool's target in this state.
        opening: What the gripper is told, 0 closed .. 1 open.
        speed: Greatest speed of the tool [m/s].
        tolerance: How near the tool must come [m].
        hold_s: How long to stay, such as for the fingers to close [s].
        done: A further condition.
        lost: Whether what the move relies on is gone.
        retry: The name of an earlier move; empty: the first.
        patience_s: After this long the move counts as over [s].
        hand: Whose move it is; empty for the only hand.
        also: What the other hand does meanwhile; only the first one's name, retry and patience
            count.
    """

    name: str
    where: Callable[[State], Pose]
    opening: float
    speed: float = 0.25
    tolerance: float = 0.006
    hold_s: float = 0.0
    done: Callable[[State], bool] = always
    lost: Callable[[State], bool] = never
    retry: str = ""
    patience_s: float = 6.0
    hand: Side = ""
    also: Move | None = None

    @property
    def parts(self) -> tuple[Move, ...]:
        """Return what each hand does in it."""
        return (self,) if self.also is None else (self, self.also)


def by(hand: Side, moves: Sequence[Move]) -> tuple[Move, ...]:
    """Return moves that are written for one hand as those of the left or right one.

    Their names, and those they are tried again from, begin with the hand's.
    """
    return tuple(
        replace(
            move,
            hand=hand,
            name=f"{hand} {move.name}",
            retry=f"{hand} {move.retry}" if move.retry else "",
        )
        for move in moves
    )
