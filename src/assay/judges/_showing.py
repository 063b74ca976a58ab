"""Which frames a model is shown, how they are numbered, and the curve that its answers make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.errors import EpisodeError, UsageError
from assay.judges._asking import ModelJudge, Shots, shown
from assay.judges._looks import still_views
from assay.models import session
from assay.models.address import parse
from assay.models.base import Part
from assay.records import Curve, Episode, Floats, Judged, worst_status

__all__ = [
    "Prefixes",
    "answered",
    "check_count",
    "check_pictures",
    "instruction_of",
    "mean",
    "numbered",
    "spread",
    "thinned",
]


def instruction_of(episode: Episode) -> str:
    """Return what the robot was told.

    Raises:
        EpisodeError: Nothing is known of it, so there is nothing to judge by.
    """
    if not episode.instruction.strip():
        raise EpisodeError(
            f"{episode.id} has no instruction to be judged by: give one in the column 'instruction'"
            " of the manifest, or of a csv for --labels.",
            "no_reference",
        )
    return episode.instruction.strip()


def numbered(frames: Sequence[Shots]) -> list[Part]:
    """Return frames as parts of a prompt, each after its number, from 1."""
    parts: list[Part] = []
    for number, shots in enumerate(frames, start=1):
        parts += ["\n" if parts else "", f"Frame {number}: ", *shown(shots)]
    return parts


def thinned(count: int, most: int) -> npt.NDArray[np.int64]:
    """Return at most `most` of the places 0..count-1, evenly, the first and the last among them.

    One place is the last.
    """
    if most == 1:
        return np.array([count - 1])
    return np.round(np.linspace(0, count - 1, min(most, count))).astype(np.int64)


def spread(episode: Episode, view: str, count: int) -> Floats:
    """Return `count` moments from the first frame to the last of the views looked at [s]."""
    clocks = [seen.frames.clock() for seen in still_views(episode, view).values()]
    start, end = (float(max(clock[at] for clock in clocks)) for at in (0, -1))
    return np.linspace(start, end, count if end > start else 1)


@dataclass(frozen=True)
class Prefixes:
    """The beginnings of an episode, each up to one of the moments to judge.

    Every frame is read and prepared once, whatever the number of beginnings that show it.

    Attributes:
        moments: When the frames were taken [s], increasing, of shape (N,).
        frames: The frames.
        most: How many frames a beginning shows at most.
    """

    moments: Floats
    frames: Sequence[Shots]
    most: int

    @classmethod
    def of(cls, judge: ModelJudge, episode: Episode, times: Floats, most: int) -> Prefixes:
        """Look at `times` [s] and, so that few of them still tell a story, at `most` between."""
        clocks = [seen.frames.clock() for seen in still_views(episode, judge.view).values()]
        start = min(max(float(clock[0]) for clock in clocks), float(times[0]))
        seen = np.union1d(times, np.linspace(start, float(times[-1]), most))
        return cls(seen, judge.frames(episode, seen)[1:], most)

    def until(self, time: float) -> list[Part]:
        """Return the numbered frames from the start to `time` [s], which is the last."""
        count = int(np.searchsorted(self.moments, time, side="right"))
        return numbered([self.frames[place] for place in thinned(count, self.most)])


def answered(times: Floats, answers: Sequence[Judged[float]]) -> Curve:
    """Return the curve of one answer per moment; the detail tells the first of the worst faults."""
    status = np.array([answer.status for answer in answers])
    values = np.array([np.nan if a.value is None else a.value for a in answers], dtype=np.float64)
    worst = worst_status(status)
    if worst == "ok":
        return Curve(times, values, status)
    first = int(np.argmax(status == worst))
    return Curve(times, values, status, f"t = {times[first]:g} s: {answers[first].detail}")


def mean(values: Sequence[float]) -> float:
    """Return the mean of several answers to one question."""
    return float(np.mean(values))


def check_pictures(judge: ModelJudge, shown_at_once: int) -> None:
    """Refuse to show a model more pictures in one question than it is known to take.

    Several views show more than one picture a frame; what that comes to is seen when it is asked.
    """
    most = session.current().limits(parse(judge.model)).get("pictures")
    if most is not None and shown_at_once > most:
        raise UsageError(
            f"{judge.called()} would show {shown_at_once} frames at once and {judge.model} takes"
            f" {most} pictures: lower --set most_frames={getattr(judge, 'most_frames', 1)}."
        )


def check_count(judge: ModelJudge, option: str, low: int, high: int) -> None:
    """Refuse an option of `judge` that is outside `low`..`high`."""
    given = getattr(judge, option)
    if not low <= given <= high:
        raise UsageError(
            f"Option {option} of {judge.called()} must be from {low} to {high}, not {given}."
        )
