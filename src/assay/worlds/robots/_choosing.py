"""Which robot does a task: the one that was asked for, if it has the hands for it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from assay import plugins
from assay.errors import UsageError
from assay.worlds.robots._from_file import ENDINGS, robot_from_file
from assay.worlds.robots.base import Robot
from assay.worlds.tasks.base import Task, hands_of

__all__ = ["make_robot", "require_hands", "robot_for"]

FOLDER: Final = "assay.worlds.robots"
_USUAL: Final = {1: "panda", 2: "bimanual"}
_WORDS: Final = {1: "one arm", 2: "two arms"}


def make_robot(name: str) -> Robot:
    """Return the robot of that name, or the one in a model file."""
    if name.lower().endswith(ENDINGS):
        return robot_from_file(Path(name))
    robot: Robot = plugins.find(FOLDER, name)()
    return robot


def robot_for(task: Task) -> Robot:
    """Return the robot that does a task when none is asked for."""
    return make_robot(_USUAL[hands_of(task)])


def require_hands(task: Task, robot: Robot) -> None:
    """Refuse a robot with more or fewer arms than the task needs.

    Raises:
        UsageError: It says which robots would do.
    """
    needed = hands_of(task)
    if len(robot.arms) != needed:
        fit = [n for n in plugins.names(FOLDER) if len(make_robot(n).arms) == needed]
        raise UsageError(
            f"{task.name} takes {_WORDS[needed]}, and {robot.name} has "
            f"{_WORDS[len(robot.arms)]}: give --robot {' or '.join(fit)}."
        )
