"""Frames that are held in memory, shown in another order, or watched being looked at.

A judge that is shown one of these sees an ordinary episode.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from assay.errors import UsageError
from assay.records import Episode, Floats, Frames, Image

__all__ = ["Rearranged", "StoredFrames", "watched"]


@dataclass(frozen=True, slots=True, eq=False)
class StoredFrames:
    """Frames in memory.

    Attributes:
        times: When each is shown [s], increasing, of shape (N,).
        images: uint8 RGB of shape (N, H, W, 3).
        name: What tells them from others.
    """

    times: Floats
    images: Image
    name: str = ""

    def key(self) -> str:
        """Return the name, with a hash of times and pixels."""
        digest = hashlib.sha256(self.times.tobytes() + self.images.tobytes()).hexdigest()
        return f"stored:{self.name}:{digest}"

    def clock(self) -> Floats:
        """Return the times."""
        return self.times

    def at(self, times: Floats) -> Iterator[Image]:
        """Yield the last frame shown at or before each time, or the first one."""
        for place in _places(self.times, times):
            yield self.images[place].copy()


@dataclass(frozen=True, slots=True, eq=False)
class Rearranged:
    """Other frames in another order and on another clock.

    Attributes:
        inner: Where the frames come from.
        times: When each is shown [s], increasing, of shape (M,).
        source: When each was shown in `inner` [s], in any order, of shape (M,).
    """

    inner: Frames
    times: Floats
    source: Floats

    def key(self) -> str:
        """Return the inner key and a hash of the order."""
        order = hashlib.sha256(self.times.tobytes() + self.source.tobytes()).hexdigest()
        return f"rearranged:{order}:{self.inner.key()}"

    def clock(self) -> Floats:
        """Return the new times."""
        return self.times

    def at(self, times: Floats) -> Iterator[Image]:
        """Yield the frame shown at each of the increasing `times`.

        Frames are read forward, so those that are wanted are held until their turn comes.
        """
        wanted = self.source[_places(self.times, times)]
        known, order = np.unique(wanted, return_inverse=True)
        held = list(self.inner.at(known))
        for place in order.tolist():
            yield held[place].copy()


@dataclass(frozen=True, slots=True, eq=False)
class _Watched:
    """Frames that tell when they are looked at: `view` is then in `seen`."""

    inner: Frames
    view: str
    seen: set[str]

    def key(self) -> str:
        """Return the inner key: the pictures are the same."""
        return self.inner.key()

    def clock(self) -> Floats:
        """Return the inner times."""
        return self.inner.clock()

    def at(self, times: Floats) -> Iterator[Image]:
        """Yield the inner frames."""
        for image in self.inner.at(times):
            self.seen.add(self.view)
            yield image


def watched(episode: Episode) -> tuple[Episode, set[str]]:
    """Return the episode, and the set that its views join when they are looked at."""
    seen: set[str] = set()
    views = {
        name: replace(view, frames=_Watched(view.frames, name, seen))
        for name, view in episode.views.items()
    }
    return replace(episode, views=views), seen


def _places(clock: Floats, times: Floats) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return which frame is shown at each of `times`: the last at or before it, or the first."""
    if not len(clock):
        raise UsageError("There are no frames to show.")
    # A millisecond of rounding is forgiven, as everywhere that frames are read by time.
    found = np.searchsorted(clock, np.asarray(times) + 1e-3, side="right") - 1
    return np.clip(found, 0, len(clock) - 1)
