"""Repeated frames: the picture stands still and then jumps to where it should have been."""

from __future__ import annotations

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage
from assay.judges.instruments._found import Fault, Gauge, Reading, event, graded
from assay.judges.instruments._spans import Run, runs, stretches
from assay.records import Event, Floats

__all__ = ["repeats"]


def repeats(footage: Footage) -> Reading:
    """Return where frames repeat the one before while the scene goes on.

    A robot that waits gives equal frames too, but it brakes and sets off gently. A frozen picture
    stops from full motion and goes on with a jump.
    """
    if len(footage) < 4:
        return Reading()
    change = footage.changes.mean(axis=(1, 2))
    moving = change[change > limits.REPEAT_MOVES]
    if not len(moving):
        return Reading()
    usual = float(np.median(moving))
    still = change < max(limits.REPEAT_LEVEL, limits.REPEAT_SHARE * usual)
    frozen = np.zeros(len(footage), bool)
    # A keyframe draws the same picture anew: one change on its own ends no freeze.
    for first, stop in stretches(still, still, gap=1, least=2):
        # change[k] leads from frame k to k + 1: the repeated frames are first + 1 .. stop.
        before = change[first - 1] if first > 0 else 0.0
        after = change[stop] if stop < len(change) else 0.0
        jumps = after > limits.REPEAT_CATCHES_UP * max(usual, float(change[first:stop].max()))
        if before > limits.REPEAT_STOPS * usual and jumps:
            frozen[first + 1 : stop + 1] = True
    least = max(round(limits.REPEAT_S * footage.fps), 2)
    found = stretches(frozen, frozen, least=least)
    events = tuple(_frozen(footage, run, change, usual) for run in found)
    gauge = Gauge("{:.0f} frames in a row repeated", footage.times, _counted(frozen), high=0.5)
    return Reading((gauge,), events)


def _counted(frozen: np.ndarray) -> Floats:
    """Return at each frame how many repeated ones in a row it belongs to."""
    counts = np.zeros(len(frozen))
    for first, stop in runs(frozen):
        counts[first:stop] = stop - first
    return counts


def _frozen(footage: Footage, run: Run, change: Floats, usual: float) -> Event:
    jump = float(change[min(run[1] - 1, len(change) - 1)]) / usual
    count = run[1] - run[0]
    return event(
        footage,
        run,
        Fault(
            "frame_corruption",
            graded(count / footage.fps, 0.6, 1.2),
            0.8,
            "The picture freezes and then jumps ahead.",
            f"{count} frames repeat the one before; the next change is {jump:.1f} times the usual",
        ),
    )
