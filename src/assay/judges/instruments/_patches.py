"""Patches: small parts of the picture that turn within a few frames while all around them stands.

A robot that moves changes what lies beside it too, before, meanwhile and after. A thing that fades,
dissolves, shrinks or is pulled away changes its own place and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._footage import Footage, apart
from assay.judges.instruments._spans import Flags
from assay.records import Image

__all__ = ["Patch", "patches"]

_STEADY = 3  # frames for which a patch stands before it turns and after


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """A part of the picture that turns.

    Attributes:
        first: The first frame that differs from what was there.
        settled: The first frame that shows what is there afterwards.
        mask: Which part, of shape (s, s).
        wide: Share of the picture that moves meanwhile and is connected to it.
    """

    first: int
    settled: int
    mask: Flags
    wide: float

    @property
    def area(self) -> float:
        """Return its share of the picture."""
        return float(self.mask.mean())


def patches(footage: Footage) -> list[Patch]:
    """Return the patches of a clip, earliest first; of several views of a change the clearest."""
    made: list[Patch] = []
    slopes = [round(s * footage.fps) for s in (limits.SPELL_SLOPE_S, limits.PATCH_QUICK_S)]
    for slope in slopes:
        for last in range(_STEADY - 1, len(footage) - max(slope, 1) - _STEADY):
            made += _between(footage, last, last + max(slope, 1) + 1)
    kept: list[Patch] = []
    for patch in sorted(made, key=lambda one: one.wide - 5 * one.area):
        if not any(_same(patch, other, slopes[0]) for other in kept):
            kept.append(patch)
    return sorted(kept, key=lambda patch: patch.first)


def _same(one: Patch, other: Patch, slope: int) -> bool:
    """Tell whether two patches are one change, seen from two moments."""
    both = float((one.mask & other.mask).sum())
    near = one.first <= other.settled + slope and other.first <= one.settled + slope
    return near and both > 0.3 * min(float(one.mask.sum()), float(other.mask.sum()))


def _between(footage: Footage, last: int, until: int) -> Iterator[Patch]:
    """Yield what differs between a frame and a later one, and stands before and after."""
    earlier, later = last - _STEADY + 1, until
    # Shadows and robots of metal leave hues as they are: what changes them is a thing.
    hues = footage.hues[last : until + 1]
    turned = np.abs(hues[-1] - hues[0]).max(axis=-1) > limits.PATCH_HUE
    turned &= _quiet(footage, earlier) & _quiet(footage, later)
    if turned.mean() < limits.STEP_LEAST:
        return
    looks = _steady(footage.small, earlier), _steady(footage.small, later)
    turned &= apart(*looks) > limits.SPELL_STEP
    moved = (footage.changes[last:until] > limits.SPELL_LEVEL).any(axis=0)
    moved &= np.ptp(hues, axis=0).max(axis=-1) > limits.PATCH_HUE
    for mask, wide in _isolated(turned, moved):
        patch = _timed(footage, mask, wide, (last, until), looks)
        if patch is not None:
            yield patch


def _steady(small: Image, first: int) -> Image:
    """Return the middle of `_STEADY` frames."""
    middle: Image = np.sort(small[first : first + _STEADY], axis=0)[_STEADY // 2]
    return middle


def _quiet(footage: Footage, first: int) -> Flags:
    """Return which pixels stand for `_STEADY` frames."""
    steps = footage.changes[first : first + _STEADY - 1]
    return np.asarray((steps <= limits.SPELL_LEVEL).all(axis=0))


def _isolated(changed: Flags, moved: Flags) -> Iterator[tuple[Flags, float]]:
    """Yield parts that changed, each with the share that moved in connection with it."""
    from scipy import ndimage

    whole = np.ones((3, 3), bool)
    own, count = ndimage.label(ndimage.binary_opening(changed, np.ones((2, 2), bool)), whole)
    areas = np.bincount(own.reshape(-1), minlength=count + 1) / own.size
    fit = np.flatnonzero((areas >= limits.STEP_LEAST) & (areas <= limits.THING_MOST))
    fit = fit[fit > 0]
    if not len(fit):
        return
    all_of_it, _ = ndimage.label(
        changed | ndimage.binary_opening(moved, np.ones((2, 2), bool)), whole
    )
    widths = np.bincount(all_of_it.reshape(-1)) / own.size
    for number in fit.tolist():
        mask = own == number
        numbers = np.unique(all_of_it[mask])
        wide = float(widths[numbers[numbers > 0]].sum())
        if wide <= limits.PATCH_WIDE * areas[number] + limits.STEP_LEAST:
            yield mask, wide


def _timed(
    footage: Footage, mask: Flags, wide: float, between: tuple[int, int], looks: tuple[Image, Image]
) -> Patch | None:
    """Return a patch with its moments; None if it did not turn between the two frames."""
    last, until = between
    inside = footage.small[last : until + 1, mask]
    before, after = (look[mask] for look in looks)
    left = np.array([(apart(one, before) > limits.SPELL_LEVEL).mean() for one in inside])
    came = np.array([(apart(one, after) <= limits.SPELL_LEVEL).mean() for one in inside])
    begun, ended = np.flatnonzero(left > 0.2), np.flatnonzero(came > 0.8)
    if not len(begun) or not len(ended) or begun[0] == 0:
        return None
    return Patch(last + int(begun[0]), last + int(max(ended[0], begun[0])), mask, wide)
