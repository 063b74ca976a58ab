"""What a policy is, and what a scripted one can do besides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from assay.records import Floats, Image
from assay.worlds.state import State
from assay.worlds.tasks.base import Task

__all__ = ["Actor", "Checked", "Leaving", "Observation", "Policy", "Restorable"]


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """What an actor sees at one moment; of two arms, the left one's numbers, then the right one's.

    Attributes:
        time: Since the start [s].
        joint_position: Arm joints, of shape (J,) [rad].
        joint_velocity: Of shape (J,) [rad/s].
        gripper_opening: 0 closed .. 1 open; with two arms of shape (2,).
        ee_position: The tool, of shape (3,), in the frame of its arm's base [m].
        ee_rotation: The tool, unit quaternion w, x, y, z, in the same frame.
        images: Views by name, uint8 RGB (H, W, 3), rendered when asked for.
        truth: Everything the simulator knows. Scripted policies look at it; a policy under test
            should not.
    """

    time: float
    joint_position: Floats
    joint_velocity: Floats
    gripper_opening: float | Floats
    ee_position: Floats
    ee_rotation: Floats
    images: Mapping[str, Image]
    truth: State


@runtime_checkable
class Actor(Protocol):
    """Someone who acts. A class with these two methods can be named as `module:Class`.

    An actor may also have a property `finished`: an attempt ends 1 s after it says yes.
    """

    def reset(self, instruction: str) -> None:
        """Begin an attempt."""
        ...

    def act(self, observation: Observation) -> Floats:
        """Return the next actions, of shape (n, A) with n >= 1, or (A,) for one.

        An action is a target for each arm joint [rad], then the gripper's opening 0..1; with two
        arms, those of the left one, then those of the right one. It lasts for one control step.
        The next observation comes when all n are done.
        """
        ...


@runtime_checkable
class Restorable(Protocol):
    """An actor whose memory can be saved and put back, so that it goes on as it would have."""

    def save(self) -> Any:  # noqa: ANN401 - the actor's own business; picklable
        """Return the whole memory as a picklable value that later steps don't change."""
        ...

    def restore(self, saved: Any) -> None:  # noqa: ANN401 - what `save` returned
        """Put the memory back."""
        ...


@runtime_checkable
class Leaving(Protocol):
    """An actor that holds something open for an attempt, such as a connection."""

    def end_attempt(self) -> None:
        """Let it go. Called once an attempt is over, however it ended; `reset` begins the next."""
        ...


class Policy(Protocol):
    """A policy of this project: a frozen dataclass of options that makes actors.

    It may also have a property `fingerprint`, a text that changes with the files it acts by.
    """

    def actor(self, task: Task, seed: int) -> Actor:
        """Return a new actor for one attempt; every random choice comes from `seed`."""
        ...


@runtime_checkable
class Checked(Protocol):
    """A policy that does not suit every task, or needs something: weights, pictures, a server."""

    def check(self, task: Task, views: Sequence[str], limit_s: float) -> None:
        """Raise what would end every attempt; called once, before anything is run.

        Args:
            task: What is to be done.
            views: What is filmed; empty: nothing can be drawn.
            limit_s: How long it may take to find out [s].
        """
        ...
