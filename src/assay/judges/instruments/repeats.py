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
    # A keyframe draws the same picture anew: one small change on its own ends no freeze.
    redrawn = np.zeros(len(still), bool)
    redrawn[1:-1] = still[:-2] & still[2:] & (change[1:-1] < usual)
    for first, stop in stretches(still, still | redrawn, least=2):
        # change[k] leads from frame k to k + 1: the repeated frames are first + 1 .. stop.
        before = float(change[first - 1]) if first > 0 else 0.0
        after = float(change[stop]) if stop < len(change) else 0.0
        if _breaks_off(before / usual, after / usual):
            frozen[first + 1 : stop + 1] = True
    least = max(round(limits.REPEAT_S * footage.fps), 2)
    # A picture that stutters moves on for a frame now and then.
    found = stretches(frozen, frozen, gap=2, least=least)
    events = tuple(_frozen(footage, run, change, usual) for run in found)
    gauge = Gauge("{:.0f} frames in a row repeated", footage.times, _counted(frozen), high=0.5)
    return Reading((gauge,), events)


def _breaks_off(before: float, after: float) -> bool:
    """Tell whether motion stops and jumps on, each beside the usual change of moving frames."""
    stops = before > limits.REPEAT_STOPS and after > limits.REPEAT_CATCHES_UP
    return stops or (before > limits.REPEAT_SLOWS and after > limits.REPEAT_LEAPS)


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
