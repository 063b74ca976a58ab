"""Make a frame ready for a model: smaller, coded as JPEG, and with a key of its own."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from fractions import Fraction
from threading import Lock
from typing import TYPE_CHECKING

from assay.errors import UsageError
from assay.models.base import Picture
from assay.records import Image

if TYPE_CHECKING:
    from av import VideoFrame

__all__ = ["decode", "prepare"]

# Stands in every key: when the same pixels would be prepared otherwise, it must change.
_PREPARATION = "area-mjpeg-1"
_KEPT = 512  # pictures; of about 10 kB each
_LEAST, _MOST = 16, 8192  # px; a JPEG holds more, no model takes it


class _Shelf:
    """The pictures made last, for all threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[str, Picture] = OrderedDict()

    def get(self, key: str) -> Picture | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, picture: Picture) -> None:
        with self._lock:
            self._kept[picture.key] = picture
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)


_shelf = _Shelf()


def prepare(image: Image, side: int = 448, quality: int = 85) -> Picture:
    """Return `image` as a JPEG whose longest side is at most `side`.

    The same pixels give the same object as long as it is among the last ones. The key is made from
    the pixels that come in, not from the JPEG: another build of the coder changes no key.

    Args:
        image: uint8 RGB of shape (H, W, 3).
        side: Longest side [px]; smaller pictures are not enlarged.
        quality: 1 to 100, about as other coders mean it.
    """
    if not _LEAST <= side <= _MOST:
        raise UsageError(f"The side of a picture is {_LEAST} to {_MOST} pixels, not {side}.")
    if not 1 <= quality <= 100:
        raise UsageError(f"The quality of a JPEG is 1 to 100, not {quality}.")
    key = _key(image, side, quality)
    picture = _shelf.get(key)
    if picture is None:
        width, height = _size(image, side)
        picture = Picture(_jpeg(image, width, height, quality), key, width, height)
        _shelf.put(picture)
    return picture


def decode(picture: Picture) -> Image:
    """Return the pixels of a prepared picture, uint8 RGB of shape (height, width, 3)."""
    import numpy as np
    from av import CodecContext, Packet

    # A decoder may hold a frame back until it is told that no more will come.
    coder = CodecContext.create("mjpeg", "r")
    frames = [*coder.decode(Packet(picture.jpeg)), *coder.decode(None)]
    return np.asarray(frames[0].to_ndarray(format="rgb24"), dtype=np.uint8)


def _key(image: Image, side: int, quality: int) -> str:
    height, width = image.shape[:2]
    words = f"{_PREPARATION} {width}x{height} {side} {quality}\n"
    digest = hashlib.sha256(words.encode())
    digest.update(image.tobytes() if not image.flags.c_contiguous else image.data)
    return digest.hexdigest()


def _size(image: Image, side: int) -> tuple[int, int]:
    """Return width and height, in the image's proportions."""
    height, width = image.shape[:2]
    scale = min(side / max(height, width), 1.0)
    return max(round(width * scale), 1), max(round(height * scale), 1)


def _jpeg(image: Image, width: int, height: int, quality: int) -> bytes:
    """Return `image` coded: one pass makes it small and turns it into the coder's colours."""
    import av
    import numpy as np

    frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24")
    # One thread: pictures are made in many threads at once.
    small = frame.reformat(width, height, "yuvj420p", interpolation="AREA", threads=1)
    small.pts = 0
    return _encode(small, _coarseness(quality))


def _encode(frame: VideoFrame, coarseness: int) -> bytes:
    import av

    coder = av.CodecContext.create("mjpeg", "w")
    coder.width, coder.height, coder.pix_fmt = frame.width, frame.height, "yuvj420p"
    coder.time_base = Fraction(1)
    coder.thread_count = 1
    coder.options = {"qmin": str(coarseness), "qmax": str(coarseness)}
    return b"".join(bytes(packet) for packet in [*coder.encode(frame), *coder.encode(None)])


def _coarseness(quality: int) -> int:
    """Return the step of the coder, 1 to 31, that is as coarse as the usual `quality`.

    The usual tables are scaled by s = (200 - 2 quality) / 100 from quality 50 upwards and by
    50 / quality below; at s = 1 they are about as coarse as step 10 here.
    """
    scale = (200 - 2 * quality) / 100 if quality >= 50 else 50 / quality
    return min(max(round(10 * scale), 1), 31)
