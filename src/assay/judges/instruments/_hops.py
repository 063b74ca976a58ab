"""Jumps: a track ends at one place while another one of its colour begins elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._breaches import Breach, overlap
from assay.judges.instruments._colours import Coloured
from assay.judges.instruments._places import End, around, share
from assay.judges.instruments._spans import Flags
from assay.records import Floats

__all__ = ["Hop", "exchanged", "hops_of", "jumped", "snatched"]


@dataclass(frozen=True, slots=True, eq=False)
class Hop:
    """A track that ends at one place while another one of its colour begins elsewhere."""

    left: End
    came: End

    @property
    def frame(self) -> int:
        """Return the first frame that does not show it at its old place."""
        return min(self.left.whole + 1, self.came.whole)

    @property
    def way(self) -> Floats:
        """Return how far it goes, rows and columns [px]."""
        return self.came.blob.middle - self.left.blob.middle

    @property
    def honest(self) -> bool:
        """Tell whether a hand may do that: it moves on as before, speeds up quickly, or falls.

        Nor has a thing jumped that goes along with a hand that does not touch it.
        """
        moves = (self.left.moves, self.came.moves)
        falls = self.way[0] > 0 and abs(self.way[1]) < limits.LIFTED * self.way[0]
        near = float(np.linalg.norm(self.way)) < limits.HOP_FAR * len(self.left.blob.mask)
        if any(end.moves and not end.held for end in (self.left, self.came)):
            return True
        return all(moves) or (near and (any(moves) or falls))

    @property
    def up(self) -> bool:
        """Tell whether it goes from rest straight up, and hangs there."""
        return self._upright and self.way[0] < 0

    @property
    def down(self) -> bool:
        """Tell whether it comes straight down from where it hung."""
        return self._upright and self.way[0] > 0

    @property
    def _upright(self) -> bool:
        straight = abs(float(self.way[1])) < limits.LIFTED * abs(float(self.way[0]))
        return straight and not (self.left.held or self.came.held)


def hops_of(ends: list[End]) -> list[Hop]:
    """Return what ends and begins with the same frame, in one colour and of like size.

    From one free place to another a thing may also slide or fade within a few frames.
    """
    made: list[Hop] = []
    for left in (end for end in ends if end.gone):
        for came in (end for end in ends if not end.gone):
            sizes = sorted((left.blob.area, came.blob.area))
            at_once = left.slope == came.slope == 0 and abs(left.empty - came.whole) <= 1
            bare = max(left.bare, came.bare) >= limits.HOP_OPEN
            like = sizes[0] > limits.HOP_SIZES * sizes[1]
            if overlap(left.blob.mask, came.blob.mask) > 0.3:
                continue  # it is where it was
            if like and ((at_once and bare) or _glides(left, came) or _blinks(left, came)):
                made.append(Hop(left, came))
                break
    return made


def _glides(left: End, came: End) -> bool:
    """Tell whether a thing goes from rest to rest within some frames, and no hand is beside it."""
    free = all(
        end.bare >= limits.END_OPEN_SLOW and not end.held and end.still >= limits.END_SEEN
        for end in (left, came)
    )
    return free and 0 < came.whole - left.whole <= limits.PATCH_NEAR + 1


def _blinks(left: End, came: End) -> bool:
    """Tell whether a thing is gone for some frames and then lies elsewhere, without a hand."""
    lies = came.stays and not (left.moves or came.moves)
    return lies and left.odd and came.odd and 0 < came.whole - left.whole <= limits.PATCH_PAUSE


def exchanged(hops: list[Hop], every: list[End]) -> bool:
    """Tell whether a thing of another colour comes from where one jumps to, to where it was."""

    def crosses(hop: Hop, *, gone: bool) -> set[int]:
        place = hop.came if gone else hop.left
        ends = (e for e in every if e.gone == gone and abs(e.whole - hop.frame) <= 1)
        return {e.kind for e in ends if overlap(e.blob.mask, place.blob.mask) > 0.3}

    return any(
        (crosses(hop, gone=True) & crosses(hop, gone=False)) - {hop.left.kind} for hop in hops
    )


def jumped(clip: Coloured, masks: Flags, hops: list[Hop], ends: list[End]) -> list[Breach]:
    """Return jumps of one colour, each until the thing is put right.

    Args:
        clip: The clip.
        masks: Where the colour is, of shape (T, s, s).
        hops: What jumps.
        ends: All ends of that colour.
    """
    left = [hop for hop in hops if not hop.honest]
    made: list[Breach] = []
    while left:
        first, *later = left
        back = _back(first, later)
        if back is not None:
            what = "up" if first.up else "hop"
            made.append(Breach(what, first.frame, back.frame, first.came, back=True))
            left = later[later.index(back) + 1 :]
        else:
            whole = Hop(first.left, _last(first, later).came)
            made.append(_return(clip, masks, first, ends) or _single(clip, masks, whole, ends))
            left = []
    return _joined(masks, made)


def _joined(masks: Flags, found: list[Breach]) -> list[Breach]:
    """Make one of jumps to and fro with short pauses: some are too short to be tracked."""
    made: list[Breach] = []
    for breach in found:
        stop = _last_away(masks, breach) if breach.back else breach.stop
        whole = replace(breach, stop=stop, back=stop < len(masks))
        last = made[-1] if made else None
        if last is not None and whole.first - last.stop <= limits.PATCH_PAUSE:
            stop = max(last.stop, whole.stop)
            made[-1] = replace(last, stop=stop, back=stop < len(masks))
        else:
            made.append(whole)
    return made


def _last_away(masks: Flags, breach: Breach) -> int:
    """Return when a thing that jumps to the same place again and again is back for good."""
    there, stop = masks[:, breach.end.blob.mask].mean(axis=1) > 0.5, breach.stop
    for frame in range(breach.stop, len(masks)):
        if frame - stop > limits.PATCH_PAUSE:
            break
        if there[frame]:
            stop = frame + 1
    return stop


def snatched(clip: Coloured, breach: Breach, ends: list[End]) -> Breach:
    """Return a thing that seems to be gone as one that jumped, if it is elsewhere from then on.

    In a hand, that is right as soon as the hand is where it lay.
    """
    left = breach.end
    begun = [e for e in ends if not e.gone and abs(e.empty - left.whole) <= 1]
    begun = [e for e in begun if e.moves or _apart(left, e)]
    if left.moves or not begun:
        return breach
    moves = any(end.moves for end in begun)
    until = _hand(clip, left, range(left.whole, len(clip.labels))) if moves else None
    stop = breach.stop if until is None else left.whole + until
    return replace(breach, what="hop", stop=stop, back=stop < len(clip.labels))


def _apart(left: End, came: End) -> bool:
    """Tell whether a thing lies elsewhere from the next frame on, and not only a part of it."""
    sizes = sorted((left.blob.area, came.blob.area))
    far = float(np.linalg.norm(came.blob.middle - left.blob.middle))
    wide = 2 * np.sqrt(sizes[1]) * len(left.blob.mask)
    return left.slope == 0 and far > wide and sizes[0] > limits.HOP_SIZES * sizes[1]


def _back(first: Hop, later: list[Hop]) -> Hop | None:
    """Return the hop that puts a thing right: to where it was, or to the hand that held it."""
    home = [hop for hop in later if overlap(hop.came.blob.mask, first.left.blob.mask) > 0.3]
    if home:
        return home[0]
    if _carried(first.left):
        return next((hop for hop in later if _carried(hop.came)), None)
    return None


def _carried(end: End) -> bool:
    """Tell whether a thing may be in a hand, which goes on meanwhile."""
    return end.held or end.moves or not end.stays


def _last(first: Hop, later: list[Hop]) -> Hop:
    """Return the last of the hops that a thing makes on from where the one before brought it."""
    for hop in later:
        if overlap(hop.left.blob.mask, first.came.blob.mask) > 0.3:
            first = hop
    return first


def _return(clip: Coloured, masks: Flags, hop: Hop, ends: list[End]) -> Breach | None:
    """Return what a jump puts right: the thing lay there at first, and left without a hand.

    An arm may have hidden that, but it has not brought what never moved where it is since then.
    """
    place = hop.came.blob.mask
    at_first = np.median(masks[: limits.END_SEEN], axis=0) > 0.5
    there, here = (float(at_first[end.blob.mask].mean()) for end in (hop.came, hop.left))
    if there < limits.END_MISSING or here > there / 2 or (hop.came.held and not hop.came.stays):
        return None
    lies = np.flatnonzero(masks[: hop.frame - 1, place].mean(axis=1) > 0.5)
    since = int(lies[-1]) + 1
    begun = [e for e in ends if not e.gone and e.track == hop.left.track and e.stays]
    clear = min(share(clip, k, around(place), clip.kinds) for k in (since - 1, since))
    if clear < limits.END_CLEAR and not begun:
        return None  # a hand may have taken it
    since = max(since, begun[0].whole) if begun else since
    return Breach("up" if hop.down else "hop", since, hop.frame, hop.left, back=True)


def _single(clip: Coloured, masks: Flags, hop: Hop, ends: list[End]) -> Breach:
    """Return a jump whose way back was not seen as one.

    What was left behind before is in the hand from here on; what jumps out of the hand to its goal
    is right as soon as the hand is there too. Else it is put right when it is at its old place
    again, or when its new one is empty.
    """
    left, came, frames = hop.left, hop.came, len(clip.labels)
    since = until = None
    taken = not came.stays and came.clear < left.clear - limits.HOP_HELD
    if taken and not left.moves:
        since = _hand(clip, left, range(left.whole, -1, -1))
    if since is not None:
        return Breach("hop", left.whole - since, hop.frame, left, back=True)
    what = "up" if hop.up else "hop"
    again = next((e for e in ends if e.whole > hop.frame and _rights(hop, e)), None)
    if again is not None:
        stop = again.empty if again.gone else again.whole
        return Breach(what, hop.frame, stop, came, back=True)
    if left.stays and came.moves and came.held:
        until = _hand(clip, left, range(left.whole, frames))
        stop = frames if until is None else left.whole + until
        return Breach(what, hop.frame, stop, came, back=stop < frames)
    if left.held and not left.stays and not came.held:
        until = _hand(clip, came, range(came.whole, frames))
    stop = _home(masks, hop) if until is None else came.whole + until
    return Breach(what, hop.frame, stop, came, back=stop < frames)


def _home(masks: Flags, hop: Hop) -> int:
    """Return when a thing is seen at its old place and no more at its new one; the end if never."""
    old, new = (masks[:, end.blob.mask].mean(axis=1) for end in (hop.left, hop.came))
    later = np.arange(len(masks)) > hop.came.whole
    back = np.flatnonzero(later & (old > limits.END_OPEN_FAIR) & (new < 1 - limits.TWIN_STAYS))
    return int(back[0]) if len(back) and not hop.left.moves else len(masks)


def _rights(hop: Hop, end: End) -> bool:
    """Tell whether an end undoes a jump: the thing is at its old place, or not at its new one."""
    place = hop.came if end.gone else hop.left
    at_once = end.slope == 0 and end.bare >= limits.END_OPEN_SLOW and not end.held
    return (at_once or end.odd or end.fair) and overlap(end.blob.mask, place.blob.mask) > 0.5


def _hand(clip: Coloured, end: End, frames: range) -> int | None:
    """Return after how many frames a hand has come as near to a thing as it does; None if never."""
    near = np.flatnonzero(_shown(clip, around(end.blob.mask), frames) < end.clear - limits.HOP_HELD)
    if not len(near):
        return None
    begins = int(near[0])
    later = frames[begins : begins + round(limits.HOP_COMES_S * clip.footage.fps) + 1]
    # It has come when nearly all of it is there that will be.
    wide = _wide(end.blob.mask)
    before, comes = float(_shown(clip, wide, frames[:1])[0]), _shown(clip, wide, later)
    there = comes <= before - limits.HOP_THERE * (before - comes.min())
    return begins + int(np.flatnonzero(there)[0]) if there.any() else begins


def _shown(clip: Coloured, ring: Flags, frames: range) -> Floats:
    """Return which share of a ring shows no hand, by frame."""
    return np.array([float((clip.bare(k) | clip.thing(k))[ring].mean()) for k in frames])


def _wide(mask: Flags) -> Flags:
    """Return what lies around a thing, as far as a hand does that holds it."""
    from scipy import ndimage

    near = ndimage.binary_dilation(mask, iterations=2)
    return np.asarray(ndimage.binary_dilation(mask, iterations=3 * limits.STEP_NEAR) & ~near)
