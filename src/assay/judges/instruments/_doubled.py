"""Things that are there twice: one stays where it lay while another one comes out of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._breaches import Breach
from assay.judges.instruments._colours import Coloured
from assay.judges.instruments._places import End, around, share
from assay.judges.instruments._spans import Flags, runs
from assay.judges.instruments._tracks import Blob, blobs_of
from assay.records import Floats

__all__ = ["doubled"]

_FIRST = 5  # frames that tell what there is at first


def doubled(clip: Coloured, kind: int, masks: Flags) -> list[Breach]:
    """Return where a thing of one colour is left behind by a second one, or sends one out.

    Args:
        clip: The clip.
        kind: The colour.
        masks: Where it is, of shape (T, s, s).
    """
    at_first = np.median(masks[:_FIRST], axis=0) > 0.5
    least = round(limits.TRACK_LEAST * at_first.size)
    found = (_twice(clip, kind, masks, thing) for thing in blobs_of(at_first, least))
    return [breach for breach in found if breach is not None]


def _twice(clip: Coloured, kind: int, masks: Flags, thing: Blob) -> Breach | None:
    """Return for how long there are two of a thing; None if it is the only one all the time."""
    from scipy import ndimage

    wide = np.asarray(ndimage.binary_dilation(thing.mask, iterations=2))
    stays = masks[:, thing.mask].mean(axis=1) >= limits.TWIN_STAYS
    extra = (masks & ~wide).mean(axis=(1, 2))
    extra -= np.median(extra[:_FIRST])
    both = stays & (extra >= limits.TWIN_LEAST * thing.area)
    least = max(round(limits.SPELL_LEAST_S * clip.footage.fps), 3)
    for first, stop in runs(both):
        if stop - first < least:
            continue
        seen = [_other(masks[k], thing, wide) for k in range(first, stop)]
        if _comes_out(clip, thing, seen):
            others = [blob for blob in seen if blob is not None]
            return _spanned(clip, kind, (thing, others[0], others[-1]), extra, first)
    return None


def _other(mask: Flags, thing: Blob, wide: Flags) -> Blob | None:
    """Return the nearest blob that is as large as a thing and apart from it; None without one."""
    least = max(round(limits.TWIN_LEAST * thing.area * mask.size), 4)
    apart = [
        blob
        for blob in blobs_of(mask, least)
        if not (blob.mask & wide).any() and blob.area <= limits.TWIN_MOST * thing.area
    ]
    return min(apart, key=lambda blob: _far(blob, thing), default=None)


def _far(one: Blob, other: Blob) -> float:
    return float(np.linalg.norm(one.middle - other.middle))


def _comes_out(clip: Coloured, thing: Blob, seen: list[Blob | None]) -> bool:
    """Tell whether a second thing begins at a first one, or beside it, and goes away from it."""
    whole = [blob for blob in seen if blob is not None]
    if len(whole) < max(round(limits.SPELL_LEAST_S * clip.footage.fps), 3):
        return False
    side = len(thing.mask)
    reach = limits.TRACK_REACH_S * side / clip.footage.fps
    far = np.array([_far(blob, thing) for blob in whole])
    near = far[0] <= limits.TWIN_NEAR * np.sqrt(thing.area) * side + reach
    parts = seen[0] is None or far.max() - far[0] >= limits.TRACK_RESTS * limits.END_SEEN
    return bool(near and parts)


def _spanned(
    clip: Coloured, kind: int, seen: tuple[Blob, Blob, Blob], extra: Floats, parted: int
) -> Breach:
    """Return a second thing from when it begins to come out, until there is one again."""
    thing, other, last = seen
    alone = np.flatnonzero(extra[:parted] < limits.TWIN_BEGINS * thing.area)
    first = int(alone[-1]) + 1 if len(alone) else 0
    stop = next(_stops(clip, kind, (thing, last), extra, parted), len(extra))
    bare = share(clip, first - 1, other.mask, ()) if first else 0.0
    clear = share(clip, parted, around(other.mask), clip.kinds)
    end = End(
        kind,
        gone=False,
        whole=first,
        empty=first - 1,
        blob=other,
        pace=np.zeros(2),
        bare=bare,
        missing=1.0,
        clear=clear,
    )
    return Breach("new", first, stop, end, back=stop < len(extra))


def _stops(
    clip: Coloured, kind: int, pair: tuple[Blob, Blob], extra: Floats, parted: int
) -> Iterator[int]:
    """Yield when the first thing is not there any more, or the second one, and no arm hides it."""
    thing, last = pair
    inside = (clip.labels[:, thing.mask] == kind).mean(axis=1)
    for frame in range(parted, len(extra)):
        if inside[frame] < 1.0 - limits.TWIN_STAYS:
            yield from [frame] if share(clip, frame, thing.mask, ()) > limits.END_OPEN_FAIR else []
        alone = extra[frame] < limits.TWIN_BEGINS * thing.area
        if alone and inside[frame] >= limits.TWIN_STAYS:
            yield from [frame] if share(clip, frame, last.mask, ()) > limits.END_OPEN_SLOW else []
