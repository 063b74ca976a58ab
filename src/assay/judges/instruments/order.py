"""Frames in the wrong order: the picture goes back to what it showed some frames ago."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage, apart
from assay.judges.instruments._found import Broken, Gauge, Reading, broken
from assay.judges.instruments._spans import Flags, stretches
from assay.records import Floats

__all__ = ["going_back", "order"]

_BACK = 6  # frames that are looked back

_MIXED_UP = Broken(
    "Frames are shown in the wrong order: what moves goes to and fro.",
    "{:.0%} of what changes with a frame is as it was some frames ago",
    marked=0.5,
    strong=0.7,
    confidence=0.85,
)


def going_back(footage: Footage) -> tuple[Floats, Flags]:
    """Return how much of a frame's change undoes earlier ones, and whether much changes, (T,).

    With d(k, j) the share of the picture that differs between two frames, that is 1 - min over j of
    d(k, j) / d(k, k - 1) for the frames k - 6 to k - 2. What moves on leaves all of them behind;
    what goes back by itself does so no faster than it came.
    """
    thin = footage.small[:, ::2, ::2]
    undone, much = np.zeros(len(thin)), np.zeros(len(thin), bool)
    steps = np.array([float((apart(a, b) > limits.STEP_LEVEL).mean()) for a, b in pairwise(thin)])
    moving = steps[steps > limits.ORDER_MOVES]
    least_step = limits.ORDER_LEAPS * float(np.median(moving)) if len(moving) else np.inf
    for k in range(2, len(thin)):
        step = float(steps[k - 1])
        much[k] = step > max(limits.ORDER_MOVES, least_step)
        if much[k]:
            older = [apart(thin[k], thin[j]) for j in range(max(k - _BACK, 0), k - 1)]
            least = min(float((each > limits.STEP_LEVEL).mean()) for each in older)
            undone[k] = max(1.0 - least / step, 0.0)
    return undone, much


def order(footage: Footage) -> Reading:
    """Return where frames are mixed up; below `LEAST_FPS` a quick robot goes back as well."""
    if footage.moves or len(footage) < 8 or footage.fps < limits.LEAST_FPS:
        return Reading()
    undone, _ = going_back(footage)
    back = undone > limits.ORDER_BACK
    window = np.ones(_BACK + 1)
    often = np.convolve(back, window, mode="same") >= limits.ORDER_OFTEN
    found = [
        (max(first - 1, 0), stop)
        for first, stop in stretches(back & often, back, gap=_BACK, least=_BACK)
    ]
    gauge = Gauge("{:.0%} of a change undoes earlier ones", footage.times, undone, high=0.5)
    return Reading((gauge,), tuple(broken(footage, run, undone, _MIXED_UP) for run in found))
