"""A diagnoser as a class: it finds stretches in which a clip is too dark to tell what happens."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.episodes import sampling
from assay.judges.base import Bound
from assay.records import Episode, Event, Judged

__all__ = ["TooDark"]


@dataclass(frozen=True)
class TooDark:
    """Report every stretch that is darker than a grey level.

    Attributes:
        level: Mean grey level, 0 to 255.
    """

    level: float = 30.0

    bound: ClassVar[Bound] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset({"frames"})
    noise: ClassVar[None] = None

    def diagnose(self, episode: Episode) -> Judged[tuple[Event, ...]]:
        """Return one event from the first dark moment to the last, or none."""
        times = sampling.grid(episode.duration(), 5.0)
        view = next(iter(episode.views.values()))
        grey = np.array([frame.mean() for frame in view.frames.at(times)])
        dark = times[grey < self.level]
        if not len(dark):
            return Judged(())
        event = Event(
            dimension="visual_quality",
            type="low_visibility",
            start_s=float(dark[0]),
            end_s=float(dark[-1]),
            severity=3.0,
            description="The picture is too dark to tell what happens.",
            evidence=f"mean grey level {grey.min():.0f} of 255",
            frames_s=(float(dark[0]),),
        )
        return Judged((event,))
