"""Pictures as a reader of their video sees them: what a codec does to them, without a file."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np

from assay.records import Image

if TYPE_CHECKING:
    import av
    from av.video.codeccontext import VideoCodecContext
    from av.video.stream import VideoStream

__all__ = ["recoded"]


def recoded(pictures: Image, codec: tuple[str, dict[str, str]], side: int) -> Image:
    """Return `pictures`, uint8 (T, H, W, 3), encoded, decoded and squeezed into squares of `side`.

    They are squeezed as the pictures of a file are, before they are made RGB: fine detail, colours
    and brightness come out as they do there.

    Args:
        pictures: The frames of a video; even sides.
        codec: FFmpeg's name of the encoder, and its options. What it makes is H.264.
        side: Width and height of what is returned [px].
    """
    import av

    from assay.episodes._decoding import converter, picture

    decoder = av.CodecContext.create("h264", "r")
    convert = converter()
    decoder.thread_count = 1
    made = [
        picture(convert, frame, side)
        for packet in _encoded(pictures, codec)
        for frame in decoder.decode(packet)
    ]
    return np.stack(made)


def _encoded(
    pictures: Image, codec: tuple[str, dict[str, str]]
) -> Iterator[av.Packet[VideoStream] | None]:
    """Yield the packets of a video, and None at its end."""
    import av

    from assay.episodes._decoding import converter

    encoder = cast("VideoCodecContext", av.CodecContext.create(codec[0], "w"))
    encoder.height, encoder.width = pictures.shape[1:3]
    encoder.pix_fmt, encoder.time_base = "yuv420p", Fraction(1, 5)
    encoder.options = dict(codec[1])
    convert = converter()
    for number, own in enumerate(pictures):
        given = av.VideoFrame.from_ndarray(np.ascontiguousarray(own), format="rgb24")
        frame = convert.reformat(given, format="yuv420p", interpolation="AREA")
        frame.pts, frame.time_base = number, encoder.time_base
        yield from encoder.encode(frame)
    yield from encoder.encode(None)
    yield None
