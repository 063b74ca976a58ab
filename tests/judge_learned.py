"""A judge as training leaves it: it has a card, and says which moments it has not seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from assay.judges.base import Bound
from assay.records import Curve, Episode, Floats

CARD = {
    "completion": 0.9,
    "novelty": 3.0,
    "novel_limit": 0.2,
    "look": 1,
    "trained_on": "40 episodes: lift (40)",
}


@dataclass(frozen=True)
class Learned:
    """A fixture: the recorded progress; what lies above `known` is novel.

    Attributes:
        known: The highest progress that it has seen; above 1 nothing is novel.
        weights: The folder that it was trained into.
        goal: A goal, which it ignores.
        about: Changes of the card.
    """

    known: float = 2.0
    weights: Path | None = None
    goal: Path | None = None
    about: Mapping[str, Any] = field(default_factory=dict)

    bound: ClassVar[Bound] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset({"progress"})
    noise: ClassVar[float] = 0.004

    @property
    def card(self) -> dict[str, Any]:
        """Return what is to know of it."""
        return {**CARD, **self.about}

    def clock(self, episode: Episode, fps: float | None) -> Floats:
        """Return the recorded moments."""
        return episode.signals["progress"].times

    def progress(self, episode: Episode, times: Floats) -> Curve:
        """Return the recorded progress."""
        values = np.asarray(episode.at("progress", times), dtype=np.float64)
        return Curve(times, values, np.full(len(times), "ok"), novel=values > self.known)
