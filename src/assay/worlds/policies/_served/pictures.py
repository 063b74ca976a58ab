"""Make a picture as large as a server wants it, and code it as PNG or JPEG."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np

from assay.models.pictures import prepare
from assay.records import Image

__all__ = ["Coding", "coded", "sized"]

Coding: TypeAlias = Literal["png", "jpeg"]


def sized(image: Image, size: int) -> Image:
    """Return `image`, a square of uint8 RGB, with sides of `size` pixels; 0 leaves it as it is."""
    import av

    if size in (0, image.shape[0]):
        return np.ascontiguousarray(image)
    frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24")
    way = "AREA" if size < image.shape[0] else "BILINEAR"
    changed = frame.reformat(size, size, "rgb24", interpolation=way, threads=1)
    return np.asarray(changed.to_ndarray(), dtype=np.uint8)


def coded(image: Image, coding: Coding) -> bytes:
    """Return the file that shows `image`: PNG, bit by bit the same, or JPEG, a tenth of it."""
    return _png(image) if coding == "png" else prepare(image, max(image.shape[:2])).jpeg


def _png(image: Image) -> bytes:
    import av

    coder = av.CodecContext.create("png", "w")
    coder.height, coder.width = image.shape[:2]
    coder.pix_fmt, coder.time_base, coder.thread_count = "rgb24", Fraction(1), 1
    frame = av.VideoFrame.from_ndarray(image, format="rgb24")
    frame.pts = 0
    return b"".join(bytes(packet) for packet in [*coder.encode(frame), *coder.encode(None)])
