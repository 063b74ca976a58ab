"""What a judge is.

A judge is a frozen dataclass with at least one of the methods below; its fields are its options
(`--set field=value`). Judges are picklable and load weights when first asked, never when made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, runtime_checkable

from assay.episodes.glitches.reports import Invalid
from assay.records import Curve, Episode, Event, Floats, Image, Judged, Point, Question

__all__ = [
    "METHODS",
    "Answers",
    "Bound",
    "Diagnoses",
    "Examination",
    "Examines",
    "HopJudge",
    "Judge",
    "Prefers",
    "ProgressJudge",
    "Values",
]

Bound: TypeAlias = Literal["cpu", "network"]
METHODS = ("progress", "hop", "diagnose", "answer", "prefer", "value")


@runtime_checkable
class Judge(Protocol):
    """What every judge has.

    A learned judge also has a property `card` (plain data: completion, sigma, novelty, novel_limit,
    look, trained_on), and any judge may have a method `check()` that raises what would stop every
    episode.

    Attributes:
        bound: "cpu" runs in spawned processes, "network" in threads of one process.
    """

    bound: ClassVar[Bound]

    @property
    def needs(self) -> frozenset[str]:
        """Return what an episode must bring: "frames", "segments", or names of signals."""
        ...

    @property
    def noise(self) -> float | None:
        """Return the standard deviation of the score on a still scene, if it was measured."""
        ...


@runtime_checkable
class ProgressJudge(Judge, Protocol):
    """A judge of how far an episode has got at each moment."""

    def clock(self, episode: Episode, fps: float | None) -> Floats:
        """Return the moments to judge [s]: at the rate `fps`, or the judge's own choice."""
        ...

    def progress(self, episode: Episode, times: Floats) -> Curve:
        """Return the progress in 0..1 at `times` of shape (T,) [s]."""
        ...


@runtime_checkable
class HopJudge(Judge, Protocol):
    """A judge of the signed progress between two moments, in -1..1."""

    def hop(
        self,
        task: str,
        before: Mapping[str, Image],
        after: Mapping[str, Image],
        start: Mapping[str, Image] | None,
        goal: Mapping[str, Image] | None,
    ) -> Judged[float]:
        """Return the progress from `before` to `after`, each a picture per view.

        A gain is a share of what was left to do, a loss a share of what was done: hops don't add
        up, progress does.
        """
        ...


@runtime_checkable
class Diagnoses(Judge, Protocol):
    """A judge that finds timed faults in an episode."""

    def diagnose(self, episode: Episode) -> Judged[tuple[Event, ...]]:
        """Return the faults found, earliest first."""
        ...


@dataclass(frozen=True)
class Examination:
    """What a diagnoser found in an episode, and how it came to it.

    Attributes:
        judged: The faults, earliest first; `calls` counts what was asked.
        rejected: What was supposed and dropped; `verdict` says why.
        invalid: What a model reported and can't be meant, after it was told so.
        unasked: Dimensions that could not be looked at, such as those of a missing instruction.
        trail: What each step gave, in order: its name and plain data.
        rounds: How many questions had to wait for one another.
        notes: What a reader must know, such as windows that were made longer.
    """

    judged: Judged[tuple[Event, ...]]
    rejected: tuple[Event, ...] = ()
    invalid: tuple[Invalid, ...] = ()
    unasked: tuple[str, ...] = ()
    trail: tuple[tuple[str, Any], ...] = ()
    rounds: int = 0
    notes: tuple[str, ...] = ()


@runtime_checkable
class Examines(Diagnoses, Protocol):
    """A diagnoser that also tells how it came to what it found."""

    def examine(self, episode: Episode) -> Examination:
        """Return the faults found, what was dropped, and every step."""
        ...


@runtime_checkable
class Answers(Judge, Protocol):
    """A judge that answers questions about an episode."""

    def answer(self, question: Question, episode: Episode) -> Judged[str]:
        """Return the label of the chosen answer."""
        ...


@runtime_checkable
class Prefers(Judge, Protocol):
    """A judge that says which of two episodes went better."""

    def prefer(self, a: Episode, b: Episode) -> Judged[tuple[int, str]]:
        """Return +1 for `a`, -1 for `b` or 0, and the reason."""
        ...


@runtime_checkable
class Values(Judge, Protocol):
    """A judge that scores the candidate actions of a decision."""

    def value(self, point: Point) -> Judged[tuple[float, ...]]:
        """Return one score per candidate."""
        ...
