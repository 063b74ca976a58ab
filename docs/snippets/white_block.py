"""A judge as a class: options, a noise level, and an episode that it can't judge."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.episodes import sampling
from assay.errors import EpisodeError
from assay.judges.base import Bound
from assay.records import Curve, Episode, Floats

__all__ = ["WhiteBlock"]


@dataclass(frozen=True)
class WhiteBlock:
    """Say how far to the right the white block is.

    Attributes:
        threshold: The grey level from which a column counts as white.
    """

    threshold: float = 60.0

    bound: ClassVar[Bound] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset({"frames"})
    noise: ClassVar[float] = 0.004  # measured on a clip in which nothing moves

    def clock(self, episode: Episode, fps: float | None) -> Floats:
        """Return the moments to judge: any will do, so 5 a second unless asked otherwise."""
        return sampling.grid(episode.duration(), fps or 5.0)

    def progress(self, episode: Episode, times: Floats) -> Curve:
        """Return the place of the block, as a share of the way it can go."""
        if not episode.views:
            raise EpisodeError(f"{episode.id} has no view to look at", "missing_frame")
        view = next(iter(episode.views.values()))
        values = np.array([self._place(frame) for frame in view.frames.at(times)])
        status = np.where(np.isnan(values), "invalid_value", "ok")
        return Curve(times, values, status)

    def _place(self, frame: np.ndarray) -> float:
        white = np.flatnonzero(frame.mean(axis=(0, 2)) > self.threshold)
        return white[0] / (frame.shape[1] - len(white)) if len(white) else np.nan
