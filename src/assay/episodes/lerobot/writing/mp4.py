"""Write one view of many episodes into mp4 files, frame by frame."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import av
import numpy as np

from assay.errors import EpisodeError, UsageError
from assay.records import Image

__all__ = ["CODECS", "Codec", "Mp4Files", "Stretch"]

Codec = Literal["h264", "av1"]

# A keyframe every second frame, as LeRobot's own recordings have: any frame is cheap to reach. No
# frame looks ahead, so the first one is at time 0. A fixed number of threads keeps the bytes the
# same on machines with more cores.
CODECS: dict[str, tuple[str, dict[str, str]]] = {
    "h264": ("libx264", {"crf": "18", "g": "2", "bf": "0", "preset": "medium", "threads": "2"}),
    "av1": ("libsvtav1", {"crf": "24", "g": "2", "preset": "10", "svtav1-params": "lp=2"}),
}


@dataclass(frozen=True, slots=True)
class Stretch:
    """Where an episode's frames are: the file by number, and its times there [s]."""

    file: int
    start_s: float
    end_s: float


class Mp4Files:
    """The mp4 files of one view. A file takes episodes until `limit` bytes would be passed.

    Attributes:
        size: Height and width of the frames; (0, 0) before the first.
        pixels: The pixel format of the files.

    Args:
        path_of: Returns the path of a file by its number.
        rate: Frames a second.
        codec: "h264" or "av1".
        limit: Size of a file [bytes].
    """

    def __init__(
        self, path_of: Callable[[int], Path], rate: Fraction, codec: Codec, limit: int
    ) -> None:
        self._path_of = path_of
        self._rate = rate
        self._encoder, self._options = CODECS[codec]
        self._limit = limit
        self._file = -1
        self._container: Any = None  # av.container.OutputContainer; its stubs lack bare streams
        self._frames = self._bytes = self._episodes = 0
        self.size = (0, 0)
        self.pixels = ""

    def write(self, frames: Iterable[Image], who: str) -> Stretch:
        """Encode the frames of one episode and return where they are.

        When `frames` raises half way, the frames already encoded stay in the file and no episode
        refers to them; the next episode starts behind them.
        """
        start: int | None = None
        for frame in frames:
            self._check(frame, who)
            if start is None:
                if self._container is None or self._is_full():
                    self._next_file()
                start = self._frames
            self._encode(frame, first=self._frames == start)
        if start is None:
            raise EpisodeError(f"{who} has no frames.")
        self._episodes += 1
        return Stretch(self._file, float(start / self._rate), float(self._frames / self._rate))

    def close(self) -> None:
        """Finish the current file."""
        if self._container is not None:
            self._mux(self._stream.encode(None))
            self._container.close()
            self._container = None

    def _is_full(self) -> bool:
        """Tell whether one more episode of the usual size would pass the limit."""
        return self._bytes + self._bytes / max(self._episodes, 1) > self._limit

    def _check(self, frame: Image, who: str) -> None:
        if frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] != 3:
            raise UsageError(
                f"{who} gave a frame of type {frame.dtype} and shape {frame.shape}; uint8 of "
                "shape (H, W, 3) is needed."
            )
        size = (int(frame.shape[0]), int(frame.shape[1]))
        if self.size == (0, 0):
            # Half-resolution colour needs even sides; only H.264 is written without it.
            self.pixels = "yuv444p" if size[0] % 2 or size[1] % 2 else "yuv420p"
            if self.pixels == "yuv444p" and self._encoder != "libx264":
                raise UsageError(
                    f"{who} has frames of {size[0]} x {size[1]}; av1 needs even sides."
                )
            self.size = size
        if size != self.size:
            raise UsageError(
                f"{who} has frames of {size[0]} x {size[1]}; the first episode has "
                f"{self.size[0]} x {self.size[1]}."
            )

    def _next_file(self) -> None:
        self.close()
        self._file += 1
        self._frames = self._bytes = self._episodes = 0
        path: Path = self._path_of(self._file)
        path.parent.mkdir(parents=True, exist_ok=True)
        # The AV1 encoder greets every user on stderr, past all loggers, unless told: errors only.
        os.environ.setdefault("SVT_LOG", "1")
        self._container = av.open(str(path), "w", format="mp4")
        self._stream = self._container.add_stream(self._encoder, rate=self._rate)
        self._stream.height, self._stream.width = self.size
        self._stream.pix_fmt = self.pixels
        self._stream.options = dict(self._options)

    def _encode(self, picture: Image, *, first: bool) -> None:
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
        frame.pts = self._frames
        frame.time_base = 1 / self._rate
        if first:  # an episode must not lean on the one before it
            frame.pict_type = av.video.frame.PictureType.I
        self._frames += 1
        self._mux(self._stream.encode(frame))

    def _mux(self, packets: Iterable[Any]) -> None:
        for packet in packets:
            self._bytes += packet.size
            self._container.mux(packet)
