"""What the instruments measured in an episode, for the judge and for those who ask a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from assay.errors import EpisodeError
from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage, footage_of, wanders
from assay.judges.instruments._found import Gauge, Reading
from assay.judges.instruments._settling import settled
from assay.judges.instruments.covering import covering
from assay.judges.instruments.drift import drift
from assay.judges.instruments.exposure import exposure
from assay.judges.instruments.flicker import flicker
from assay.judges.instruments.foreign import foreign
from assay.judges.instruments.grain import grain
from assay.judges.instruments.lost_rows import lost_rows
from assay.judges.instruments.order import order
from assay.judges.instruments.outline import outline
from assay.judges.instruments.physics import physics
from assay.judges.instruments.repeats import repeats
from assay.judges.instruments.rows import rows
from assay.judges.instruments.seams import seams
from assay.judges.instruments.shake import shake
from assay.judges.instruments.sharpness import sharpness
from assay.judges.instruments.tears import tears
from assay.judges.instruments.things import things
from assay.judges.instruments.tint import tint
from assay.records import Episode, Event

__all__ = ["Measurements", "measurements"]

_INSTRUMENTS: tuple[Callable[[Footage], Reading], ...] = (
    sharpness,
    exposure,
    repeats,
    shake,
    flicker,
    tears,
    grain,
    tint,
    rows,
    lost_rows,
    seams,
    order,
    covering,
    foreign,
    things,
    drift,
    outline,
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
        for part in footage_of(name, view):
            footage = replace(part, moves=True) if wanders(part) else part
            if len(episode.views) > 1 and _stands_in(footage):
                exempt.append(f"View {name} shows one colour and nothing else: not looked at.")
                break
            exempt += [why for why in _exempt(footage) if why not in exempt]
            if footage.colour.shape[1] < limits.LEAST_SIDE:
                break
            for instrument in _INSTRUMENTS:
                reading = instrument(footage)
                gauges += [(name, gauge) for gauge in reading.gauges]
                events += reading.events
    events += physics(episode)
    return Measurements(tuple(gauges), settled(events), tuple(exempt))


def _stands_in(footage: Footage) -> bool:
    """Tell whether a view is there for a camera that was not: no pixel ever differs from another.

    Datasets fill missing views with black; the darkest picture of a camera still has noise.
    """
    first = footage.colour[0, 0, 0]
    return bool((footage.colour == first).all())


def _exempt(footage: Footage) -> Iterator[str]:
    """Yield what is not looked for in this view, and why."""
    name, side = footage.name, footage.colour.shape[1]
    if side < limits.LEAST_SIDE:
        yield f"View {name} is {side} px wide, under {limits.LEAST_SIDE}: not looked at."
    elif len(footage) < 2:
        yield f"View {name} has 1 frame: only whether it is dark, flat or blurred was looked at."
    elif footage.moves:
        yield (
            f"View {name} moves with the robot: no camera_instability, torn frames or jumps of "
            "things were looked for."
        )
    elif footage.fps < limits.LEAST_FPS:
        yield (
            f"View {name} has {footage.fps:.1f} frames a second, under {limits.LEAST_FPS:g}: no "
            "garbled frames or jumps of things were looked for."
        )
