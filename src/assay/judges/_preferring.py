"""Let any judge of progress say which of two episodes went better."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.errors import EpisodeError
from assay.judges.base import Bound, ProgressJudge
from assay.metrics.tails import last_part
from assay.records import Curve, Episode, Judged, worst_status

__all__ = ["Preferring", "check_same_task"]

_ERRORS = 2.0  # standard errors: what two looks at the same scene differ by in 19 of 20 cases


@dataclass(frozen=True)
class Preferring:
    """Prefer the episode that ends with more progress, by any judge of progress.

    An episode's end is the mean over the last 30 % of its moments, as `metrics.tails.last_part`
    tells it. Ends that are closer than what the judge's own noise can make are a tie.

    Attributes:
        judge: Who tells the progress.
        fps: Moments a second; None leaves them to the judge.
        margin: How far apart two ends must be; None takes 2 sqrt(2) times the judge's noise, and 0
            where the noise was never measured.
    """

    judge: ProgressJudge
    fps: float | None = None
    margin: float | None = None

    @property
    def bound(self) -> Bound:
        """Return where the judge works."""
        return self.judge.bound

    @property
    def needs(self) -> frozenset[str]:
        """Return what the judge needs."""
        return self.judge.needs

    @property
    def noise(self) -> float | None:
        """Return the judge's noise."""
        return self.judge.noise

    def prefer(self, a: Episode, b: Episode) -> Judged[tuple[int, str]]:
        """Return +1 when `a` ends with more progress, -1 when `b` does, else 0, and the ends."""
        check_same_task(a, b)
        ends = []
        for episode in (a, b):
            curve = self._curve(episode)
            if (status := worst_status(curve.status)) != "ok":
                return Judged(None, status, f"{episode.id}: {curve.detail}")
            ends.append(last_part(curve.values))
        gap = ends[0] - ends[1]
        better = 0 if abs(gap) <= self._margin() else int(math.copysign(1, gap))
        word = {1: "above", -1: "below", 0: "no different from"}[better]
        reason = f"the end of {a.id} ({ends[0]:.2f}) is {word} that of {b.id} ({ends[1]:.2f})"
        return Judged((better, reason))

    def _curve(self, episode: Episode) -> Curve:
        return self.judge.progress(episode, self.judge.clock(episode, self.fps))

    def _margin(self) -> float:
        if self.margin is not None:
            return self.margin
        return _ERRORS * math.sqrt(2.0) * (self.judge.noise or 0.0)


def check_same_task(a: Episode, b: Episode) -> None:
    """Raise `EpisodeError` unless both episodes are attempts at the same task."""
    if a.task != b.task:
        raise EpisodeError(
            f"{a.id} is an attempt at {a.task!r} and {b.id} one at {b.task!r}:"
            " only attempts at the same task can be compared.",
            "no_reference",
        )
