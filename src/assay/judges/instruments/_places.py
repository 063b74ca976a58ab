"""Ends of things, and what is seen at their places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._colours import Coloured
from assay.judges.instruments._footage import apart
from assay.judges.instruments._limits import STEP_LEVEL
from assay.judges.instruments._spans import Flags
from assay.judges.instruments._tracks import Blob
from assay.records import Floats

__all__ = ["End", "around", "changed", "share", "stirred"]


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """One end of a thing's track.

    Attributes:
        kind: Its colour.
        gone: Whether the track ends there; else it begins.
        whole: The last frame, or the first one, that shows all of it.
        empty: The first frame, or the last one, that shows nothing of it.
        blob: What it looked like when it was whole.
        pace: How far it went with a frame by then, of shape (2,) [px].
        bare: Share of its place that shows the scene, or another thing of its colour, once it is
            not there.
        missing: Share of it that its colour lacks all around.
        clear: Share of its surroundings that shows the scene all the while, and no arm.
        stirred: Share of its surroundings that moves just before or after.
        still: For how many frames it lies at that place, up to its end.
        stays: Whether its whole track does.
        sunk: Whether it goes down where it stands, or comes up there, and is cut off below.
        part: Whether it was a part of a larger blob, which goes on.
        track: The number of its track; both of its ends have it.
    """

    kind: int
    gone: bool
    whole: int
    empty: int
    blob: Blob
    pace: Floats
    bare: float
    missing: float
    clear: float
    stirred: float = 0.0
    still: int = 0
    stays: bool = True
    sunk: bool = False
    part: bool = False
    track: int = -1

    @property
    def slope(self) -> int:
        """Return how many frames lie between all and nothing."""
        return abs(self.empty - self.whole) - 1

    @property
    def odd(self) -> bool:
        """Tell whether nothing can have hidden the thing, or brought it."""
        if self.slope == 0:
            # What lies free is covered and uncovered by what moves beside it as well.
            passed = self.stirred > limits.PATCH_RESTLESS and not self.moves
            return self._lacks and self.bare >= (
                limits.END_OPEN_SLOW if passed else limits.END_OPEN_QUICK
            )
        return self.fair and self.bare >= limits.END_OPEN_SLOW

    @property
    def moves(self) -> bool:
        """Tell whether it is on its way as it goes or comes."""
        return float(np.linalg.norm(self.pace)) > limits.HOP_MOVES

    @property
    def held(self) -> bool:
        """Tell whether a hand may be beside it."""
        return self.clear < limits.END_CLEAR

    @property
    def fair(self) -> bool:
        """Tell whether the other end of an odd spell may look so."""
        clear = self.clear >= limits.END_CLEAR and self.bare >= limits.END_OPEN_FAIR
        return clear and self._lacks

    @property
    def shown(self) -> bool:
        """Tell whether its place is seen without it, whatever is beside it."""
        return self.bare >= limits.END_OPEN_FAIR and self._lacks

    @property
    def neat(self) -> bool:
        """Tell whether nothing is beside it and all of its place is free, however small it is."""
        free = self.bare >= limits.END_OPEN_SLOW and self.clear >= limits.END_CLEAR
        return free and self.missing >= limits.END_MISSING

    @property
    def _lacks(self) -> bool:
        large = self.blob.area >= limits.THING_ALONE
        return large and self.missing >= limits.END_MISSING


def around(mask: Flags) -> Flags:
    """Return what lies beside a part, but for its soft edge."""
    from scipy import ndimage

    wide = ndimage.binary_dilation(mask, iterations=limits.STEP_NEAR)
    return np.asarray(wide & ~ndimage.binary_dilation(mask, iterations=2))


def stirred(clip: Coloured, ring: Flags, first: int, last: int) -> float:
    """Return the largest share of a ring that moves just before one frame, or after another."""
    # changes[k] leads from frame k to k + 1.
    moved = clip.footage.changes > STEP_LEVEL
    beside = (moved[max(first - 2, 0) : first], moved[last : last + 2])
    return max(
        float(part[:, ring].any(axis=0).mean()) if len(part) and ring.any() else 0.0
        for part in beside
    )


def share(clip: Coloured, frame: int, place: Flags, kinds: tuple[int, ...]) -> float:
    """Return which share of a place shows the scene in a frame, or a thing of some colours."""
    shown = clip.bare(frame) | np.isin(clip.labels[frame], kinds)
    return float(shown[place].mean()) if place.any() else 0.0


def changed(clip: Coloured, blob: Blob, whole: int, later: list[int]) -> bool:
    """Tell whether the place of a thing looks otherwise without it, and not only in name.

    If much of the scene does so too, the light has changed.
    """
    small = clip.footage.small
    first, last = sorted((whole, later[0]))
    moved = clip.footage.changes[first:last] > STEP_LEVEL
    if float(moved.mean(axis=(1, 2)).max()) > limits.END_LIGHT:
        return False
    before = small[whole][blob.mask]
    far = [float(np.median(apart(before, small[k][blob.mask]))) for k in later]
    return max(far) >= limits.END_LEVEL
