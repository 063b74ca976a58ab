"""What a task is: things on a table, subgoals in order, and a script that solves it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol, TypeAlias

import numpy as np

from assay.worlds.moves import Move
from assay.worlds.state import State

__all__ = [
    "LONG",
    "Aim",
    "Layout",
    "Place",
    "Shape",
    "Subgoal",
    "Task",
    "Thing",
    "Wrong",
    "hands_of",
]

Shape: TypeAlias = Literal["block", "cylinder", "ball", "ring", "lid", "own"]
Wrong: TypeAlias = Literal["", "object", "target", "order", "effector", "constraint"]
LONG: Final = 8
"""A task with so many subgoals or more is called long-horizon."""


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that can be moved.

    Attributes:
        name: Unique in the task; signals are named after it.
        shape: What it is. A ring lies flat; a lid is a plate with a knob on it; "own": the task's
            `furnish` adds its body (`_built.add_loose`).
        size: Half its height, and half its width or its radius, [m]. A lid's centre, as that of
            other things, is where it is gripped: in the middle of its knob.
        colour: A name of `look.COLOURS`; empty: one that no other thing has and the
            instruction does not name, drawn by the seed.
        mass: [kg].
        distractor: Whether the task has nothing to do with it.
    """

    name: str
    shape: Shape = "block"
    size: tuple[float, float] = (0.025, 0.025)
    colour: str = ""
    mass: float = 0.06
    distractor: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands on the table: `x`, `y` and its lowest point `z` [m], `yaw` [rad]."""

    x: float
    y: float
    z: float = 0.0
    yaw: float = 0.0


@dataclass(frozen=True, slots=True)
class Layout:
    """A scene before anything moves.

    Attributes:
        places: Where every thing and fixture stands.
        parts: Where parts of a fixture are, such as drawers, counted from the fixture.
        slides: How far joints of fixtures have moved already, such as those of open drawers.
    """

    places: Mapping[str, Place]
    parts: Mapping[str, Place] = field(default_factory=dict)
    slides: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Subgoal:
    """One step of a task, told from the state alone.

    Attributes:
        name: Shown in reports; segments are named after it.
        holds: Whether it is done in this state.
        distance: How far off it is, 0 when done; in any one unit.
        until: The name of a later subgoal that counts as proof of this one: a block that lies in
            the basket need not be in the hand any more. Empty: it must hold by itself.
    """

    name: str
    holds: Callable[[State], bool]
    distance: Callable[[State], float]
    until: str = ""


@dataclass(frozen=True, slots=True)
class Aim:
    """What a script goes for; the defaults do the task right.

    Attributes:
        wrong: What to do wrong; empty: nothing. The wrong "object": a distractor, the other drawer.
            The wrong "target": the right thing to another place. The steps in another "order". With
            the other "effector": the wrong arm. A "constraint" of the instruction ignored.
        miss: How far the last placement is off; 1 is surely not a success, yet close.
    """

    wrong: Wrong = ""
    miss: float = 0.0


class Task(Protocol):
    """A task on the table. Frozen, without state: the world holds that.

    A task for two arms has a field `hands` that is 2.
    """

    @property
    def name(self) -> str:
        """Return the grouping key of its episodes."""
        ...

    @property
    def instruction(self) -> str:
        """Return what a person would say; it names the object."""
        ...

    @property
    def paraphrases(self) -> tuple[str, str, str]:
        """Return three other ways to say it."""
        ...

    @property
    def limit_s(self) -> float:
        """Return the length of an attempt that does not succeed [s]."""
        ...

    @property
    def things(self) -> tuple[Thing, ...]:
        """Return everything that can be moved, distractors included."""
        ...

    @property
    def fixtures(self) -> tuple[str, ...]:
        """Return the names of the bodies that `furnish` adds and `arrange` places."""
        ...

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return the subgoals in order; when all hold the task is done."""
        ...

    @property
    def wrongs(self) -> tuple[Wrong, ...]:
        """Return what its script can do wrong on purpose, at least one; "object" is the first."""
        ...

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody; MuJoCo is imported late
        """Add the fixtures, such as a basket, to the model."""
        ...

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Draw a scene."""
        ...

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Return the moves of the expert, in order."""
        ...


def hands_of(task: Task) -> int:
    """Return how many arms a task is for: its `hands`, 1 if it does not say."""
    return int(getattr(task, "hands", 1))
