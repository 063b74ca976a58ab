"""Conservation of things: what their ends say of each colour, told as spans of frames."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._colours import Coloured
from assay.judges.instruments._ends import ends_of
from assay.judges.instruments._places import End, around
from assay.judges.instruments._spans import Flags
from assay.records import Floats

__all__ = ["Breach", "breaches"]


@dataclass(frozen=True, slots=True, eq=False)
class Breach:
    """A thing that is not kept: gone, new or elsewhere.

    Attributes:
        what: "gone", "new" or "hop".
        first: The first frame.
        stop: One past the last.
        end: The end of a track that shows it best.
        back: Whether it is put right again within the clip.
    """

    what: str
    first: int
    stop: int
    end: End
    back: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Hop:
    """A track that ends at one place while another one of its colour begins elsewhere."""

    left: End
    came: End

    @property
    def frame(self) -> int:
        return self.came.whole

    @property
    def honest(self) -> bool:
        """Tell whether a hand may do that: it moves on as before, speeds up quickly, or falls."""
        paces = np.linalg.norm([self.left.pace, self.came.pace], axis=1)
        way: Floats = self.came.blob.middle - self.left.blob.middle
        falls = way[0] > 0 and abs(way[1]) < limits.LIFTED * way[0]
        near = float(np.linalg.norm(way)) < limits.HOP_FAR * len(self.left.blob.mask)
        moves = paces > limits.HOP_MOVES
        return bool(moves.all() or (near and (moves.any() or falls)))


def breaches(clip: Coloured) -> list[Breach]:
    """Return where things are not kept, colour by colour."""
    every = ends_of(clip)
    turned = {id(end) for end in every if any(_recoloured(end, other) for other in every)}
    found: list[Breach] = []
    for kind in clip.kinds:
        own = [end for end in every if end.kind == kind and id(end) not in turned]
        hops = _hops(own)
        used = {id(end) for hop in hops for end in (hop.left, hop.came)}
        if not _exchanged(hops, every):
            found += _jumped(clip, hops)
        found += _alone(clip.masks(kind), [end for end in own if id(end) not in used])
    least = limits.SPELL_LEAST_S * clip.footage.fps
    long = [breach for breach in found if breach.stop - breach.first >= least]
    return long if len(long) <= limits.BREACH_MOST else []


def _recoloured(end: End, other: End) -> bool:
    """Tell whether one colour takes the place of another: that thing has only changed its look."""
    near = abs(end.whole - other.empty) <= 2 or abs(end.empty - other.whole) <= 2
    if end.kind == other.kind or end.gone == other.gone or not near:
        return False
    return _shared(end.blob.mask, other.blob.mask) > 0.5


def _shared(one: Flags, other: Flags) -> float:
    return float((one & other).sum()) / float(min(one.sum(), other.sum()))


def _hops(ends: list[End]) -> list[_Hop]:
    """Return what ends and begins with the same frame, in one colour and of like size."""
    made: list[_Hop] = []
    for left in (end for end in ends if end.gone and end.slope == 0):
        for came in (end for end in ends if not end.gone and end.slope == 0):
            sizes = sorted((left.blob.area, came.blob.area))
            at_once = abs(left.empty - came.whole) <= 1
            bare = max(left.bare, came.bare) >= limits.HOP_OPEN
            if at_once and bare and sizes[0] > limits.HOP_SIZES * sizes[1]:
                made.append(_Hop(left, came))
                break
    return made


def _exchanged(hops: list[_Hop], every: list[End]) -> bool:
    """Tell whether a thing of another colour comes to where one has left, as it jumps."""
    return any(
        end.kind != hop.left.kind
        and abs(end.whole - hop.frame) <= 1
        and not end.gone
        and _shared(end.blob.mask, hop.left.blob.mask) > 0.3
        for hop in hops
        for end in every
    )


def _jumped(clip: Coloured, hops: list[_Hop]) -> list[Breach]:
    """Return jumps, each until the next one; a single one to the end, or since it was left."""
    free = [hop for hop in hops if not hop.honest]
    if len(free) == 1:
        (hop,) = free
        if hop.came.clear < hop.left.clear - limits.HOP_HELD:
            # It was left behind before, and is in the hand from here on.
            return [Breach("hop", _left(clip, hop.left), hop.frame, hop.left, back=True)]
        return [Breach("hop", hop.frame, len(clip.labels), hop.came, back=False)]
    made = [
        Breach("hop", one.frame, other.frame, one.came, back=True) for one, other in pairwise(free)
    ]
    return made[::2]


def _left(clip: Coloured, end: End) -> int:
    """Return since when no hand has been beside a thing."""
    ring = around(end.blob.mask)
    shown = [float((clip.bare(k) | clip.thing(k))[ring].mean()) for k in range(end.whole, -1, -1)]
    near = np.flatnonzero(np.array(shown) < end.clear - limits.HOP_HELD)
    return end.whole - int(near[0]) + 1 if len(near) else 0


def _alone(masks: Flags, ends: list[End]) -> list[Breach]:
    """Return what is gone or new, until its colour has the area that it had before."""
    areas = masks.mean(axis=(1, 2))
    made: list[Breach] = []
    for end in ends:
        other = next((e for e in ends if _undoes(e, end)), None)
        if not (end.odd or (end.fair and other is not None and other.fair)):
            continue
        if any(_within(end, breach) for breach in made):
            continue  # its other end
        breach = _spanned(areas, end, other)
        # A thing of which a part is left has not gone.
        made += [breach] if breach.what == "new" or not end.part else []
    return _joined(made)


def _within(end: End, breach: Breach) -> bool:
    """Tell whether an end belongs to a span; what ends as the first end did begins another."""
    after = 0 if end.gone == breach.end.gone else 2
    return breach.first - 2 <= end.whole <= breach.stop + after


def _joined(found: list[Breach]) -> list[Breach]:
    """Make one of spans with a short pause: the thing blinks."""
    made: list[Breach] = []
    for breach in sorted(found, key=lambda one: one.first):
        last = made[-1] if made else None
        if last is None or breach.what != last.what:
            made.append(breach)
        elif breach.first - last.stop <= limits.PATCH_PAUSE:
            stop = max(last.stop, breach.stop)
            made[-1] = replace(last, stop=stop, back=breach.back)
        else:
            made.append(breach)
    return made


def _undoes(later: End, end: End) -> bool:
    """Tell whether a later end puts a thing right at the place where it was not kept."""
    after = later.whole > end.whole and later.gone != end.gone and (later.odd or later.fair)
    return after and _shared(later.blob.mask, end.blob.mask) > 0.5


def _spanned(areas: Floats, end: End, other: End | None) -> Breach:
    """Return for how long a thing is gone, or new, by an end and the one that undoes it.

    What there is at first is right: a thing that goes may have been one too many before, and one
    that comes may have been gone.
    """
    level = float(areas[end.empty]) + 0.5 * end.blob.area
    right = float(np.median(areas[:3]))
    if other is None and end.gone and areas[end.whole] - right > 0.4 * end.blob.area:
        less = np.flatnonzero(areas[: end.whole] < right + 0.25 * end.blob.area)
        return Breach("new", int(less[-1]) + 1 if len(less) else 0, end.empty, end, back=True)
    if other is None and not end.gone and right > level:
        more = np.flatnonzero(areas[: end.empty] > level)
        return Breach("gone", int(more[-1]) + 1, end.whole, end, back=True)
    if end.gone:
        again = np.flatnonzero(areas[end.empty :] > level) + end.empty
        stop = other.whole if other is not None else int([*again, len(areas)][0])
        return Breach("gone", end.whole + 1, stop, end, back=stop < len(areas))
    again = np.flatnonzero(areas[end.whole :] < level) + end.whole
    stop = other.empty if other is not None else int([*again, len(areas)][0])
    return Breach("new", end.empty + 1, stop, end, back=stop < len(areas))
