"""What the instruments for recorded signals share."""

from __future__ import annotations

import numpy as np

from assay.episodes.glitches.taxonomy import taxonomy
from assay.judges.instruments._spans import Flags, Run, stretches
from assay.records import Event, Floats

__all__ = ["jumps", "lasting", "physical", "speeds"]


def jumps(moved: Floats, large: float, small: float) -> Flags:
    """Return which steps, of shape (T - 1,), are large between small ones."""
    padded = np.concatenate([[0.0], moved, [0.0]])
    calm = np.maximum(padded[:-2], padded[2:]) < small
    return np.asarray((moved > large) & calm)


def speeds(places: Floats, times: Floats) -> Floats:
    """Return the speed at each sample, of shape (T,) [m/s]."""
    speeds: Floats = np.linalg.norm(np.gradient(places, times, axis=0), axis=1)
    return speeds


def lasting(flags: Flags, times: Floats, least_s: float) -> list[Run]:
    found = stretches(flags, flags)
    return [run for run in found if times[run[1] - 1] - times[run[0]] >= least_s]


def physical(kind: str, times: Floats, run: Run, severity: float, says: str) -> Event:
    first, last = int(run[0]), min(int(run[1]), len(times) - 1)
    return Event(
        dimension=taxonomy().dimension_of(kind),
        type=kind,
        start_s=float(times[first]),
        end_s=float(times[last]),
        severity=severity,
        description=taxonomy().dimensions["physical_plausibility"].types[kind],
        evidence=f"{says} (recorded signals)",
        confidence=0.9,
        source="instruments",
        frames_s=(float(times[first]),),
    )
