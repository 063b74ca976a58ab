"""What an injector is: a type of glitch, and one way to put it into a clip."""

from __future__ import annotations

from typing import ClassVar, Final, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np

from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared
from assay.worlds.policies.base import Actor
from assay.worlds.tasks.base import Task

__all__ = ["LEVELS", "Acting", "Injector", "Level", "Needs", "Which"]

Which: TypeAlias = Literal["first", "second"]
"""The second way to make a type of glitch is for the test split alone."""

Needs: TypeAlias = Literal["frames", "recorded", "scene", "acting"]
"""What an injector edits: pictures of any clip, or of recorded ones only; a simulated scene; or who
acts in it."""

Level: TypeAlias = Literal[0, 1, 2]
LEVELS: Final[tuple[str, str, str]] = ("mild", "marked", "strong")


class Injector(Protocol):
    """One way to make one type of glitch. Frozen, without state.

    Attributes:
        type: A type of the taxonomy.
        which: Whether it is a first way to make it, which finders may have seen, or the second.
        needs: What it edits.
        severities: How grave the glitch is at each of `LEVELS`, by the rubric of the taxonomy.
    """

    type: ClassVar[str]
    which: ClassVar[Which]
    needs: ClassVar[Needs]
    severities: ClassVar[tuple[int, int, int]]

    def suits(self, task: Task) -> bool:
        """Tell whether an attempt at this task can show the glitch."""
        ...

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Return the clip with the glitch; frames outside its span are as they were.

        Raises:
            EpisodeError: This clip can't show it; another attempt is tried.
        """
        ...


@runtime_checkable
class Acting(Protocol):
    """An injector that lets somebody else act than the expert."""

    def actor(self, task: Task, seed: int, level: Level) -> Actor:
        """Return who acts."""
        ...
