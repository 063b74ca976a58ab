"""What injectors of one kind share."""

from __future__ import annotations

from typing import ClassVar

from assay.benchmarks.glitches.injecting.injectors.base import Needs
from assay.worlds.tasks.base import Aim, Task

__all__ = ["OfAnyScene", "OfCarrying", "OfFrames", "OfMoving", "OfRecorded", "OfScene"]


class OfFrames:
    """An injector that needs nothing but pictures."""

    needs: ClassVar[Needs] = "frames"

    def suits(self, task: Task) -> bool:  # noqa: ARG002 - any clip will do
        """Say yes."""
        return True


class OfRecorded(OfFrames):
    """An injector for recorded clips: of a simulated one more is known, and another is better."""

    needs: ClassVar[Needs] = "recorded"


class OfScene:
    """An injector that draws a simulated scene again."""

    needs: ClassVar[Needs] = "scene"

    def suits(self, task: Task) -> bool:
        """Say yes if there is anything to move."""
        return bool(task.things)


class OfAnyScene(OfScene):
    """An injector that draws a simulated scene again, whatever things are in it."""

    def suits(self, task: Task) -> bool:  # noqa: ARG002 - any scene will do
        """Say yes."""
        return True


class OfCarrying(OfScene):
    """An injector that draws a thing again while a hand carries it."""

    def suits(self, task: Task) -> bool:
        """Say yes if something is carried."""
        return any("carry" in move.name for move in task.script(Aim()))


class OfMoving(OfScene):
    """An injector that needs a hand that lifts, carries or pushes a thing."""

    def suits(self, task: Task) -> bool:
        """Say yes if the task is about a thing that can be moved, not a drawer or a button."""
        return any(not thing.distractor for thing in task.things)
