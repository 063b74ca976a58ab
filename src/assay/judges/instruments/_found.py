"""What an instrument hands on: what it measured, and what it takes for a fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from assay.episodes.glitches.taxonomy import taxonomy
from assay.judges.instruments._footage import Footage
from assay.judges.instruments._spans import Run
from assay.records import Event, Floats

__all__ = ["SURE", "Broken", "Fault", "Gauge", "Reading", "broken", "event", "graded"]

SURE: Final = 0.95
"""Confidence of what can be nothing else: it explains all that other instruments see then."""


@dataclass(frozen=True, slots=True, eq=False)
class Gauge:
    """A number over time, with what is usual for it.

    Attributes:
        says: What is measured, with a place for the number, such as "sharpness {:.0%} of usual".
        times: Of shape (T,) [s].
        values: Of shape (T,).
        low: Below it the number is odd.
        high: Above it the number is odd.
    """

    says: str
    times: Floats
    values: Floats
    low: float = -np.inf
    high: float = np.inf

    def oddest(self, start_s: float, end_s: float) -> str:
        """Return the oddest number from `start_s` to `end_s` in words; empty when none is odd."""
        inside = (self.times >= start_s) & (self.times <= end_s) & np.isfinite(self.values)
        if not inside.any():
            return ""
        values = self.values[inside]
        least, most = float(values.min()), float(values.max())
        if least < self.low:
            return self.says.format(least)
        return self.says.format(most) if most > self.high else ""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong.

    Attributes:
        kind: A type of the taxonomy.
        severity: From 1 to 5, as the taxonomy has it.
        confidence: From 0 to 1; what is beyond is cut off.
        description: What is to be seen.
        evidence: What was measured, with the numbers.
    """

    kind: str
    severity: float
    confidence: float
    description: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Broken:
    """A way in which a share of the picture is broken.

    Attributes:
        description: What is to be seen.
        evidence: What was measured, with a place for the largest share.
        marked: The share from which on it is marked, and no longer mild.
        strong: The share from which on it is strong.
        confidence: From 0 to 1.
    """

    description: str
    evidence: str
    marked: float
    strong: float
    confidence: float = SURE


@dataclass(frozen=True, slots=True)
class Reading:
    """What one instrument says of one stretch of a view."""

    gauges: tuple[Gauge, ...] = ()
    events: tuple[Event, ...] = ()


def event(footage: Footage, run: Run, fault: Fault) -> Event:
    """Return a fault over the frames of `run`: its first, and the one after its last."""
    first, stop = run
    cited = sorted({first, (first + stop - 1) // 2, stop - 1})
    return Event(
        dimension=taxonomy().dimension_of(fault.kind),
        type=fault.kind,
        start_s=float(footage.times[first]),
        end_s=footage.ends(stop - 1),
        severity=fault.severity,
        description=fault.description,
        evidence=f"{fault.evidence} (view {footage.name})",
        confidence=round(float(np.clip(fault.confidence, 0.0, 1.0)), 2),
        source="instruments",
        frames_s=tuple(float(footage.times[k]) for k in cited),
    )


def broken(footage: Footage, run: Run, share: Floats, way: Broken) -> Event:
    """Return broken frames, as bad as the one with the largest share of the picture."""
    most = float(share[run[0] : run[1]].max())
    severity = graded(most, way.marked, way.strong)
    told = way.evidence.format(most)
    fault = Fault("frame_corruption", severity, way.confidence, way.description, told)
    return event(footage, run, fault)


def graded(strength: float, marked: float, strong: float) -> float:
    """Return the severity 2, 3 or 4 of a fault that is mild, marked or strong."""
    return 2.0 + (strength >= marked) + (strength >= strong)
