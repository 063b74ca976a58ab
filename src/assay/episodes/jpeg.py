"""Code pictures as JPEG."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.errors import UsageError
from assay.records import Image

if TYPE_CHECKING:
    from av.video.codeccontext import VideoCodecContext

__all__ = ["JpegCoder"]


class JpegCoder:
    """Code pictures one after the other; what FFmpeg needs for it is made once a size.

    Args:
        quality: FFmpeg's quantiser, 1 (best) to 31.
    """

    def __init__(self, quality: int = 2) -> None:
        if not 1 <= quality <= 31:
            raise UsageError(f"The quality of JPEG must be 1 (best) to 31, not {quality}.")
        self._quality = quality
        self._size: tuple[int, int] | None = None
        self._context: VideoCodecContext | None = None

    def code(self, picture: Image) -> bytes:
        """Return one picture, uint8 RGB of shape (H, W, 3), as a JPEG file."""
        import av

        context = self._for(picture)
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
        made = frame.reformat(format="yuvj444p")
        made.pts = None
        return b"".join(bytes(packet) for packet in context.encode(made))

    def _for(self, picture: Image) -> VideoCodecContext:
        from fractions import Fraction

        import av

        height, width = picture.shape[:2]
        if self._context is None or self._size != (height, width):
            context = av.CodecContext.create("mjpeg", "w")
            context.height, context.width, context.pix_fmt = height, width, "yuvj444p"
            context.time_base = Fraction(1, 25)  # demanded, and of no meaning for one picture
            context.thread_count = 1
            context.options = {
                "qmin": str(self._quality), "qmax": str(self._quality), "huffman": "default",
            }  # fmt: skip
            self._context, self._size = context, (height, width)
        return self._context
