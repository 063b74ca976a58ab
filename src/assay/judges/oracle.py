"""The truth of a world, or the subgoals that people marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.judges._curves import curve, unscored
from assay.judges.base import Bound
from assay.records import Curve, Episode, Floats

__all__ = ["Oracle"]


@dataclass(frozen=True)
class Oracle:
    """Read the exact progress of a simulated world, or count finished subtasks.

    A world's episode carries its potential Phi* as the signal `progress`. Any other episode with
    K subtasks has the progress k/K when the first k of them have ended.
    """

    bound: ClassVar[Bound] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset({"progress", "segments"})
    noise: ClassVar[float] = 0.0

    def clock(self, episode: Episode) -> Floats | None:
        """Return the world's own clock; subtasks have none."""
        exact = episode.signals.get("progress") if episode.world else None
        return None if exact is None else exact.times

    def progress(self, episode: Episode, times: Floats) -> Curve:
        """Return the exact progress at `times`."""
        if episode.world and "progress" in episode.signals:
            return curve(times, np.asarray(episode.at("progress", times), dtype=np.float64))
        ends = np.sort([s.end_s for s in episode.segments if s.kind == "subtask"])
        if not len(ends):
            return unscored(
                times,
                "no_reference",
                "the episode comes from no world and has no subtasks: the oracle knows no truth",
            )
        return curve(times, np.searchsorted(ends, times, side="right") / len(ends))
