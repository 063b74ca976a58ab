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
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from assay.episodes._packets import HOLD_S, TOLERANCE_S, Index, index, opened, packets_from, scan
from assay.errors import EpisodeError, UsageError
from assay.records import Floats, Image

if TYPE_CHECKING:
    from av import VideoFrame
    from av.container import InputContainer
    from av.video.reformatter import VideoReformatter
    from av.video.stream import VideoStream

__all__ = ["VideoFrames", "VideoInfo", "probe"]

Positions = npt.NDArray[np.int64]

# Decoders that leave out a picture no other picture refers to, packet by packet, when told so.
# Measured on H.264 with B-frames: a third of the CPU time. dav1d obeys only when it is opened.
_SKIPPING = ("h264", "hevc")


@dataclass(frozen=True)
class VideoFrames:
    """The frames of a video file, or of a range of it. Opens lazily; pickles as its arguments.

    Attributes:
        path: The file.
        start_s: Start of the range on the file's timeline [s]; 0 is the first frame.
        end_s: End of the range on the file's timeline [s], exclusive; None is the file's end.
    """

    path: str
    start_s: float = 0.0
    end_s: float | None = None
    _cache: list[Index] = field(default_factory=list, init=False, repr=False, compare=False)

    def __reduce__(self) -> tuple[type[VideoFrames], tuple[str, float, float | None]]:
        return type(self), (self.path, self.start_s, self.end_s)

    def clock(self) -> Floats:
        """Return when each frame is shown [s], of shape (N,), without decoding any.

        Frames that a cut file promises in its header count too: an episode is as long as it was,
        and `at` says what is missing.
        """
        if not self._cache:
            with opened(self.path) as (container, stream):
                self._indexed(container, stream)
        return self._clock(self._cache[0])

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
            decoded = _Decoding(self.path, where, positions + self._span(where)[0])
            convert = _converter()
            for frame, count in zip(decoded.frames(container, stream), repeats, strict=True):
                image = _picture(convert, frame)
                for _ in range(count - 1):
                    yield image.copy()
                yield image

    def _indexed(self, container: InputContainer, stream: VideoStream) -> Index:
        """Return the index of the range, made once."""
        if not self._cache:
            where = index(container, stream, self.start_s, self.end_s)
            first, last = self._span(where)
            if first >= last:
                end = "its end" if self.end_s is None else f"{self.end_s:g} s"
                raise EpisodeError(f"{self.path} has no frame from {self.start_s:g} s to {end}.")
            self._cache.append(where)
        return self._cache[0]

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


@dataclass(frozen=True, slots=True)
class _Decoding:
    """A walk through a file: `positions` in `where`, of shape (M,), increasing."""

    path: str
    where: Index
    positions: Positions

    def frames(self, container: InputContainer, stream: VideoStream) -> Iterator[VideoFrame]:
        """Yield the frame at each position."""
        if self.where.whole == 0:
            raise self._missing(int(self.where.pts[0]))
        if self.where.counted:
            yield from self._count()
            return
        hold_s = 0.0 if stream.codec_context.name in _SKIPPING else HOLD_S
        for key, run in self._runs():
            yield from self._match(self._fed(container, stream, key, run), run, hold_s)

    def _runs(self) -> Iterator[tuple[int, Positions]]:
        """Yield stretches to decode without a seek, each with the number of its first keyframe.

        A seek is worth it when the next wanted frame lies beyond the next keyframe.
        """
        keys = np.searchsorted(self.where.keys, self.positions, side="right") - 1
        jumps = self.where.keys[keys[1:]] > self.positions[:-1] + 1
        starts = [0, *(np.flatnonzero(jumps) + 1).tolist(), len(self.positions)]
        for start, stop in pairwise(starts):
            yield int(keys[start]), self.positions[start:stop]

    def _fed(
        self, container: InputContainer, stream: VideoStream, key: int, run: Positions
    ) -> Iterator[VideoFrame]:
        """Feed the packets from keyframe `key` up to the last one of `run`; yield what comes out.

        Packets come in decoding order, so the frames of `run` are complete with the last of
        their packets, and draining the decoder brings out those it still holds.
        """
        import av

        context, where = stream.codec_context, self.where
        start, awaited = int(where.key_pts[key]), set(where.pts[run].tolist())
        # An MP4 file looks up decode times, other containers display times.
        guess = int(where.key_dts[key]) if container.format.name.startswith("mov") else start
        skipping, begun, fault = context.name in _SKIPPING, False, ""
        for packet in packets_from(container, stream, start, guess):
            begun = begun or packet.pts == start
            if not begun or packet.size == 0:
                continue
            if packet.is_corrupt:
                break
            if skipping:
                context.skip_frame = "DEFAULT" if packet.pts in awaited else "NONREF"
            try:
                yield from packet.decode()
            except av.FFmpegError as error:
                fault = f"{error.strerror}"
                break
            awaited.discard(packet.pts)
            if not awaited:
                break
        yield from stream.decode(None)
        if awaited:
            raise self._missing(min(awaited), fault)

    def _match(
        self, frames: Iterator[VideoFrame], run: Positions, hold_s: float
    ) -> Iterator[VideoFrame]:
        """Pick the frames of `run` out of `frames`, which come in the order they are shown.

        A packet may hold no picture of its own (hidden frames of VP8): then the frame before it
        is still on show, for at most `hold_s`.
        """
        timed = ((frame.pts, frame) for frame in frames if frame.pts is not None)
        shown = ahead = None
        for target in self.where.pts[run].tolist():
            while shown is None or shown[0] != target:
                ahead = next(timed, None) if ahead is None else ahead
                if ahead is None or ahead[0] > target:
                    break
                shown, ahead = ahead, None
            if shown is None or (target - shown[0]) * self.where.tick > hold_s:
                raise self._missing(target)
            yield self._undamaged(shown[1], target)

    def _undamaged(self, frame: VideoFrame, target: int) -> VideoFrame:
        if frame.is_corrupt:
            raise self._missing(target, "damaged data")
        return frame

    def _count(self) -> Iterator[VideoFrame]:
        """Yield frames by their number, from a file that tells no display times."""
        targets = [p for p in self.positions.tolist() if p < self.where.whole]
        with opened(self.path) as (container, stream):
            frames = enumerate(container.decode(stream))
            for target in targets:
                frame = next((frame for number, frame in frames if number == target), None)
                if frame is None:
                    raise self._missing(int(self.where.pts[target]))
                yield self._undamaged(frame, int(self.where.pts[target]))
        if len(targets) < len(self.positions):
            raise self._missing(int(self.where.pts[-1]))

    def _missing(self, target: int, fault: str = "") -> EpisodeError:
        """Word that the frame shown at `target` [ticks] can't be had."""
        where = self.where
        if where.whole < len(where.pts) and target >= where.pts[where.whole]:
            return EpisodeError(
                f"{self.path} ends early: {where.whole} of {len(where.pts)} frames could be "
                "decoded."
            )
        reason = f" ({fault})" if fault else ""
        return EpisodeError(
            f"{self.path}: the frame at {target * where.tick:.3f} s can't be decoded{reason}."
        )


def _converter() -> VideoReformatter:
    # One converter for all frames: making one for each costs more than the conversion.
    from av.video.reformatter import VideoReformatter

    return VideoReformatter()


def _picture(convert: VideoReformatter, frame: VideoFrame) -> Image:
    """Return `frame` as RGB, upright when the file says the camera was turned."""
    image = convert.reformat(frame, format="rgb24", threads=1).to_ndarray()
    if frame.rotation:
        image = np.rot90(image, round(frame.rotation / 90))
    # Rows of odd widths are padded, and a turned picture is a view: both are laid out anew.
    return np.ascontiguousarray(image, np.uint8)


@dataclass(frozen=True, slots=True)
class VideoInfo:
    """What a video file is, told without decoding it.

    Attributes:
        codec: FFmpeg's name of the coding, such as "h264", "av1" or "mpeg4".
        pix_fmt: FFmpeg's name of the pixel format, such as "yuv420p".
        width: Stored width [px], before any rotation.
        height: Stored height [px], before any rotation.
        fps: Mean frames per second; 0 when unknown.
        frames: Number of frames, by the header of an MP4 file, else counted.
        duration_s: Time from the start to the end of the last frame [s].
        keyframes: Number of frames that decode on their own.
        container: FFmpeg's name of the container, such as "mov,mp4,m4a,3gp,3g2,mj2".
    """

    codec: str
    pix_fmt: str
    width: int
    height: int
    fps: float
    frames: int
    duration_s: float
    keyframes: int
    container: str


def probe(path: str) -> VideoInfo:
    """Return what the file `path` is."""
    with opened(path) as (container, stream):
        entries = stream.index_entries
        if 0 < stream.frames == len(entries):
            keys = [e.is_keyframe for e in entries if not e.is_discard]
        else:
            keys = [key for _, _, key, hidden in scan(container.demux(stream)) if not hidden]
        fps = float(stream.average_rate or stream.guessed_rate or 0)
        if stream.duration is not None:
            duration = float(stream.duration * (stream.time_base or 0))
        else:
            duration = (container.duration or 0) / 1e6
        return VideoInfo(
            codec=stream.codec.canonical_name,
            pix_fmt=stream.pix_fmt or "",
            width=stream.width,
            height=stream.height,
            fps=fps,
            frames=len(keys),
            duration_s=duration or (len(keys) / fps if fps else 0.0),
            keyframes=max(sum(keys), min(len(keys), 1)),
            container=container.format.name,
        )
