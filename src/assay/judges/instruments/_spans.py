"""From numbers over frames to stretches of time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.records import Floats

__all__ = ["Flags", "Run", "robust", "runs", "stretches"]

Flags = npt.NDArray[np.bool_]
Run = tuple[int, int]


def runs(flags: Flags) -> list[Run]:
    """Return where `flags`, of shape (T,), are true: first frame and the one after the last."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    found = edges.tolist()
    return list(zip(found[::2], found[1::2], strict=True))


def stretches(flags: Flags, also: Flags, *, gap: int = 0, least: int = 1) -> list[Run]:
    """Return the stretches that `flags` start and `also` keeps up (hysteresis), of frames.

    Args:
        flags: Where something is surely odd, of shape (T,).
        also: Where it is somewhat odd; a stretch goes as far as these do.
        gap: Frames between two stretches that make them one.
        least: Frames below which a stretch is left out.
    """
    kept = [run for run in runs(flags | also) if flags[run[0] : run[1]].any()]
    merged: list[Run] = []
    for run in kept:
        if merged and run[0] - merged[-1][1] <= gap:
            merged[-1] = (merged[-1][0], run[1])
        else:
            merged.append(run)
    return [run for run in merged if run[1] - run[0] >= least]


def robust(values: Floats, floor: float) -> tuple[float, float]:
    """Return the median of `values`, of shape (T,), and their usual distance from it.

    The distance is 1.4826 times the median absolute one, which is the standard deviation of normal
    values, and at least `floor`.
    """
    middle = float(np.median(values))
    spread = 1.4826 * float(np.median(np.abs(values - middle)))
    return middle, max(spread, floor)
