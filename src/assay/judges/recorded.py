"""The progress that came with the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.judges._curves import curve, unscored
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
    needs: ClassVar[frozenset[str]] = frozenset({"progress"})
    noise: ClassVar[None] = None

    def clock(self, episode: Episode) -> Floats | None:
        """Return the recorded moments themselves: a curve is not resampled unless asked."""
        series = episode.signals.get(self.signal)
        return None if series is None else series.times

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
