"""Frames whose times are kept elsewhere than with the pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assay.errors import EpisodeError, UsageError
from assay.records import Floats, Frames, Image

__all__ = ["RetimedFrames", "retimed"]

_SLACK_S = 1e-6  # a moment this little before a frame counts as that frame's


@dataclass(frozen=True, slots=True, eq=False)
class RetimedFrames:
    """The first frames of a video, each at a time that the dataset tells of it.

    Attributes:
        frames: The video. Its own clock only tells the order of its frames.
        times: When each frame was taken [s], of shape (N,), increasing.
    """

    frames: Frames
    times: Floats

    def key(self) -> str:
        """Return the video and the times in one text."""
        told = f"{len(self.times)} from {self.times[0]!r} to {self.times[-1]!r}"
        return f"{self.frames.key()}@{told}"

    def clock(self) -> Floats:
        """Return the time of every frame [s]."""
        return self.times

    def at(self, times: Floats) -> Iterator[Image]:
        """Yield the frame shown at each of the increasing `times`; the first or last holds."""
        wanted = np.asarray(times, np.float64)
        if np.isnan(wanted).any() or (np.diff(wanted) < 0).any():
            raise UsageError(f"{self.key()}: frames are read forward, so times must not decrease.")
        nth = np.searchsorted(self.times, wanted + _SLACK_S, side="right") - 1
        own = self.frames.clock()
        if len(own) < len(self.times):
            raise _unplaced(self.frames.key(), len(own), len(self.times))
        return self.frames.at(own[np.maximum(nth, 0)])


def retimed(frames: Frames, times: Floats, name: str, slack: int = 0) -> RetimedFrames:
    """Return `frames` at `times`, after a check that they are as many.

    Args:
        frames: The video.
        times: When each frame was taken [s], of shape (T,).
        name: The video, for the message.
        slack: By how many frames the two may differ; what is over is left out.
    """
    count = len(frames.clock())
    if not len(times) or abs(count - len(times)) > slack:
        raise _unplaced(name, count, len(times))
    kept = min(count, len(times))
    return RetimedFrames(frames, times[:kept])


def _unplaced(name: str, count: int, due: int) -> EpisodeError:
    return EpisodeError(
        f"{name} has {count} frames, but there are times for {due}; "
        "which frame was taken when is not known."
    )
