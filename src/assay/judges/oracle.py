"""The truth of a world, or the subtasks that people marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.judges._curves import clock_of, curve, unscored
from assay.judges.base import Bound
from assay.records import Curve, Episode, Floats

__all__ = ["Oracle"]

_ROUNDING_S = 1e-3


@dataclass(frozen=True)
class Oracle:
    """Read the exact progress of a simulated world, or count finished subtasks.

    A world's episode carries its potential Phi* as the signal `progress`. Any other episode has
    the progress k/K when k of the task's K subtasks have ended. Which subtasks a task has is told
    by all its episodes together: one that broke off early has not done all there was to do.

    Attributes:
        subtasks: K, where the episodes at hand don't show them all; 0 counts what they show.
    """

    subtasks: int = 0

    bound: ClassVar[Bound] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset({"progress", "segments"})
    # A world trembles a little where nothing moves: pooled over the still stretches of the demo's
    # 144 attempts, sigma was 0.00018. Marked subtasks have none, and their steps are far larger.
    noise: ClassVar[float] = 0.0002

    def clock(self, episode: Episode, fps: float | None) -> Floats:
        """Return the world's own moments; subtasks have none, so they get the grid."""
        return clock_of(episode, "progress" if episode.world else "", fps)

    def progress(self, episode: Episode, times: Floats) -> Curve:
        """Return the exact progress at `times`."""
        if episode.world and "progress" in episode.signals:
            return curve(times, np.asarray(episode.at("progress", times), dtype=np.float64))
        ends: dict[str, float] = {}
        for segment in sorted(episode.segments, key=lambda s: s.end_s):
            if segment.kind == "subtask":
                ends.setdefault(segment.name, segment.end_s)
        total = max(self.subtasks, len({*episode.plan, *ends}))
        if not total:
            return unscored(
                times,
                "no_reference",
                "the episode comes from no world and its task has no subtasks:"
                " the oracle knows no truth",
            )
        done = np.searchsorted(np.array(list(ends.values())), times + _ROUNDING_S, side="right")
        return curve(times, done / total)
