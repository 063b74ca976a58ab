"""Conservation of things: what their ends say of each colour, told as spans of frames."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._breaches import Breach, overlap
from assay.judges.instruments._colours import Coloured
from assay.judges.instruments._doubled import doubled
from assay.judges.instruments._ends import ends_of
from assay.judges.instruments._hops import exchanged, hops_of, jumped, snatched
from assay.judges.instruments._passed import appeared, elsewhere, uncovered
from assay.judges.instruments._places import End, share
from assay.judges.instruments._spans import Flags

__all__ = ["Breach", "breaches"]


def breaches(clip: Coloured) -> list[Breach]:
    """Return where things are not kept, colour by colour."""
    every = ends_of(clip)
    turned = {id(e) for e in every if any(_recoloured(e, o) or _goes_on(e, o) for o in every)}
    found: list[Breach] = []
    for kind in clip.kinds:
        ends = [end for end in every if end.kind == kind]
        masks = clip.masks(kind)
        crossed = hops_of(ends)
        if exchanged(crossed, every):
            found += [replace(j, what="swap") for j in jumped(clip, masks, crossed, ends)]
            continue
        own = [end for end in ends if id(end) not in turned]
        hops = hops_of(own)
        used = {id(end) for hop in hops for end in (hop.left, hop.came)}
        jumps = jumped(clip, masks, hops, own)
        twins = doubled(clip, kind, masks)
        # What comes out of a thing, or is left behind by one, has ends of its own.
        jumps = [one for one in jumps if not any(_meets(one, twin) for twin in twins)]
        sure = [*jumps, *twins]
        rest = [e for e in own if id(e) not in used and not any(_within(e, one) for one in sure)]
        alone = _alone(clip, masks, rest)
        found += _told([*sure, *(a for a in alone if not any(_meets(a, twin) for twin in twins))])
    least = limits.SPELL_LEAST_S * clip.footage.fps
    long = [breach for breach in _once(found) if breach.stop - breach.first >= least]
    return long if len(long) <= limits.BREACH_MOST else []


def _once(found: list[Breach]) -> list[Breach]:
    """Return what happened, each exchange once: both of its things tell of it."""
    made: list[Breach] = []
    for breach in found:
        swapped = (one for one in made if one.what == breach.what == "swap")
        if not any(_meets(one, breach) for one in swapped):
            made.append(breach)
    return made


def _meets(one: Breach, other: Breach) -> bool:
    """Tell whether two spans overlap."""
    return one.first < other.stop and other.first < one.stop


def _recoloured(end: End, other: End) -> bool:
    """Tell whether one colour takes the place of another: that thing has only changed its look."""
    near = abs(end.whole - other.empty) <= 2 or abs(end.empty - other.whole) <= 2
    if end.kind == other.kind or end.gone == other.gone or not near:
        return False
    return overlap(end.blob.mask, other.blob.mask) > 0.5


def _goes_on(end: End, other: End) -> bool:
    """Tell whether a thing is where it was with the next frame: only its track is broken."""
    left, came = (end, other) if end.gone else (other, end)
    if end.kind != other.kind or end.gone == other.gone or came.whole - left.whole not in (0, 1):
        return False
    sizes = sorted((left.blob.area, came.blob.area))
    same = overlap(left.blob.mask, came.blob.mask) > 0.5
    return same and sizes[0] > limits.HOP_SIZES * sizes[1]


def _told(found: list[Breach]) -> list[Breach]:
    """Make one of a jump and what follows at once: what jumped and is then away is not back yet."""
    made: list[Breach] = []
    for breach in sorted(found, key=lambda one: one.first):
        last = made[-1] if made else None
        follows = last is not None and abs(breach.first - last.stop) <= limits.END_SEEN
        if last is not None and last.what == "hop" and breach.what == "gone" and follows:
            made[-1] = replace(last, stop=breach.stop, back=breach.back)
        else:
            made.append(breach)
    return made


def _alone(clip: Coloured, masks: Flags, ends: list[End]) -> list[Breach]:
    """Return what is gone or new, until its colour has the area that it had before."""
    made: list[Breach] = []
    for end in ends:
        other = next((e for e in ends if _undoes(e, end)), None)
        both = other is not None and _both(end, other)
        if not (end.odd or both or uncovered(clip, masks, end)):
            continue
        if any(_within(end, breach) for breach in made):
            continue  # its other end
        passing = next((e for e in ends if other is None and _carried(e, end)), None)
        if passing is not None:
            made.append(Breach("new", passing.whole, end.empty, end, back=True))
            continue
        breach = _spanned(clip, masks, end, other)
        breach = elsewhere(masks, breach, ends)
        if breach.what == "gone" and other is None:
            breach = snatched(clip, breach, ends)
        sunk = [one.sunk for one in (end, other) if one is not None]
        if breach.what == "gone" and any(sunk):
            # What sinks is told as that if it comes up again; all of it has gone if it does not.
            made += [replace(breach, what="sunk")] if sum(sunk) == 2 else []
            made += [breach] if other is None and not breach.back and end.neat else []
        elif (breach.what == "new" or not end.part) and not _brought(breach):
            made.append(breach)  # a thing of which a part is left has not gone
    return _joined(made)


def _both(end: End, other: End) -> bool:
    """Tell whether the two ends of a spell tell it together, as one of them does not by itself."""
    if (end.fair and other.fair) or (end.neat and other.neat):
        return True
    return end.shown and other.shown and 0 in (end.slope, other.slope)


def _carried(came: End, end: End) -> bool:
    """Tell whether what goes has come at once, in a hand that was on its way with it already."""
    same = came.track == end.track >= 0 and end.gone and not came.gone
    return same and came.slope == 0 and came.moves and end.moves


def _brought(breach: Breach) -> bool:
    """Tell whether a hand may have brought a thing: they come together, and it stays for good.

    So it may if a thing of that colour was hidden before, and hands are all around this one.
    """
    if breach.what == "hop":
        return not breach.end.gone and breach.end.clear < limits.PASSED_HAND
    return breach.what == "new" and not breach.back and breach.end.moves and breach.end.held


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
    after = later.whole > end.whole and later.gone != end.gone
    clear = later.odd or later.fair or later.neat or later.shown
    same = not end.gone and later.track == end.track >= 0  # what came goes, wherever it is by then
    return after and clear and (same or overlap(later.blob.mask, end.blob.mask) > 0.5)


def _spanned(clip: Coloured, masks: Flags, end: End, other: End | None) -> Breach:
    """Return for how long a thing is gone, or new, by an end and the one that undoes it.

    What there is at first is right: a thing that goes may have been one too many before, and one
    that comes may have been gone. What an arm hides meanwhile is neither.
    """
    place, areas = end.blob.mask, masks.mean(axis=(1, 2))
    level = float(areas[end.empty]) + 0.5 * end.blob.area
    right = float(np.median(areas[:3]))
    if other is None and end.gone and areas[end.whole] - right > 0.4 * end.blob.area:
        less = np.flatnonzero(areas[: end.whole] < right + 0.25 * end.blob.area)
        came = appeared(clip, masks, place, int(less[-1]) + 1 if len(less) else 0)
        if came is not None:
            return Breach("new", came, end.empty, end, back=True)
    if other is None and not end.gone and right > level:
        seen = int(np.flatnonzero(areas[: end.empty] > level)[-1]) + 1
    else:
        seen = 0
    # What lay elsewhere, and is hidden there, is another one.
    if seen and (end.moves or masks[:seen, place].mean(axis=1).max() > limits.HOP_OPEN):
        bare = (k for k in range(seen, end.whole) if share(clip, k, place, ()) > 0.5)
        # It was lost somewhen between the last frame that shows it and the first one without it.
        first = (seen + next(bare, seen)) // 2
        return Breach("gone", first, end.whole, end, back=True)
    if end.gone:
        twice = _twice(masks, end) if other is None else None
        if twice is not None:
            return Breach("new", twice, end.empty, end, back=True)
        again = np.flatnonzero(areas[end.empty :] > level) + end.empty
        stop = other.whole if other is not None else int([*again, len(areas)][0])
        return Breach("gone", end.whole + 1, stop, end, back=stop < len(areas))
    less = np.flatnonzero(areas[end.whole :] < level) + end.whole
    free = [k for k in less.tolist() if share(clip, k, place, ()) > 0.5]
    stop = other.empty if other is not None else int([*free, len(areas)][0])
    return Breach("new", end.empty + 1, stop, end, back=stop < len(areas))


def _twice(masks: Flags, end: End) -> int | None:
    """Return since when a thing that goes has been there twice; None if it was the only one."""
    from scipy import ndimage

    wide = ndimage.binary_dilation(end.blob.mask, iterations=2)
    extra = (masks[: end.whole + 1] & ~wide).mean(axis=(1, 2))
    extra -= float(np.median(extra[: limits.END_SEEN]))
    if extra[-1] < limits.TWIN_LEAST * end.blob.area:
        return None
    alone = np.flatnonzero(extra < limits.TWIN_BEGINS * end.blob.area)
    return int(alone[-1]) + 1 if len(alone) else None
