"""Show prepared episodes to judges: as they were, or forward and then back.

A clock can't tell that an episode has turned round; whoever looks at the pictures can.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from assay.jobs._train_frames import Prepared
from assay.records import Episode, Floats, Image, View

__all__ = ["ArrayFrames", "Shown", "shown", "shown_back"]

_ROUNDING_S = 1e-6


@dataclass(frozen=True, eq=False)
class ArrayFrames:
    """Prepared frames as any judge takes them.

    Attributes:
        path: The array file, uint8 of shape (N, S, S, 3).
        moments: When something is shown [s], increasing, of shape (T,).
        order: Which of the N frames is shown then, of shape (T,).
    """

    path: Path
    moments: Floats
    order: npt.NDArray[np.int64]

    def key(self) -> str:
        """Return the file and the order."""
        return f"{self.path} {self.order.tolist()}"

    def clock(self) -> Floats:
        """Return the moments [s]."""
        return self.moments

    def at(self, times: Floats) -> Iterator[Image]:
        """Yield the frame shown at each of `times` [s]."""
        frames = np.load(self.path, mmap_mode="r")
        for nth in _places(self.moments, times):
            yield np.array(frames[self.order[nth]])


@dataclass(frozen=True, eq=False)
class Shown:
    """An episode to be judged, and how its moments belong to those that were prepared."""

    episode: Episode
    moments: Floats
    order: npt.NDArray[np.int64]

    def worth(self, values: Floats, times: Floats) -> Floats:
        """Return what is shown at `times` is worth, by the `values` of the prepared moments."""
        return values[self.order[_places(self.moments, times)]]


def shown(prepared: Prepared) -> Shown:
    """Show the episode as it was."""
    return _shown(prepared, prepared.times, np.arange(len(prepared.times)), prepared.episode.id)


def shown_back(prepared: Prepared) -> Shown:
    """Show the episode to its end and then the same way back."""
    times = prepared.times
    there = np.arange(len(times))
    moments = np.concatenate([times, 2 * times[-1] - times[-2::-1]])
    order = np.concatenate([there, there[-2::-1]])
    return _shown(prepared, moments, order, f"{prepared.episode.id} and back")


def _shown(prepared: Prepared, moments: Floats, order: npt.NDArray[np.int64], name: str) -> Shown:
    views = {
        view: View(ArrayFrames(path, moments, order), moves=prepared.episode.views[view].moves)
        for view, path in prepared.files.items()
    }
    # A judge of pictures sees pictures: without signals and segments it can read no answer.
    episode = replace(
        prepared.episode, id=name, views=views, signals={}, segments=(), length_s=None, extra={}
    )
    return Shown(episode, moments, order)


def _places(moments: Floats, times: Floats) -> npt.NDArray[np.int64]:
    """Return which of `moments` is shown at each of `times`: the last one before it."""
    found = np.searchsorted(moments, times + _ROUNDING_S, side="right") - 1
    return np.clip(found, 0, len(moments) - 1)
