"""Decode chosen frames of a video file: forward once, never held."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from assay.episodes._containers import opened
from assay.episodes._packets import HOLD_S, Index, packets_from
from assay.errors import EpisodeError
from assay.records import Image

if TYPE_CHECKING:
    from av import VideoFrame
    from av.container import InputContainer
    from av.video.reformatter import VideoReformatter
    from av.video.stream import VideoStream

__all__ = ["Decoding", "converter", "picture"]

Positions = npt.NDArray[np.int64]

# Decoders that leave out a picture no other picture refers to, packet by packet, when told so.
# Measured on H.264 with B-frames: a third of the CPU time. dav1d obeys only when it is opened.
_SKIPPING = ("h264", "hevc")


@dataclass(frozen=True, slots=True)
class Decoding:
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


def converter() -> VideoReformatter:
    # One converter for all frames: making one for each costs more than the conversion.
    from av.video.reformatter import VideoReformatter

    return VideoReformatter()


def picture(convert: VideoReformatter, frame: VideoFrame, side: int | None = None) -> Image:
    """Return `frame` as RGB, upright when the file says the camera was turned.

    With a `side` [px] it is squeezed into a square, every pixel the mean of those it covers, and
    only what is left is made RGB: a third of the time of making it RGB first.
    """
    way = None if side is None else "AREA"
    # One thread: episodes are read in as many processes as there are cores.
    made = convert.reformat(frame, side, side, "rgb24", interpolation=way, threads=1)
    image = made.to_ndarray()
    if frame.rotation:
        image = np.rot90(image, round(frame.rotation / 90))
    # Rows of odd widths are padded, and a turned picture is a view: both are laid out anew.
    return np.ascontiguousarray(image, np.uint8)
