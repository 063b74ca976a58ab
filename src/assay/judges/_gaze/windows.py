"""Windows of time that are looked at one by one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["LENGTH_S", "STRIDE_S", "Window", "batches", "windows_of"]

LENGTH_S = 2.0
STRIDE_S = 1.0


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a clip, numbered from 1."""

    number: int
    start_s: float
    end_s: float

    def __str__(self) -> str:
        return f"Window {self.number}: {self.start_s:.2f} to {self.end_s:.2f} s"


def windows_of(length_s: float, most: int) -> tuple[Window, ...]:
    """Return windows of 2 s, one each second, the last at the end; a short clip is one window.

    A clip that would have more than `most` has so many longer ones: each begins in the middle of
    the one before, and together they cover all of it.

    Args:
        length_s: The length of the clip [s].
        most: How many windows there may be, at least 2.
    """
    over = max(length_s - LENGTH_S, 0.0)
    whole = math.floor(over / STRIDE_S + 1e-9)
    starts = [STRIDE_S * k for k in range(whole + 1)]
    if over - starts[-1] > 1e-9:
        starts.append(over)
    if len(starts) <= most:
        return tuple(
            Window(number, start, min(start + LENGTH_S, length_s))
            for number, start in enumerate(starts, start=1)
        )
    stride = length_s / (most + 1)
    return tuple(Window(k + 1, k * stride, (k + 2) * stride) for k in range(most))


def batches(windows: Sequence[Window], size: int) -> Iterator[Sequence[Window]]:
    """Yield the windows in runs of about equal length, at most `size` each."""
    count = math.ceil(len(windows) / size)
    for k in range(count):
        yield windows[k * len(windows) // count : (k + 1) * len(windows) // count]
