"""Give judges the goal that was asked for."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.errors import InputError, UsageError
from assay.jobs._describe import describe_judge
from assay.judges.base import Judge

__all__ = ["with_goal"]

_GOAL = "goal"


def with_goal(judges: Sequence[Judge], goal: Path | None) -> list[Judge]:
    """Return the judges, with `goal` given to every one that has an option of that name.

    Args:
        judges: The judges.
        goal: An image or demonstrations; None leaves all judges as they are.

    Raises:
        UsageError: No judge takes a goal.
        InputError: There is nothing at `goal`.
    """
    if goal is None:
        return list(judges)
    if not any(map(_takes_goal, judges)):
        names = " nor ".join(describe_judge(judge)["name"] for judge in judges)
        raise UsageError(
            f"--goal is for judges that compare with a goal, and {names} does not:"
            " leave it out, or try --judge similarity-image."
        )
    if not goal.exists():
        raise InputError("there is no such image or folder to take the goal from.", goal)
    return [_given(judge, goal) if _takes_goal(judge) else judge for judge in judges]


def _takes_goal(judge: Judge) -> bool:
    fields: tuple[dataclasses.Field[Any], ...] = dataclasses.fields(judge)  # type: ignore[arg-type]  # a judge is a dataclass
    return any(field.name == _GOAL and field.init for field in fields)


def _given(judge: Judge, goal: Path) -> Judge:
    made: Judge = dataclasses.replace(judge, **{_GOAL: goal})  # type: ignore[type-var]  # as above
    return made
