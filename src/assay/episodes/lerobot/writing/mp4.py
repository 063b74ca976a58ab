"""Write one view of many episodes into mp4 files, frame by frame."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, cast

import av
import numpy as np
from av.video.reformatter import VideoReformatter

from assay.errors import EpisodeError, UsageError
from assay.records import Image

__all__ = ["CODECS", "Codec", "Encoder", "Mp4Files", "Stretch", "pixels_for"]

Codec = Literal["h264", "av1"]

# A keyframe every second frame, as LeRobot's own recordings have: any frame is cheap to reach. No
# frame looks ahead, so the first one is at time 0. A fixed number of threads keeps the bytes the
# same on machines with more cores, and so does "mbtree": with x264's tree of macroblocks, of little
# use over two frames, about one small file in 400 came out otherwise on a busy machine.
CODECS: dict[str, tuple[str, dict[str, str]]] = {
    "h264": (
        "libx264",
        {"crf": "20", "g": "2", "bf": "0", "preset": "medium", "threads": "2", "mbtree": "0"},
    ),
    "av1": ("libsvtav1", {"crf": "24", "g": "2", "preset": "10", "svtav1-params": "lp=2"}),
}


@dataclass(frozen=True, slots=True)
class Stretch:
    """Where an episode's frames are: the file by number, and its times there [s]."""

    file: int
    start_s: float
    end_s: float


def pixels_for(size: tuple[int, int]) -> str:
    """Return the pixel format for a height and width: half-resolution colour needs even sides."""
    return "yuv444p" if size[0] % 2 or size[1] % 2 else "yuv420p"


class Encoder:
    """One mp4 file that takes frames one by one.

    Attributes:
        frames: How many it has taken.
        bytes: How large they are, encoded.

    Args:
        path: The file; its folder is made if need be.
        rate: Frames a second.
        codec: FFmpeg's name of the encoder, and its options.
        size: Height and width of the frames.
    """

    def __init__(
        self,
        path: Path,
        rate: Fraction,
        codec: tuple[str, dict[str, str]],
        size: tuple[int, int],
    ) -> None:
        encoder, options = codec
        self._rate = rate
        self.frames = self.bytes = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        # The AV1 encoder greets every user on stderr, past all loggers, unless told: errors only.
        os.environ.setdefault("SVT_LOG", "1")
        # PyAV's stubs don't tell a stream of video from others when the encoder is a variable.
        self._container = cast("Any", av.open(str(path), "w", format="mp4"))
        self._stream = self._container.add_stream(encoder, rate=rate)
        self._stream.height, self._stream.width = size
        self._pixels = self._stream.pix_fmt = pixels_for(size)
        self._convert = VideoReformatter()  # kept: a new one for each frame takes twice as long
        self._stream.options = dict(options)

    def add(self, picture: Image, *, first: bool) -> None:
        """Encode one frame; the `first` of an episode does not lean on those before it."""
        given = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
        # Colour at half resolution is the mean of four pixels.
        frame = self._convert.reformat(given, format=self._pixels, interpolation="AREA")
        frame.pts = self.frames
        frame.time_base = 1 / self._rate
        if first:
            frame.pict_type = av.video.frame.PictureType.I
        self.frames += 1
        opens = self.frames == 1  # the first frame opens the encoder
        with _same_priority() if opens else nullcontext():
            packets = self._stream.encode(frame)
        self._mux(packets)

    def close(self) -> None:
        """Finish the file."""
        try:
            self._mux(self._stream.encode(None))
        finally:
            self._container.close()

    def _mux(self, packets: Iterable[Any]) -> None:
        for packet in packets:
            self.bytes += packet.size
            self._container.mux(packet)


@contextmanager
def _same_priority() -> Iterator[None]:
    """Leave the thread's priority as it was, and give it to the threads that are begun meanwhile.

    SVT-AV1 makes the thread that opens it and its own real-time ones wherever it may, as root:
    everything that is started later would inherit that, and starve all else on the machine.
    """
    if not hasattr(os, "sched_getscheduler"):
        yield
        return
    policy, priority = os.sched_getscheduler(0), os.sched_getparam(0)
    before = _threads()
    try:
        yield
    finally:
        if os.sched_getscheduler(0) != policy:
            for thread in {0} | _threads() - before:
                with suppress(ProcessLookupError):
                    os.sched_setscheduler(thread, policy, priority)


def _threads() -> set[int]:
    """Return this process's threads, as the scheduler names them."""
    tasks = Path("/proc/self/task")
    return {int(path.name) for path in tasks.iterdir()} if tasks.is_dir() else set()


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
        self._codec = CODECS[codec]
        self._limit = limit
        self._file = -1
        self._encoder: Encoder | None = None
        self._episodes = 0
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
                encoder = self._ready()
                start = encoder.frames
            encoder.add(frame, first=encoder.frames == start)
        if start is None:
            raise EpisodeError(f"{who} has no frames.")
        self._episodes += 1
        return Stretch(self._file, float(start / self._rate), float(encoder.frames / self._rate))

    def close(self) -> None:
        """Finish the current file."""
        if self._encoder is not None:
            encoder, self._encoder = self._encoder, None
            encoder.close()

    def _ready(self) -> Encoder:
        """Return the encoder of the current file, or of the next one when that is full."""
        if self._encoder is None or self._is_full(self._encoder):
            self.close()
            self._file += 1
            self._episodes = 0
            path = self._path_of(self._file)
            self._encoder = Encoder(path, self._rate, self._codec, self.size)
        return self._encoder

    def _is_full(self, encoder: Encoder) -> bool:
        """Tell whether one more episode of the usual size would pass the limit."""
        return encoder.bytes + encoder.bytes / max(self._episodes, 1) > self._limit

    def _check(self, frame: Image, who: str) -> None:
        if frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] != 3:
            raise UsageError(
                f"{who} gave a frame of type {frame.dtype} and shape {frame.shape}; uint8 of "
                "shape (H, W, 3) is needed."
            )
        size = (int(frame.shape[0]), int(frame.shape[1]))
        if self.size == (0, 0):
            self.pixels = pixels_for(size)
            if self.pixels == "yuv444p" and self._codec is not CODECS["h264"]:
                raise UsageError(
                    f"{who} has frames of {size[0]} x {size[1]}; av1 needs even sides."
                )
            self.size = size
        if size != self.size:
            raise UsageError(
                f"{who} has frames of {size[0]} x {size[1]}; the first episode has "
                f"{self.size[0]} x {self.size[1]}."
            )
