"""Tracks: what has one colour and hangs together, followed from frame to frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._spans import Flags
from assay.records import Floats

__all__ = ["Blob", "Track", "blobs_of", "tracks"]


@dataclass(frozen=True, slots=True, eq=False)
class Blob:
    """A part of one colour that hangs together.

    Attributes:
        mask: Where it is, of shape (s, s).
        area: Its share of the picture.
        middle: Row and column, of shape (2,).
    """

    mask: Flags
    area: float
    middle: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """A blob over some frames, without a gap.

    Attributes:
        first: The first frame.
        blobs: What it is in each of them.
    """

    first: int
    blobs: list[Blob]

    @property
    def stop(self) -> int:
        """Return one past its last frame."""
        return self.first + len(self.blobs)

    @property
    def areas(self) -> Floats:
        """Return its share of the picture in each frame."""
        return np.array([blob.area for blob in self.blobs])

    def pace(self, at: int) -> Floats:
        """Return how far it goes with a frame, by the two before its blob `at`, (2,) [px]."""
        back = max(at - 2, 0)
        return (self.blobs[at].middle - self.blobs[back].middle) / max(at - back, 1)

    def mirrored(self, frames: int) -> Track:
        """Return the same track of a clip of so many frames that is played backwards."""
        return Track(frames - self.stop, self.blobs[::-1])


def tracks(masks: Flags, reach: float, least: int) -> list[Track]:
    """Follow the blobs of one colour.

    Args:
        masks: Where the colour is, of shape (T, s, s).
        reach: How far a blob gets with a frame from where it should be [px].
        least: Pixels below which a blob is none.
    """
    live: list[Track] = []
    done: list[Track] = []
    for frame, mask in enumerate(masks):
        blobs = list(blobs_of(mask, least))
        taken = _linked(live, blobs, reach)
        done += [track for number, track in enumerate(live) if number not in taken]
        for number, k in taken.items():
            live[number].blobs.append(blobs[k])
        live = [live[number] for number in taken]
        live += [Track(frame, [b]) for k, b in enumerate(blobs) if k not in taken.values()]
    return [*done, *live]


def blobs_of(mask: Flags, least: int) -> Iterator[Blob]:
    """Yield what hangs together, gaps of two pixels closed: a finger may be before it."""
    from scipy import ndimage

    labels, _ = ndimage.label(ndimage.binary_dilation(mask, np.ones((3, 3), bool)))
    labels *= mask
    counts = np.bincount(labels.reshape(-1))
    rows, columns = np.nonzero(labels)
    found = labels[rows, columns]
    sums = [np.bincount(found, axis, len(counts)) for axis in (rows, columns)]
    for number in (np.flatnonzero(counts[1:] >= least) + 1).tolist():
        middle = np.array([float(total[number]) for total in sums]) / counts[number]
        yield Blob(labels == number, float(counts[number] / labels.size), middle)


def _linked(live: list[Track], blobs: list[Blob], reach: float) -> dict[int, int]:
    """Return which blob goes on with which track: the nearest ones first, each once."""
    if not live or not blobs:
        return {}
    places, areas = np.array([blob.middle for blob in blobs]), np.array([b.area for b in blobs])
    # One picture of all blobs: what a track shares with each is read off it at once.
    shown = np.zeros(blobs[0].mask.shape, np.intp)
    for k, blob in enumerate(blobs):
        shown[blob.mask] = k + 1
    pairs: list[tuple[float, int, int]] = []
    for number, track in enumerate(live):
        last, pace = track.blobs[-1], track.pace(len(track.blobs) - 1)
        ways = places - last.middle
        far = np.minimum(*(np.linalg.norm(way, axis=1) for way in (ways, ways - pace)))
        shared = np.bincount(shown[last.mask], minlength=len(blobs) + 1)[1:] > 0
        # What lies still does not start with a leap.
        rests = len(track.blobs) > 2 and float(np.linalg.norm(pace)) < limits.TRACK_RESTS
        alike = np.minimum(areas, last.area) > limits.TRACK_ALIKE * np.maximum(areas, last.area)
        leaps = rests & (far > limits.TRACK_LEAP)
        goes_on = ((far <= reach) & ~leaps) | (shared & ~(leaps & alike))
        pairs += [
            (float(far[k] - reach * shared[k]), number, int(k)) for k in np.flatnonzero(goes_on)
        ]
    taken: dict[int, int] = {}
    for _, number, k in sorted(pairs):
        if number not in taken and k not in taken.values():
            taken[number] = k
    return taken
