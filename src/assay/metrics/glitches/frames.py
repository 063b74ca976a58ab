"""Spans of time as whole frames of a video."""

from __future__ import annotations

import numpy as np

from assay.errors import UsageError
from assay.metrics.overlap import Spans
from assay.metrics.results import Floats

__all__ = ["MOST_FPS", "in_frames"]

MOST_FPS = 10_000.0
_DIGITS = 6  # 4.1 s at 5 a second is 20.5 frames, and not a hair less


def in_frames(spans: Spans, fps: float) -> Spans:
    """Return spans as whole frames: times of shape (n, 2) are first and last + 1 [frames].

    Frame k lasts from k / fps to (k + 1) / fps, and belongs to a span that holds its middle: each
    end goes to the nearest border between two frames, half up. So spans are not made longer or
    shorter on average, ends on a border stay, and spans of a frame or more that only touch share
    none. A span that holds no frame's middle is the one frame in which its own middle lies.

    Args:
        spans: Spans in seconds.
        fps: Frames a second, above 0 and at most `MOST_FPS`.
    """
    if not 0.0 < fps <= MOST_FPS:
        raise UsageError(f"Frames a second are above 0 and at most {MOST_FPS:g}, not {fps:g}.")
    ends = np.floor(_counted(spans.times, fps) + 0.5)
    middles = np.floor(_counted(spans.times.mean(axis=1), fps))
    short = ends[:, 0] == ends[:, 1]
    ends[short] = np.stack([middles, middles + 1.0], axis=1)[short]
    return Spans(ends, spans.clips)


def _counted(times: Floats, fps: float) -> Floats:
    """Return times in frames, without the rounding errors of decimals."""
    found: Floats = np.round(times * fps, _DIGITS)
    return found
