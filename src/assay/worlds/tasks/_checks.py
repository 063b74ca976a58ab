"""Say in a sentence what is wrong with a task, before MuJoCo stumbles over it or nobody does."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, get_args

from assay.errors import UnknownNameError, UsageError
from assay.worlds.look import COLOURS
from assay.worlds.scene import EXTRAS
from assay.worlds.state import GRIPPER, TABLE
from assay.worlds.tasks.base import Layout, Place, Shape, Task, Thing, Wrong, hands_of

__all__ = ["check_bodies", "check_layout", "check_task"]

_TAKEN = frozenset({GRIPPER, TABLE, "tool", *(extra.name for extra in EXTRAS)})
_SHAPES = get_args(Shape)
_WRONGS = tuple(wrong for wrong in get_args(Wrong) if wrong)


def check_task(task: Task) -> None:
    """Refuse a task whose parts can't be meant.

    Raises:
        UsageError: The first fault found.
    """
    if hands_of(task) not in (1, 2):
        raise _fault(task, f"has {hands_of(task)} hands: 1 or 2 will do")
    if not (math.isfinite(task.limit_s) and task.limit_s > 0):
        raise _fault(task, f"has a limit_s of {task.limit_s:g}: it is seconds, above 0")
    for thing in task.things:
        _check_thing(task, thing)
    bodies = [*(thing.name for thing in task.things), *task.fixtures]
    for taken in sorted(_TAKEN & {*bodies}):
        raise _fault(task, f"names something {taken!r}: every world has one already")
    _once(task, "things or fixtures", bodies)
    for wrong in task.wrongs:
        if wrong not in _WRONGS:
            raise UnknownNameError(f"mistake for wrongs of {task.name!r}", wrong, _WRONGS)
    _check_subgoals(task)


def check_bodies(task: Task, model: Any) -> None:  # noqa: ANN401 - mujoco.MjModel; MuJoCo is imported late
    """Refuse a task whose `furnish` has not added what it names.

    Raises:
        UsageError: A thing of the shape "own", or a fixture, is not in the model.
    """
    found = {model.body(number).name for number in range(model.nbody)}
    for name in (*(thing.name for thing in task.things), *task.fixtures):
        if name not in found:
            raise _fault(task, f"names {name!r}, but its furnish adds no body of that name")


def check_layout(task: Task, layout: Layout, model: Any) -> None:  # noqa: ANN401 - mujoco.MjModel
    """Refuse a layout that leaves something without a place, or places what there is not.

    Parts inside a fixture, such as a handle, need no place.

    Raises:
        UsageError: The first fault found.
    """
    if not isinstance(layout, Layout):
        raise _fault(task, f"arranges a {type(layout).__name__}: arrange returns a Layout")
    places = {**layout.places, **layout.parts}
    things = [thing.name for thing in task.things]
    loose = [name for name in task.fixtures if int(model.body(name).parentid[0]) == 0]
    for name in (*things, *loose):
        if name not in places:
            raise _fault(task, f"leaves {name!r} without a place: arrange must place it")
    for name, place in places.items():
        if name not in {*things, *task.fixtures}:
            raise UnknownNameError(f"thing or fixture of {task.name!r}", name, [*things, *loose])
        if not isinstance(place, Place):
            raise _fault(task, f"puts {name!r} at {place!r}: it needs a Place")


def _check_thing(task: Task, thing: Thing) -> None:
    if thing.shape not in _SHAPES:
        raise UnknownNameError(f"shape for {thing.name!r}", thing.shape, _SHAPES)
    if thing.colour and thing.colour not in COLOURS:
        raise UnknownNameError(f"colour for {thing.name!r}", thing.colour, COLOURS)
    if len(thing.size) != 2 or min(thing.size) <= 0:
        raise _fault(
            task,
            f"gives {thing.name!r} the size {thing.size}: it is half its height and half its "
            "width or its radius, both above 0",
        )


def _check_subgoals(task: Task) -> None:
    """Refuse names that are given twice, and an `until` that no later subgoal answers to."""
    if not isinstance(task.subgoals, Sequence) or not task.subgoals:
        raise _fault(task, "has no subgoals: they are a property, with at least one")
    names = [subgoal.name for subgoal in task.subgoals]
    _once(task, "subgoals", names)
    for number, subgoal in enumerate(task.subgoals):
        later = names[number + 1 :]
        if subgoal.until and subgoal.until not in later:
            what = f"subgoal after {subgoal.name!r}, for its until,"
            raise UnknownNameError(what, subgoal.until, later)


def _once(task: Task, what: str, names: Sequence[str]) -> None:
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise _fault(task, f"has {count} {what} named {name!r}: each needs a name of its own")


def _fault(task: Task, what: str) -> UsageError:
    return UsageError(f"The task {task.name!r} {what}.")
