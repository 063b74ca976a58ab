"""A grade from 1 to 5 for the end of an episode."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

from assay.judges._asking import ModelJudge, each
from assay.judges._showing import (
    Prefixes,
    answered,
    check_count,
    check_pictures,
    instruction_of,
    mean,
)
from assay.models.answers import integer
from assay.records import Curve, Episode, Floats, Judged

__all__ = ["RoboReward"]


@dataclass(frozen=True)
class RoboReward(ModelJudge):
    """Have a model grade the end of an episode from 1 to 5.

    Progress is (grade - 1) / 4, so it knows five levels: coarse, and too coarse for small steps.
    The grade is meant for the end alone. By default each moment is graded as if the episode had
    ended there, which takes one call a moment; `scope=end` takes one call an episode, and then no
    other moment has a value.

    Attributes:
        scope: "prefixes" grades every moment, "end" the last one.
        most_frames: Frames a call at most.

    Cites:
        Lee et al., RoboReward: General-Purpose Vision-Language Reward Models for Robotics, 2026.
    """

    scope: Literal["prefixes", "end"] = "prefixes"
    most_frames: int = 16

    fields: ClassVar[tuple[str, ...]] = ("instruction", "frames")
    required: ClassVar[tuple[str, ...]] = ("frames",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self, "most_frames", 1, 1000)

    def check(self) -> None:
        """Raise what would stop every episode, more frames than the model takes included."""
        super().check()
        check_pictures(self, self.most_frames)

    def clock(self, episode: Episode, fps: float | None) -> Floats:
        """Return the grid over the views, or its last moment alone with `scope=end`."""
        times = super().clock(episode, fps)
        return times if self.scope == "prefixes" else times[-1:]

    def progress(self, episode: Episode, times: Floats) -> Curve:
        """Return the grades at `times`, as shares of the way from 1 to 5."""
        instruction = instruction_of(episode)
        prefixes = Prefixes.of(self, episode, times, self.most_frames)
        graded = times if self.scope == "prefixes" else times[-1:]
        answers = each(
            partial(self._graded, instruction, prefixes, time) for time in graded.tolist()
        )
        early: Judged[float] = Judged(None, "no_reference", "with scope=end only the end is graded")
        return answered(times, [early] * (len(times) - len(graded)) + answers)

    def _graded(self, instruction: str, prefixes: Prefixes, time: float) -> Judged[float]:
        values = {"instruction": instruction, "frames": prefixes.until(time)}
        return self.sampled(values, integer(1, 5), lambda grades: (mean(grades) - 1.0) / 4.0)
