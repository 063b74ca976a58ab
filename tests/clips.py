"""Small real video files whose frames carry their own number.

`write_clip` codes them with PyAV; `number_of` reads the number back from decoded pixels, so a test
can tell which frame it was given even after lossy coding. The number is drawn as a 4 x 4 board of
dark and light fields, 16 bits, over a faint moving texture.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

__all__ = ["cut_file", "number_of", "numbered", "write_clip"]

ENCODERS = {
    "h264": ("libx264", {"preset": "ultrafast", "crf": "23"}),
    "hevc": ("libx265", {"preset": "ultrafast", "x265-params": "log-level=none:pools=1"}),
    "av1": ("libsvtav1", {"preset": "12", "crf": "35", "svtav1-params": "lp=1"}),
    "vp9": ("libvpx-vp9", {"deadline": "realtime", "cpu-used": "8", "crf": "30"}),
    "vp8": ("libvpx", {"deadline": "realtime", "cpu-used": "8", "b": "400k"}),
    "mpeg4": ("mpeg4", {"q:v": "3"}),
    "mjpeg": ("mjpeg", {}),
}
TICKS = 90_000  # ticks a second; finer than any camera


def numbered(number: int, size: tuple[int, int] = (64, 48)) -> np.ndarray:
    """Return the picture of `number` in 0..65535, uint8 RGB, for `size` = (width, height)."""
    width, height = size
    bits = (number >> np.arange(16)) & 1
    board = (bits * 150 + 50).reshape(4, 4)
    rows = np.arange(height) * 4 // height
    columns = np.arange(width) * 4 // width
    texture = (np.arange(width) * 3 + number * 2) % 16
    grey = board[np.ix_(rows, columns)] + texture
    return np.repeat(grey[:, :, None], 3, axis=2).astype(np.uint8)


def number_of(image: np.ndarray) -> int:
    """Return the number drawn by `numbered`, read from the middles of the fields."""
    height, width = image.shape[:2]
    number = 0
    for bit in range(16):
        top, left = (bit // 4) * height // 4, (bit % 4) * width // 4
        field = image[
            top + height // 16 : top + height // 4 - height // 16,
            left + width // 16 : left + width // 4 - width // 16,
        ]
        number |= int(field.mean() > 130) << bit
    return number


def write_clip(
    path: Path | str,
    *,
    codec: str = "h264",
    frames: int = 30,
    fps: float = 30.0,
    times: Sequence[float] | None = None,
    gop: int = 12,
    bframes: int = 0,
    size: tuple[int, int] = (64, 48),
    pix_fmt: str = "yuv420p",
    faststart: bool = False,
    first: int = 0,
    rotation: int = 0,
    draw: Callable[[int, tuple[int, int]], np.ndarray] = numbered,
    options: dict[str, str] | None = None,
) -> Path:
    """Write a clip and return its path; the suffix names the container.

    Args:
        path: The file.
        codec: One of h264, hevc, av1, vp9, vp8, mpeg4, mjpeg.
        frames: Number of frames; ignored when `times` are given.
        fps: Frames per second; ignored when `times` are given.
        times: When each frame is shown [s], for a variable frame rate or a late start.
        gop: Frames from one keyframe to the next.
        bframes: Most B-frames in a row (h264, hevc, mpeg4).
        size: Width and height [px].
        pix_fmt: FFmpeg's name of the pixel format.
        faststart: Whether an MP4 file has its index in front.
        first: The number of the first frame.
        rotation: Degrees by which a player turns the picture counterclockwise.
        draw: Makes the picture of a number, for a size.
        options: More options of the encoder.
    """
    os.environ.setdefault("SVT_LOG", "0")  # the AV1 encoder writes to stderr past every logger
    shown = [i / fps for i in range(frames)] if times is None else list(times)
    encoder, settings = ENCODERS[codec]
    muxer = {"movflags": "+faststart"} if faststart else {}
    with av.open(str(path), "w", options=muxer) as container:
        stream = container.add_stream(encoder, rate=Fraction(fps).limit_denominator(1001))
        stream.width, stream.height = size
        stream.pix_fmt = pix_fmt
        stream.gop_size = gop
        stream.codec_context.thread_count = 1
        stream.options = settings | _gop_options(codec, gop, bframes) | (options or {})
        if times is not None:
            stream.codec_context.time_base = Fraction(1, TICKS)
        if rotation:
            stream.set_display_rotation(rotation)
        tick = stream.codec_context.time_base or Fraction(1, TICKS)
        for number, time in enumerate(shown, start=first):
            frame = av.VideoFrame.from_ndarray(draw(number, size), format="rgb24")
            frame.time_base = tick
            frame.pts = round(time / tick)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return Path(path)


def cut_file(path: Path, share: float, target: Path | None = None) -> Path:
    """Write the first `share` of the bytes of `path` to `target`, by default over itself."""
    data = path.read_bytes()
    target = target or path
    target.write_bytes(data[: int(len(data) * share)])
    return target


def _gop_options(codec: str, gop: int, bframes: int) -> dict[str, str]:
    """Return the options that keep keyframes exactly `gop` apart."""
    if codec == "h264":
        return {"bf": str(bframes), "sc_threshold": "0", "keyint_min": str(gop)}
    if codec == "hevc":
        params = f"log-level=none:pools=1:bframes={bframes}:keyint={gop}:min-keyint={gop}"
        return {"x265-params": params + ":scenecut=0:open-gop=0"}
    return {"bf": str(bframes)} if codec == "mpeg4" else {}
