"""Frames full of noise, combed into lines, or blank."""

from __future__ import annotations

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage
from assay.judges.instruments._found import (
    SURE,
    Broken,
    Fault,
    Gauge,
    Reading,
    broken,
    event,
    graded,
)
from assay.judges.instruments._spans import Flags, Run, stretches
from assay.records import Event, Floats

__all__ = ["blank", "grain", "grained"]

_NOISY = Broken(
    "The picture is full of noise, or its lines are combed apart.",
    "in up to {:.0%} of the picture neighbours differ more than pixels 4 apart",
    marked=0.6,
    strong=0.9,
)


def grained(footage: Footage) -> Floats:
    """Return the share of tiles in which neighbours differ more than pixels farther apart, (T,).

    Edges of things make neighbours differ by a quarter of what pixels 4 apart do, squared. Noise
    makes it as much, and lines that are combed apart far more.
    """
    sharp, strong = footage.edges
    rough = (sharp > limits.GRAIN_SHARP) & (sharp * strong > limits.GRAIN_LEVEL)
    share: Floats = rough.any(axis=1).mean(axis=1)
    # Some things are rough by themselves, such as cloth.
    return share - float(np.median(share))


def blank(footage: Footage) -> Flags:
    """Return which frames show one colour and nothing else, of shape (T,)."""
    thin = footage.colour[:, ::4, ::4].astype(np.float32)
    return np.asarray(thin.std(axis=(1, 2)).max(axis=1) < limits.BLANK_LEVEL)


def grain(footage: Footage) -> Reading:
    """Return where frames are noisy, combed or blank while others are not."""
    if len(footage) < 4:
        return Reading()
    share, empty = grained(footage), blank(footage)
    noisy = share > limits.GRAIN_STARTS
    if empty.all():
        empty[:] = False
    gap = max(round(limits.GRAIN_PAUSE_S * footage.fps), 1)
    found = stretches(noisy, share > limits.GRAIN_STARTS / 2, gap=gap, least=2)
    blanks = stretches(empty, empty, gap=gap)
    events = [broken(footage, run, share, _NOISY) for run in found]
    events += [_blank(footage, run, empty) for run in blanks]
    gauge = Gauge("{:.0%} of the picture full of noise", footage.times, share, high=0.3)
    return Reading((gauge,), tuple(events))


def _blank(footage: Footage, run: Run, empty: Flags) -> Event:
    many = int(empty[run[0] : run[1]].sum())
    return event(
        footage,
        run,
        Fault(
            "frame_corruption",
            graded(many / footage.fps, 0.3, 0.8),
            SURE,
            "Frames are blank.",
            f"{many} frames show one colour and nothing else",
        ),
    )
