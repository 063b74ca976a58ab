"""Videos for a browser: which ones play as they are, and a small H.264 copy of those that don't."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from assay.episodes.video import VideoInfo
from assay.errors import RunError
from assay.records import Frames, Image

if TYPE_CHECKING:
    from av import VideoFrame
    from av.container import OutputContainer
    from av.video.stream import VideoStream

__all__ = ["playable", "write_h264"]

# What current browsers have in common: codecs by FFmpeg's container and the file's suffix.
_PLAYED = {
    ("mov", ".mp4"): {"h264", "av1", "vp9"},
    ("mov", ".m4v"): {"h264", "av1", "vp9"},
    ("mov", ".mov"): {"h264"},
    ("matroska", ".webm"): {"av1", "vp8", "vp9"},
}
_EIGHT_BIT = {"yuv420p", "yuvj420p"}

_TICK = Fraction(1, 90_000)  # of a written file, whatever the source has [s]
_KEY_EVERY_S = 1.0  # a browser seeks to keyframes
_MUXER = {"movflags": "+faststart", "fflags": "+bitexact"}
# Without B-frames decode and display times agree, so the length in the header is the true one.
_ENCODER = {"crf": "28", "preset": "veryfast", "forced-idr": "1", "bf": "0"}


def playable(info: VideoInfo, path: str) -> bool:
    """Tell whether browsers play the file `path`, described by `info`, as it is."""
    kind = info.container.split(",")[0]
    codecs = _PLAYED.get((kind, Path(path).suffix.lower()), set())
    return info.codec in codecs and info.pix_fmt in _EIGHT_BIT


def write_h264(frames: Frames, path_out: str | Path, max_side: int = 640) -> None:
    """Write a view as a small H.264 file that browsers play.

    Frames keep their times, counted from the start of the view. The same input gives the same
    bytes: one thread, no clock, no version of the muxer. The file appears under its name only
    when it is complete.

    Args:
        frames: The view's frames, whatever they are stored in.
        path_out: The MP4 file to write.
        max_side: Longest side of the written pictures [px]; smaller ones keep their size.

    Raises:
        EpisodeError: A frame can't be read.
        RunError: The file can't be written.
    """
    import av

    clock = frames.clock()
    # Until the first frame comes, a view shows that frame: so it starts at 0.
    ticks = [0, *(round(t / _TICK) for t in clock[1:].tolist())]
    target = Path(path_out)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with av.open(str(part), "w", format="mp4", options=_MUXER) as container:
            fps = max(round((len(clock) - 1) / clock[-1]), 1) if clock[-1] > 0 else 1
            _encode(container, zip(ticks, frames.at(clock), strict=True), fps, max_side)
        part.replace(target)
    except (av.FFmpegError, OSError) as error:
        raise RunError(f"{target} can't be written ({error.strerror}).") from error
    finally:
        part.unlink(missing_ok=True)


def _encode(
    container: OutputContainer, pictures: Iterator[tuple[int, Image]], fps: int, max_side: int
) -> None:
    """Code `pictures`, each with the time it is shown [ticks], into `container`."""
    first = next(pictures)
    stream = _stream(container, first[1], fps, max_side)
    for frame in _prepared(chain([first], pictures), stream):
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))


def _stream(container: OutputContainer, image: Image, fps: int, max_side: int) -> VideoStream:
    from av.codec.context import Flags

    stream = container.add_stream("libx264", rate=fps, options=_ENCODER)
    height, width = image.shape[:2]
    scale = min(1.0, max_side / max(height, width))
    stream.width, stream.height = _even(width * scale), _even(height * scale)
    stream.pix_fmt = "yuv420p"
    context = stream.codec_context
    context.time_base = _TICK
    context.thread_count = 1
    context.gop_size = 10 * fps  # keyframes are placed by time, this is only the longest wait
    context.flags |= Flags.bitexact
    return stream


def _prepared(pictures: Iterator[tuple[int, Image]], stream: VideoStream) -> Iterator[VideoFrame]:
    """Scale the pictures to the stream's size and mark a keyframe every `_KEY_EVERY_S`."""
    import av
    from av.video.frame import PictureType
    from av.video.reformatter import VideoReformatter

    convert = VideoReformatter()
    next_key = 0
    for tick, image in pictures:
        frame = convert.reformat(
            av.VideoFrame.from_ndarray(image, format="rgb24"),
            width=stream.width,
            height=stream.height,
            format="yuv420p",
            interpolation="AREA",
            threads=1,
        )
        frame.time_base, frame.pts = _TICK, tick
        frame.pict_type = PictureType.NONE
        if tick >= next_key:
            frame.pict_type = PictureType.I
            next_key = tick + round(_KEY_EVERY_S / _TICK)
        yield frame


def _even(side: float) -> int:
    """Return the even number nearest to `side`, at least 2: chroma comes in pairs of pixels."""
    return max(2 * round(side / 2), 2)
