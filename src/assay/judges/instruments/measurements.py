"""What the instruments measured in an episode, for the judge and for those who ask a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.errors import EpisodeError
from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage, footage_of, moving
from assay.judges.instruments._found import Gauge, Reading
from assay.judges.instruments._settling import settled
from assay.judges.instruments.covering import covering
from assay.judges.instruments.exposure import exposure
from assay.judges.instruments.flicker import flicker
from assay.judges.instruments.physics import physics
from assay.judges.instruments.repeats import repeats
from assay.judges.instruments.shake import shake
from assay.judges.instruments.sharpness import sharpness
from assay.judges.instruments.tears import tears
from assay.judges.instruments.things import things
from assay.records import Episode, Event

__all__ = ["Measurements", "measurements"]

_INSTRUMENTS: tuple[Callable[[Footage], Reading], ...] = (
    sharpness,
    exposure,
    repeats,
    shake,
    flicker,
    tears,
    covering,
    things,
)


@dataclass(frozen=True, slots=True)
class Measurements:
    """What was measured, and what was found in it.

    Attributes:
        gauges: Numbers over time, each with the view it belongs to.
        events: The faults, earliest first.
        exempt: What was not looked for, and why, in sentences.
    """

    gauges: tuple[tuple[str, Gauge], ...]
    events: tuple[Event, ...]
    exempt: tuple[str, ...]

    def in_words(self, start_s: float, end_s: float) -> str:
        """Return what is odd from `start_s` to `end_s` in one paragraph; empty when nothing is."""
        said = [
            f"{e.type} {e.start_s:.1f}-{e.end_s:.1f} s: {e.evidence}"
            for e in self.events
            if e.start_s < end_s and e.end_s > start_s
        ]
        odd = ((view, gauge.oddest(start_s, end_s)) for view, gauge in self.gauges)
        said += [f"{words} at worst (view {view})" for view, words in odd if words]
        return "; ".join(said) + "." if said else ""


def measurements(episode: Episode) -> Measurements:
    """Measure all views of an episode.

    Raises:
        EpisodeError: The episode has no view, or a frame can't be read.
    """
    if not episode.views:
        raise EpisodeError(f"{episode.id} has no view to look at.")
    gauges: list[tuple[str, Gauge]] = []
    events: list[Event] = []
    exempt: list[str] = []
    for name, view in episode.views.items():
        if moving(name, view):
            exempt.append(f"View {name} moves with the robot: no camera_instability.")
        for footage in footage_of(name, view):
            if footage.colour.shape[1] < limits.LEAST_SIDE:
                exempt.append(f"View {name} is under {limits.LEAST_SIDE} px: not looked at.")
                break
            for instrument in _INSTRUMENTS:
                reading = instrument(footage)
                gauges += [(name, gauge) for gauge in reading.gauges]
                events += reading.events
    events += physics(episode)
    return Measurements(tuple(gauges), settled(events), tuple(exempt))
