"""Open a video file. Every fault becomes an `EpisodeError` whose sentence names the file."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assay.episodes.faults import shown
from assay.errors import EpisodeError

if TYPE_CHECKING:
    from av import FFmpegError
    from av.container import InputContainer
    from av.video.stream import VideoStream

__all__ = ["opened", "opened_bytes"]

_HEAD = 12  # bytes that tell an MP4 file

# Playlists and text "videos" are left out: they would open other files, or show prose as pixels.
_FORMATS = (
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,m4v,h264,hevc,ivf,obu,flv,"
    "ogg,asf,mxf,nut,gif,apng,mjpeg,yuv4mpegpipe"
)


@contextmanager
def opened(path: str) -> Iterator[tuple[InputContainer, VideoStream]]:
    """Open `path` and give its container and its first moving picture.

    Decoding runs in one thread: it costs the least CPU time, and work is spread over episodes.
    """
    _check_file(Path(path))
    # The absolute path can't be mistaken for a protocol, as "concat:a|b" would be.
    with _opened(str(Path(path).absolute()), path, lambda: _start(Path(path))) as found:
        yield found


@contextmanager
def opened_bytes(data: bytes, name: str) -> Iterator[tuple[InputContainer, VideoStream]]:
    """Open a video that is kept inside another file; `name` stands for it in messages."""
    if not data:
        raise EpisodeError(f"{name} is empty (0 bytes).")
    with _opened(io.BytesIO(data), name, lambda: data[:_HEAD]) as found:
        yield found


@contextmanager
def _opened(
    source: str | io.BytesIO, name: str, start: Callable[[], bytes]
) -> Iterator[tuple[InputContainer, VideoStream]]:
    import av

    options = {"protocol_whitelist": "file", "format_whitelist": _FORMATS}
    try:
        # What a file says of itself is not looked at, so it need not be text.
        with av.open(source, "r", options=options, metadata_errors="replace") as container:
            pictures = [s for s in container.streams.video if not _is_cover(s)]
            if not pictures:
                raise EpisodeError(f"{name} has no video stream.")
            stream = pictures[0]
            if stream.codec_context is None:  # a header that was cut before it named the coding
                raise EpisodeError(f"{name} can't be read (its coding is not known).")
            stream.codec_context.thread_count = 1
            yield container, stream
    except av.FFmpegError as error:
        raise EpisodeError(_unreadable(name, error, start())) from error


def _check_file(path: Path) -> None:
    """Word the faults that FFmpeg would call "invalid data"."""
    try:
        if not path.exists():
            raise EpisodeError(f"{path} does not exist.")
        if not path.is_file():
            raise EpisodeError(f"{path} is not a file.")
        if path.stat().st_size == 0:
            raise EpisodeError(f"{path} is empty (0 bytes).")
    except OSError as error:  # a folder without permission, or a name too long
        raise EpisodeError(f"{shown(path)} can't be read ({error.strerror}).") from error


def _unreadable(name: str, error: FFmpegError, start: bytes) -> str:
    """Word a fault that FFmpeg found in what begins with `start`."""
    reason = error.strerror or str(error)
    if isinstance(error, PermissionError):
        return f"{name} can't be read ({reason})."
    if start[4:8] == b"ftyp":
        return (
            f"{name} is an MP4 file that can't be read ({reason}): its index (moov) is missing "
            "or damaged, as when a recording is cut off."
        )
    return f"{name} can't be read as a video ({reason})."


def _start(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError:
        return b""


def _is_cover(stream: VideoStream) -> bool:
    from av.stream import Disposition

    return bool(stream.disposition & Disposition.attached_pic)
