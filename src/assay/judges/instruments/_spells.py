"""Spells: stretches of time for which a part of the picture shows something else.

Each pixel's history is cut into transitions, a few frames in which it goes from one steady value to
another. What moves covers its pixels one after the other. A thing that vanishes, appears or jumps
changes all of its pixels at one moment, and back at another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._footage import Footage
from assay.judges.instruments._spans import Flags

__all__ = ["Spell", "Transitions", "lasting", "spells", "transitions"]

Numbers = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Transitions:
    """Changes of single pixels, each of shape (n,): sorted by pixel, then by time.

    Attributes:
        pixel: Which pixel, row by row.
        first: The first frame that differs from the value before.
        last: The frame from which on the new value is steady.
    """

    pixel: Numbers
    first: Numbers
    last: Numbers

    def some(self, which: Flags | Numbers) -> Transitions:
        """Return a part of them."""
        return Transitions(self.pixel[which], self.first[which], self.last[which])


@dataclass(frozen=True, slots=True, eq=False)
class Spell:
    """A part of the picture that turns into something else at once, and back at once.

    Attributes:
        first: The first frame that shows something else.
        settled: The frame from which on it shows all of it.
        leaves: The first frame on the way back; the number of frames if it never goes back.
        stop: The first frame that is as before.
        mask: Which part, of shape (s, s).
        sharp: Share of its pixels that turn with the very frame, at both ends.
    """

    first: int
    settled: int
    leaves: int
    stop: int
    mask: Flags
    sharp: float

    @property
    def area(self) -> float:
        """Return its share of the picture."""
        return float(self.mask.mean())

    @property
    def crisp(self) -> bool:
        """Tell whether it comes and goes within a frame or two, as a cut does."""
        slopes = max(self.settled - self.first, self.stop - self.leaves)
        return self.sharp >= limits.SPELL_CRISP and slopes <= 1


def transitions(footage: Footage) -> Transitions:
    """Return every change of a half-size pixel that goes on for a few frames at most."""
    changed = np.moveaxis(footage.changes > limits.SPELL_LEVEL, 0, -1)
    side = changed.shape[0]
    flat = changed.reshape(side * side, -1)
    edge = np.zeros((len(flat), 1), bool)
    padded = np.concatenate([edge, flat, edge], axis=1)
    # changed[k] leads from frame k to k + 1.
    pixel, first = np.nonzero(padded[:, 1:-1] & ~padded[:, :-2])
    _, last = np.nonzero(padded[:, 1:-1] & ~padded[:, 2:])
    found = Transitions(pixel, first + 1, last + 1)
    small = footage.small.reshape(len(footage), -1, 3)
    before, after = small[found.first - 1, pixel], small[found.last, pixel]
    return found.some(_apart(before, after) > limits.SPELL_STEP)


def spells(footage: Footage, found: Transitions) -> list[Spell]:
    """Return parts that change together and later change back together."""
    here = _returning(footage, found)
    came, went = found.some(here), found.some(here + 1)
    made: list[Spell] = []
    for chosen in _together(came.first, went.first, len(footage), _least(footage)):
        for own in _split(footage, came.pixel, chosen):
            first, leaves = _usual(came.first[own]), _usual(went.first[own])
            settled, stop = (int(np.quantile(x.last[own], 0.8)) for x in (came, went))
            sharp = float(np.mean((came.first[own] == first) & (went.first[own] == leaves)))
            made.append(Spell(first, settled, leaves, stop, _mask(footage, came.pixel[own]), sharp))
    return made


def lasting(footage: Footage, found: Transitions) -> list[Spell]:
    """Return parts that change together and stay so: they begin as one thing and end as another."""
    small = footage.small.reshape(len(footage), -1, 3)
    before, after = small[found.first - 1, found.pixel], small[found.last, found.pixel]
    begins = _apart(before, small[0, found.pixel]) < limits.SPELL_BACK
    ends = _apart(after, small[-1, found.pixel]) < limits.SPELL_BACK
    came = found.some(begins & ends & _short(footage, found))
    # One moment counts; the other one is the end of the clip.
    never, frames = np.full(len(came.first), len(footage) - 1), len(footage)
    made: list[Spell] = []
    for chosen in _together(came.first, never, frames, _least(footage)):
        for own in _split(footage, came.pixel, chosen):
            first, settled = _usual(came.first[own]), int(np.quantile(came.last[own], 0.8))
            sharp = float(np.mean(came.first[own] == first))
            mask = _mask(footage, came.pixel[own])
            made.append(Spell(first, settled, frames, frames, mask, sharp))
    return made


def _split(footage: Footage, pixel: Numbers, chosen: Numbers) -> Iterator[Numbers]:
    """Yield which of the chosen ones make a connected part of the picture."""
    for part in _parts(_mask(footage, pixel[chosen])):
        yield chosen[part.reshape(-1)[pixel[chosen]]]


def _mask(footage: Footage, pixels: Numbers) -> Flags:
    flat = np.zeros(footage.changes[0].size, bool)
    flat[pixels] = True
    return flat.reshape(footage.changes.shape[1:])


def _usual(frames: Numbers) -> int:
    most: int = int(np.bincount(frames).argmax())
    return most


def _parts(mask: Flags) -> Iterator[Flags]:
    """Yield the connected parts of a mask that are large enough, gaps of a pixel closed."""
    from scipy import ndimage

    whole = ndimage.binary_opening(ndimage.binary_closing(mask), np.ones((2, 2), bool))
    labels, count = ndimage.label(whole, np.ones((3, 3), bool))
    areas = np.bincount(labels.reshape(-1), minlength=count + 1)[1:] / mask.size
    for number in np.flatnonzero(areas >= limits.STEP_LEAST).tolist():
        yield labels == number + 1


def _least(footage: Footage) -> int:
    return max(round(limits.STEP_LEAST * int(footage.changes[0].size)), 4)


def _returning(footage: Footage, found: Transitions) -> Numbers:
    """Return which transitions the pixel's next one undoes."""
    small = footage.small.reshape(len(footage), -1, 3)
    same = found.pixel[:-1] == found.pixel[1:]
    before = small[found.first[:-1] - 1, found.pixel[:-1]]
    after = small[found.last[1:], found.pixel[1:]]
    short = _short(footage, found)
    back = same & (_apart(before, after) < limits.SPELL_BACK) & short[:-1] & short[1:]
    return np.flatnonzero(back)


def _short(footage: Footage, found: Transitions) -> Flags:
    return np.asarray(found.last - found.first <= limits.SPELL_SLOPE_S * footage.fps)


def _together(one: Numbers, other: Numbers, frames: int, least: int) -> Iterator[Numbers]:
    """Yield groups of pixels that share both moments, give or take a frame; the largest first."""
    left = np.ones(len(one), bool)
    table = np.zeros((frames + 2, frames + 2), np.int64)
    np.add.at(table, (one + 1, other + 1), 1)
    while True:
        near = np.zeros((frames, frames), np.int64)
        for a, b in product((0, 1, 2), repeat=2):
            near += table[a : frames + a, b : frames + b]
        at = np.unravel_index(int(np.argmax(near)), (frames, frames))
        if near[at] < least:
            return
        chosen = np.flatnonzero(left & (np.abs(one - at[0]) <= 1) & (np.abs(other - at[1]) <= 1))
        left[chosen] = False
        np.subtract.at(table, (one[chosen] + 1, other[chosen] + 1), 1)
        yield chosen


def _apart(one: npt.NDArray[np.uint8], other: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return how far colours of shape (n, 3) are from each other: the largest of the three."""
    far: npt.NDArray[np.uint8] = (np.maximum(one, other) - np.minimum(one, other)).max(axis=1)
    return far
