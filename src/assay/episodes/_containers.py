"""Open a video file. Every fault becomes an `EpisodeError` whose sentence names the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assay.episodes.faults import shown
from assay.errors import EpisodeError

if TYPE_CHECKING:
    from av import FFmpegError
    from av.container import InputContainer
    from av.video.stream import VideoStream

__all__ = ["opened"]

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
    import av

    _check_file(Path(path))
    options = {"protocol_whitelist": "file", "format_whitelist": _FORMATS}
    try:
        # The absolute path can't be mistaken for a protocol, as "concat:a|b" would be.
        # What a file says of itself is not looked at, so it need not be text.
        with av.open(
            str(Path(path).absolute()), options=options, metadata_errors="replace"
        ) as container:
            pictures = [s for s in container.streams.video if not _is_cover(s)]
            if not pictures:
                raise EpisodeError(f"{path} has no video stream.")
            stream = pictures[0]
            if stream.codec_context is None:  # a header that was cut before it named the coding
                raise EpisodeError(f"{path} can't be read (its coding is not known).")
            stream.codec_context.thread_count = 1
            yield container, stream
    except av.FFmpegError as error:
        raise EpisodeError(_unreadable(path, error)) from error


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


def _unreadable(path: str, error: FFmpegError) -> str:
    """Word a fault that FFmpeg found."""
    reason = error.strerror or str(error)
    if isinstance(error, PermissionError):
        return f"{path} can't be read ({reason})."
    if _starts_as_mp4(Path(path)):
        return (
            f"{path} is an MP4 file that can't be read ({reason}): its index (moov) is missing "
            "or damaged, as when a recording is cut off."
        )
    return f"{path} can't be read as a video ({reason})."


def _starts_as_mp4(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(12)[4:8] == b"ftyp"
    except OSError:
        return False


def _is_cover(stream: VideoStream) -> bool:
    from av.stream import Disposition

    return bool(stream.disposition & Disposition.attached_pic)
