"""Show prepared episodes to judges: as they were, or forward and then back.

A clock can't tell that an episode has turned round; whoever looks at the pictures can.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from assay.benchmarks.passport.frames import StoredFrames
from assay.benchmarks.passport.transforms import looped
from assay.jobs._train_frames import Prepared
from assay.records import Episode, Floats, Image, View

__all__ = ["ArrayFrames", "Shown", "shown", "shown_back"]

_ROUNDING_S = 1e-3  # as for frames that are read by time


@dataclass(frozen=True, eq=False)
class ArrayFrames:
    """Frames in an array file. A worker is sent the path, not the pixels.

    Attributes:
        path: The file, uint8 of shape (T, S, S, 3).
        moments: When each is shown [s], increasing, of shape (T,).
    """

    path: Path
    moments: Floats

    def key(self) -> str:
        """Return the file."""
        return str(self.path)

    def clock(self) -> Floats:
        """Return the moments [s]."""
        return self.moments

    def at(self, times: Floats) -> Iterator[Image]:
        """Yield the frame shown at each of `times` [s]."""
        images = np.asarray(np.load(self.path, mmap_mode="r"))
        yield from StoredFrames(self.moments, images).at(times)


@dataclass(frozen=True, eq=False)
class Shown:
    """An episode to be judged, and how its moments belong to those that were prepared."""

    episode: Episode
    moments: Floats
    order: npt.NDArray[np.int64]

    def worth(self, values: Floats, times: Floats) -> Floats:
        """Return what is shown at `times` is worth, by the `values` of the prepared moments."""
        found = np.searchsorted(self.moments, times + _ROUNDING_S, side="right") - 1
        return values[self.order[np.clip(found, 0, len(self.moments) - 1)]]


def shown(prepared: Prepared) -> Shown:
    """Show the episode as it was."""
    views = {
        view: View(ArrayFrames(path, prepared.times), moves=prepared.episode.views[view].moves)
        for view, path in prepared.files.items()
    }
    # A judge of pictures sees pictures: without signals and segments it can read no answer.
    episode = replace(
        prepared.episode, views=views, signals={}, segments=(), length_s=None, extra={}
    )
    return Shown(episode, prepared.times, np.arange(len(prepared.times)))


def shown_back(prepared: Prepared) -> Shown:
    """Show the episode to its end and then the same way back."""
    forward = shown(prepared)
    episode, moments = looped(forward.episode, forward.moments)
    order = np.concatenate([forward.order, forward.order[-2::-1]])
    return Shown(replace(episode, id=f"{episode.id} and back"), moments, order)
