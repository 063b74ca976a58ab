"""What the policies share that do something wrong from the start: a task must have such a wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from assay import plugins
from assay.errors import UsageError
from assay.worlds.policies._flawed import chance, check_strength
from assay.worlds.policies._scripted import ScriptedActor
from assay.worlds.tasks.base import Aim, Task, Wrong

__all__ = ["Mistaken", "check_suits", "suits"]

_TASKS = "assay.worlds.tasks"
_SAID = {
    "object": "no wrong object to take",
    "target": "no wrong target to go for",
    "order": "no order that matters",
    "effector": "no other arm to use",
    "constraint": "no constraint to ignore",
}


@dataclass(frozen=True)
class Mistaken:
    """Do the task with something wrong in some attempts, and cleanly in the others.

    Attributes:
        strength: The share of attempts that go wrong; 0 is the expert.
    """

    wrong: ClassVar[Wrong] = ""
    strength: float = 0.5

    def __post_init__(self) -> None:
        check_strength(self, self.strength)

    def check(self, task: Task, views: Sequence[str], limit_s: float) -> None:  # noqa: ARG002 - it sees the truth
        """Refuse a task that has no such mistake."""
        check_suits(self, task)

    def actor(self, task: Task, seed: int) -> ScriptedActor:
        """Return an actor that has made its choice."""
        check_suits(self, task)
        wrong = chance(self, task, seed).random() < self.strength
        return ScriptedActor(task, Aim(wrong=self.wrong if wrong else ""))


def suits(policy: object, task: Task) -> bool:
    """Tell whether a policy can do a task; one with a certain mistake needs a task that has it."""
    return getattr(policy, "wrong", "") in ("", *task.wrongs)


def check_suits(policy: object, task: Task) -> None:
    """Refuse a task whose script can't do wrong what the policy does wrong."""
    if suits(policy, task):
        return
    every = [plugins.find(_TASKS, name)() for name in plugins.names(_TASKS)]
    others = ", ".join(other.name for other in every if suits(policy, other))
    name = type(policy).__module__.rpartition(".")[2].replace("_", "-")
    raise UsageError(
        f"{name} can't do {task.name!r}, which has "
        f"{_SAID[getattr(policy, 'wrong', '')]}; tasks that have one: {others or 'none'}."
    )
