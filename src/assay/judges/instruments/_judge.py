"""Look at every view with every instrument, and make one list of what they found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from assay.errors import EpisodeError
from assay.judges.base import Bound, Examination
from assay.judges.instruments.measurements import measurements
from assay.records import Episode, Event, Judged

__all__ = ["Instruments"]


BLIND: Final = ("task_progress", "instruction_consistency", "robot_body_consistency")
"""Dimensions of which little is seen: a clip without such events is not one free of them."""


@dataclass(frozen=True)
class Instruments:
    """Find faults of picture, objects, robot and physics by measuring; no model is asked.

    What is not an instrument's to see (whether the task was done, and as it was said) is not
    reported. The detail of the result says which instruments were left out, and why.
    """

    bound: ClassVar[Bound] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset({"frames"})
    noise: ClassVar[float | None] = None

    def diagnose(self, episode: Episode) -> Judged[tuple[Event, ...]]:
        """Return the faults found, earliest first."""
        return self.examine(episode).judged

    def examine(self, episode: Episode) -> Examination:
        """Return the faults found, and which dimensions no instrument looks at."""
        try:
            found = measurements(episode)
        except EpisodeError as error:
            return Examination(Judged(None, "missing_frame", str(error)), unasked=BLIND)
        judged = Judged(found.events, detail=" ".join(found.exempt))
        seen = {event.dimension for event in found.events}
        unasked = tuple(dimension for dimension in BLIND if dimension not in seen)
        return Examination(judged, unasked=unasked, notes=found.exempt)
