"""Choose the moments to judge, and walk several views through them in step."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from assay.episodes._packets import HOLD_S, TOLERANCE_S
from assay.errors import EpisodeError, UsageError
from assay.records import Floats, Image, View

__all__ = ["grid", "synced", "uniform"]


def uniform(duration_s: float, count: int) -> Floats:
    """Return `count` moments at equal distances from 0 to `duration_s` [s], both included.

    One moment is 0; an episode without length has no other.
    """
    _check_duration(duration_s)
    if count < 1:
        raise UsageError(f"At least one moment must be judged, not {count}.")
    return np.linspace(0.0, duration_s, count if duration_s > 0 else 1)


def grid(duration_s: float, fps: float, cap: int | None = None) -> Floats:
    """Return the moments 0, 1/fps, 2/fps, ... and `duration_s` [s], the last moment.

    The last step is between a half and one and a half of the others, so that no moment is judged
    twice. More than `cap` moments are thinned evenly; the first and the last stay.
    """
    _check_duration(duration_s)
    if not (fps > 0 and math.isfinite(fps)):
        raise UsageError(f"The sampling rate must be above 0 frames a second, not {fps}.")
    if cap is not None and cap < 2:
        raise UsageError(f"The cap must leave the first and the last moment, so 2, not {cap}.")
    steps = max(math.ceil(duration_s * fps - 0.5), 1 if duration_s > 0 else 0)
    times: Floats = np.arange(steps + 1) / fps
    times[-1] = duration_s
    if cap is not None and len(times) > cap:
        times = times[np.round(np.linspace(0, steps, cap)).astype(np.int64)]
    return times


def synced(views: Mapping[str, View], times: Floats) -> Iterator[dict[str, Image]]:
    """Yield, for each of the increasing `times` [s], the picture of every view at that time.

    Views may differ in length and rate; each holds its frames in its own time. A view that has
    no frame within 0.5 s of a time raises `EpisodeError`: it is neither cut short nor frozen.
    """
    if not views:
        raise UsageError("There are no views to walk through.")
    clocks = {name: view.frames.clock() for name, view in views.items()}
    walks = {name: view.frames.at(times) for name, view in views.items()}
    for time in times.tolist():
        for name, clock in clocks.items():
            _check_covers(name, clock, time)
        yield {name: next(walk) for name, walk in walks.items()}


def _check_duration(duration_s: float) -> None:
    if not (duration_s >= 0 and math.isfinite(duration_s)):
        raise UsageError(f"An episode's duration must be 0 s or more, not {duration_s} s.")


def _check_covers(name: str, clock: Floats, time: float) -> None:
    first, last = float(clock[0]), float(clock[-1])
    if not first - HOLD_S - TOLERANCE_S <= time <= last + HOLD_S + TOLERANCE_S:
        raise EpisodeError(
            f"View {name!r} has frames from {first:.3f} s to {last:.3f} s and none near "
            f"{time:.3f} s; views may differ by at most {HOLD_S} s."
        )
