"""The progress that came with the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.judges._curves import clock_of, curve, unscored
from assay.judges.base import Bound
from assay.records import Curve, Episode, Floats

__all__ = ["Recorded"]


@dataclass(frozen=True)
class Recorded:
    """Take the progress that was recorded with the episode.

    Attributes:
        signal: The signal that holds it.
        clip: Whether numbers outside 0..1 are clipped instead of refused.
    """

    signal: str = "progress"
    clip: bool = False

    bound: ClassVar[Bound] = "cpu"
    noise: ClassVar[None] = None

    @property
    def needs(self) -> frozenset[str]:
        """Return the signal that holds the progress."""
        return frozenset({self.signal})

    def clock(self, episode: Episode, fps: float | None) -> Floats:
        """Return the recorded moments themselves, or the grid when a rate is asked for."""
        return clock_of(episode, self.signal, fps)

    def progress(self, episode: Episode, times: Floats) -> Curve:
        """Return the recorded progress, the last known value at each of `times`."""
        if self.signal not in episode.signals:
            known = ", ".join(sorted(episode.signals)) or "none"
            return unscored(
                times,
                "no_reference",
                f"the episode has no recorded {self.signal!r} (its signals: {known})",
            )
        raw = np.asarray(episode.at(self.signal, times), dtype=np.float64)
        return curve(times, np.clip(raw, 0.0, 1.0) if self.clip else raw)
