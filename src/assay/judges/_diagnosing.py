"""What diagnosers that ask a model share: which frames of a clip are shown, each with its time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.episodes import sampling
from assay.episodes.glitches.taxonomy import taxonomy
from assay.errors import EpisodeError
from assay.judges._asking import ModelJudge, Shots
from assay.judges._looks import still_views
from assay.judges._showing import check_pictures
from assay.judges._taxonomy_words import FROM_INSTRUCTION
from assay.judges.base import Examination
from assay.models.base import Part
from assay.records import Episode, Event, Floats, Judged, View

__all__ = ["ModelDiagnoser", "looked_for", "timed"]

_UNIFORM = 16  # frames, evenly over what is looked at
_FULL_FPS = 4.0
_MOST_FULL = 32
_NO_INSTRUCTION = (
    "There is no instruction, so nothing is said on "
    + " and ".join(FROM_INSTRUCTION)
    + ": give one in the column 'instruction' of the manifest, or of a csv for --labels."
)


@dataclass(frozen=True)
class ModelDiagnoser(ModelJudge, ABC):
    """A diagnoser that shows a model frames of a clip.

    Attributes:
        regime: "uniform" shows 16 frames, evenly over what is looked at; "full" shows 4 a second,
            and where that is more than 32, 32 over all of it. Nothing is cut off.
    """

    max_tokens: int = 4096
    regime: Literal["uniform", "full"] = "uniform"

    @property
    def takes(self) -> frozenset[str]:
        """Return which signals it looks at where there are any: none, it goes by the pictures."""
        return frozenset()

    def check(self) -> None:
        """Raise what would stop every clip, more frames than the model takes included."""
        super().check()
        check_pictures(self, _UNIFORM if self.regime == "uniform" else _MOST_FULL)

    def diagnose(self, episode: Episode) -> Judged[tuple[Event, ...]]:
        """Return the faults found, earliest first."""
        return self.examine(episode).judged

    @abstractmethod
    def examine(self, episode: Episode) -> Examination:
        """Return the faults found, and how."""

    def views(self, episode: Episode) -> dict[str, View]:
        """Return all views, or the one that was named."""
        if self.view:
            return still_views(episode, self.view)
        if not episode.views:
            raise EpisodeError(f"{episode.id} has no view to look at.")
        return dict(episode.views)

    def seconds(self, episode: Episode, start_s: float, end_s: float) -> Floats:
        """Return the moments to show of a stretch [s], by the regime; no stored frame twice."""
        clocks = [view.frames.clock() for view in self.views(episode).values()]
        first = max(float(max(clock[0] for clock in clocks)), start_s)
        last = max(min(float(min(clock[-1] for clock in clocks)), end_s), first)
        if self.regime == "uniform":
            wanted = np.linspace(first, last, _UNIFORM)
        else:
            wanted = first + sampling.grid(last - first, _FULL_FPS, _MOST_FULL)
        clock = max(clocks, key=len)
        places = np.clip(np.searchsorted(clock, wanted + 1e-6, side="right") - 1, 0, None)
        return np.unique(np.clip(clock[places], first, last))

    def pictured(self, episode: Episode, times: Floats) -> list[Part]:
        """Return the frames at `times` as parts of a prompt, each after its time."""
        return timed(times, self.frames(episode, times)[1:], self._moving(episode))

    def _moving(self, episode: Episode) -> frozenset[str]:
        return frozenset(name for name, view in self.views(episode).items() if view.moves)


def looked_for(episode: Episode) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the dimensions to look at, those that can't be, and what to say of that."""
    known = tuple(taxonomy().dimensions)
    if episode.instruction.strip():
        return known, (), ()
    kept = tuple(name for name in known if name not in FROM_INSTRUCTION)
    return kept, FROM_INSTRUCTION, (_NO_INSTRUCTION,)


def timed(times: Floats, frames: Sequence[Shots], moving: frozenset[str]) -> list[Part]:
    """Return frames as parts of a prompt, each after its time, and its view where there are more.

    A view that moves with the robot is called so: that its picture moves is no fault.
    """
    parts: list[Part] = []
    for at_s, shots in zip(times.tolist(), frames, strict=True):
        parts += ["\n" if parts else "", f"At {at_s:.2f} s:"]
        for name, picture in shots.items():
            told = f" {name}" if len(shots) > 1 else ""
            told += " (moves with the robot)" if name in moving else ""
            parts += [f"{told}: " if told else " ", picture]
    return parts
