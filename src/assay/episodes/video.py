"""Frames of a video file by time: decoded forward once, never held.

Times and where they start:

- A file has its own timeline, the display time of a frame in ticks times the length of a tick.
  `start_s` and `end_s` are on it, because that is where LeRobot puts the episodes that share a
  file.
- `start_s` = 0 means the first frame of the file, even when the file starts its timeline late
  (a transport stream) or early (a clip cut without coding it again).
- Times handed out and asked for are relative to that start. A frame belongs to the range if it is
  shown in [start_s, end_s); 1 ms of rounding is forgiven at both ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from assay.episodes._containers import opened
from assay.episodes._decoding import Decoding, converter, picture
from assay.episodes._packets import TOLERANCE_S, Index, index
from assay.errors import EpisodeError, UsageError
from assay.records import Floats, Image

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.video.stream import VideoStream

__all__ = ["VideoFrames", "VideoInfo", "probe"]

_KEPT = 64  # indexes; a minute of video takes 15 kB


@dataclass(frozen=True, slots=True)
class VideoFrames:
    """The frames of a video file, or of a range of it. Opens lazily.

    Attributes:
        path: The file.
        start_s: Start of the range on the file's timeline [s]; 0 is the first frame.
        end_s: End of the range on the file's timeline [s], exclusive; None is the file's end.
        side: Frames come squeezed into a square of this side [px]; None leaves them as they are.
    """

    path: str
    start_s: float = 0.0
    end_s: float | None = None
    side: int | None = None

    def key(self) -> str:
        """Return the file, the range and the size in one text."""
        size = "" if self.side is None else f"@{self.side}"
        end = "" if self.end_s is None else repr(self.end_s)
        return f"{self.path}[{self.start_s!r}:{end}]{size}"

    def clock(self) -> Floats:
        """Return when each frame is shown [s], of shape (N,), without decoding any.

        Frames that a cut file promises in its header count too: an episode is as long as it was,
        and `at` says what is missing.
        """
        kept = self._kept()
        if kept:
            return self._clock(kept[0])
        with opened(self.path) as (container, stream):
            return self._clock(self._indexed(container, stream))

    def at(self, times: Floats) -> Iterator[Image]:
        """Yield the frame shown at each of the increasing `times` [s], uint8 RGB (H, W, 3).

        That is the last frame shown at or before the time, or the first frame of the range. Files
        are decoded forward, with a seek only where it saves decoding. A frame wanted twice is
        decoded once. Every array is the caller's own.
        """
        wanted = np.asarray(times, np.float64)
        if np.isnan(wanted).any() or (np.diff(wanted) < 0).any():
            raise UsageError(f"{self.path}: frames are read forward, so times must not decrease.")
        return self._at(wanted) if len(wanted) else iter(())

    def _at(self, times: Floats) -> Iterator[Image]:
        with opened(self.path) as (container, stream):
            where = self._indexed(container, stream)
            clock = self._clock(where)
            nth = np.searchsorted(clock, times + TOLERANCE_S, side="right") - 1
            positions, repeats = np.unique(np.maximum(nth, 0), return_counts=True)
            decoded = Decoding(self.path, where, positions + self._span(where)[0])
            convert = converter()
            for frame, count in zip(decoded.frames(container, stream), repeats, strict=True):
                image = picture(convert, frame, self.side)
                for _ in range(count - 1):
                    yield image.copy()
                yield image

    def _kept(self) -> list[Index]:
        """Return the place of this range's index among those made last; it may be empty."""
        try:
            now = Path(self.path).stat()
        except OSError:  # worded where the file is opened
            return []
        return _place(self.path, self.start_s, self.end_s, now.st_mtime_ns, now.st_size)

    def _indexed(self, container: InputContainer, stream: VideoStream) -> Index:
        """Return the index of the range, made once as long as it is kept."""
        kept = self._kept()
        if not kept:
            where = index(container, stream, self.start_s, self.end_s)
            first, last = self._span(where)
            if first >= last:
                end = "its end" if self.end_s is None else f"{self.end_s:g} s"
                raise EpisodeError(f"{self.path} has no frame from {self.start_s:g} s to {end}.")
            kept.append(where)
        return kept[0]

    def _span(self, where: Index) -> tuple[int, int]:
        """Return the first position in the range and the one after its last."""
        first, last = 0, len(where.pts)
        shown = where.pts * where.tick + TOLERANCE_S
        if self.start_s > 0:
            first = int(np.searchsorted(shown, self.start_s))
        if self.end_s is not None:
            last = int(np.searchsorted(shown, self.end_s))
        return first, last

    def _clock(self, where: Index) -> Floats:
        first, last = self._span(where)
        shown = where.pts[first:last] * where.tick
        times: Floats = np.maximum(shown - (self.start_s or shown[0]), 0.0)
        return times


@lru_cache(maxsize=_KEPT)
def _place(path: str, start_s: float, end_s: float | None, mtime: int, size: int) -> list[Index]:  # noqa: ARG001 - the key
    """Return the place of one index, the same for the same arguments.

    Whoever holds thousands of views doesn't hold their indexes; a changed file gets a new one.
    """
    return []


@dataclass(frozen=True, slots=True)
class VideoInfo:
    """What a video file is, told by its header.

    Attributes:
        codec: FFmpeg's name of the coding, such as "h264", "av1" or "mpeg4".
        pix_fmt: FFmpeg's name of the pixel format, such as "yuv420p".
        width: Stored width [px], before any rotation.
        height: Stored height [px], before any rotation.
        fps: Mean frames per second; 0 when unknown.
        duration_s: Time from the start to the end of the last frame [s]; 0 when unknown.
        container: FFmpeg's name of the container, such as "mov,mp4,m4a,3gp,3g2,mj2".
    """

    codec: str
    pix_fmt: str
    width: int
    height: int
    fps: float
    duration_s: float
    container: str


def probe(path: str) -> VideoInfo:
    """Return what the header of the file `path` says."""
    with opened(path) as (container, stream):
        if stream.duration is not None:
            duration = float(stream.duration * (stream.time_base or 0))
        else:
            duration = (container.duration or 0) / 1e6
        return VideoInfo(
            codec=stream.codec.canonical_name,
            pix_fmt=stream.pix_fmt or "",
            width=stream.width,
            height=stream.height,
            fps=float(stream.average_rate or stream.guessed_rate or 0),
            duration_s=duration,
            container=container.format.name,
        )
