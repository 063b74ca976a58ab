"""Frames stored picture by picture: as PNG or JPEG bytes, or as arrays.

A format says only where its pictures are (`Pictures`); times, order and decoding are the same for
all. PyAV decodes: it is there anyway, and one decoder kept for all pictures of a view is about
six times as fast as pillow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np

from assay.episodes._decoding import converter, picture
from assay.errors import EpisodeError, UsageError
from assay.records import Floats, Image

if TYPE_CHECKING:
    from av.video.codeccontext import VideoCodecContext
    from av.video.reformatter import VideoReformatter

__all__ = ["EncodedFrames", "Pictures", "decode"]

_SLACK_S = 1e-6  # a moment this little before a frame counts as that frame's
_MOST_PIXELS = 64_000_000  # of one picture; a forged header can ask for gigabytes
_STARTS = {b"\x89PNG": "png", b"\xff\xd8": "mjpeg"}


class Pictures(Protocol):
    """Where the pictures of a view are stored. Must be picklable and hold none of them."""

    def key(self) -> str:
        """Return what tells these pictures from all others: the same text in every process."""
        ...

    def read(self, numbers: Sequence[int]) -> Iterator[bytes | Image]:
        """Yield the pictures of these increasing numbers, counted from 0.

        Each is PNG or JPEG bytes, or uint8 RGB of shape (H, W, 3). A picture that is not there
        raises `EpisodeError`.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class EncodedFrames:
    """The frames of a view whose pictures are stored one by one. Opens lazily.

    Attributes:
        pictures: Where the pictures are.
        times: When each of them is shown [s], of shape (N,), increasing.
    """

    pictures: Pictures
    times: Floats

    def key(self) -> str:
        """Return what tells the pictures from all others."""
        return self.pictures.key()

    def clock(self) -> Floats:
        """Return the time of every picture [s]."""
        return self.times

    def at(self, times: Floats) -> Iterator[Image]:
        """Yield the picture shown at each of the increasing `times`; the first or last holds.

        A picture wanted twice is read and decoded once. Every array is the caller's own.
        """
        wanted = np.asarray(times, np.float64)
        if np.isnan(wanted).any() or (np.diff(wanted) < 0).any():
            raise UsageError(f"{self.key()}: frames are read forward, so times must not decrease.")
        if len(wanted) and not len(self.times):
            raise EpisodeError(f"{self.key()} has no frames.")
        return self._at(wanted)

    def _at(self, wanted: Floats) -> Iterator[Image]:
        nth = np.searchsorted(self.times, wanted + _SLACK_S, side="right") - 1
        numbers, repeats = np.unique(np.maximum(nth, 0), return_counts=True)
        decoder = _Decoder()
        found = self.pictures.read(numbers.tolist())
        for number, count, stored in zip(numbers.tolist(), repeats.tolist(), found, strict=True):
            image = (
                decoder.decode(stored, f"{self.key()}, picture {number}")
                if isinstance(stored, bytes)
                else stored
            )
            for _ in range(count - 1):
                yield image.copy()
            yield image


def decode(blob: bytes, where: str) -> Image:
    """Decode PNG or JPEG bytes to uint8 RGB of shape (H, W, 3); `where` begins every message."""
    return _Decoder().decode(blob, where)


class _Decoder:
    """Decodes pictures one after the other; what FFmpeg needs for it is made once."""

    def __init__(self) -> None:
        self._contexts: dict[str, VideoCodecContext] = {}
        self._converter: VideoReformatter | None = None

    def decode(self, blob: bytes, where: str) -> Image:
        import av

        codec = next((name for start, name in _STARTS.items() if blob.startswith(start)), None)
        if codec is None:
            raise EpisodeError(f"{where}: the bytes are neither PNG nor JPEG.")
        # FFmpeg paints what is missing of a cut JPEG grey. A whole one has its end mark after its
        # last scan, and the data of a scan can hold neither mark.
        if codec == "mjpeg" and blob.rfind(b"\xff\xd9") < blob.rfind(b"\xff\xda"):
            raise EpisodeError(f"{where}: the picture is cut off.")
        try:
            packet = av.Packet(blob)
            packet.is_keyframe = True  # else a PNG is taken for a change of the one before
            frames = self._context(codec).decode(packet)
            if not frames:
                raise EpisodeError(f"{where}: the picture can't be decoded.")
            self._converter = self._converter or converter()
            return picture(self._converter, frames[0])
        except (av.FFmpegError, ValueError) as error:
            self._contexts.clear()  # one that has failed may hold pieces of the bad picture
            words = f"{where}: the picture can't be decoded ({error})."
            raise EpisodeError(words) from error

    def _context(self, codec: str) -> VideoCodecContext:
        import av

        if codec not in self._contexts:
            context = cast("VideoCodecContext", av.CodecContext.create(codec, "r"))
            context.thread_count = 1  # a second thread would hold a picture back
            context.options = {"max_pixels": str(_MOST_PIXELS)}
            self._contexts[codec] = context
        return self._contexts[codec]
