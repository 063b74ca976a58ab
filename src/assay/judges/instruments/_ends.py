"""Ends of tracks that nothing explains: a thing is not there any more, or not yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._colours import Coloured
from assay.judges.instruments._places import End, around, changed, share, stirred
from assay.judges.instruments._spans import Flags
from assay.judges.instruments._tracks import Blob, Track, tracks
from assay.records import Floats

__all__ = ["ends_of"]

_AFTER = 4  # frames in which the place of a thing may be seen to be empty
_RECENT_S = 0.7  # in which its usual area is looked for
_FADES_S = 1.0  # in which it may fade while nothing is beside it


def ends_of(clip: Coloured) -> list[End]:
    """Return where the tracks of all things begin or end within the clip, earliest first."""
    footage = clip.footage
    side = footage.small.shape[1]
    reach = max(limits.TRACK_REACH_S * side / footage.fps, 3.0)
    least = max(round(limits.TRACK_BIT * side**2), 4)
    found: list[End] = []
    for kind in clip.kinds:
        masks = clip.masks(kind)
        for number, track in enumerate(tracks(masks, reach, least)):
            for gone in (True, False):
                end = _end(clip, kind, masks, track, gone=gone, reach=reach)
                found += [replace(end, track=number)] if end is not None else []
                found += _swellings(clip, kind, track, gone=gone)
    return sorted(found, key=lambda end: end.whole)


def _end(
    clip: Coloured, kind: int, masks: Flags, track: Track, *, gone: bool, reach: float
) -> End | None:
    """Return an end of a track; None if the clip ends there, or it takes too long."""
    frames = len(masks)
    # A thing that comes is one that goes in a clip that is played backwards.
    way = track if gone else track.mirrored(frames)
    at = _last_whole(way, clip.footage.fps) if way.stop <= frames - 2 else None
    if at is None:
        return None

    def real(frame: int) -> int:
        return frame if gone else frames - 1 - frame

    blob, pace, whole = way.blobs[at], way.pace(at), way.first + at
    later = range(way.stop, min(way.stop + _AFTER, frames))
    if not changed(clip, blob, real(whole), [real(k) for k in later]):
        return None
    bare = [share(clip, real(k), _moved(blob.mask, pace * (k - whole)), (kind,)) for k in later]
    ring = around(blob.mask)
    passing = range(whole, min(way.stop + 2, frames))
    clear = [share(clip, real(k), ring, clip.kinds) for k in passing]
    lies = _still(way, at) >= limits.END_SEEN and min(clear) >= limits.END_CLEAR
    slow = way.stop - whole - 1 > limits.END_SLOW_S * clip.footage.fps
    if slow and not (lies and min(clear) >= limits.END_CLEAR_SLOW):
        return None
    fades = range(later.stop, min(way.stop + round(_FADES_S * clip.footage.fps), frames))
    if lies and max(bare) < limits.END_OPEN_SLOW:
        bare.append(_faded(clip, blob.mask, [real(k) for k in fades]))
    return End(
        kind,
        gone,
        real(whole),
        real(way.stop),
        blob,
        pace,
        bare=max(bare),
        missing=_missing(masks, blob, [real(whole), *map(real, later)], reach),
        clear=min(clear),
        stirred=stirred(clip, ring, *sorted((real(whole), real(way.stop)))),
        still=_still(way, at),
        stays=_still(way, at) > at,
        sunk=any(_sunk(blob, rest) for rest in way.blobs[at + 1 :]),
    )


def _faded(clip: Coloured, place: Flags, frames: list[int]) -> float:
    """Return how much of a place shows the scene at last, as long as nothing comes beside it."""
    ring, bare = around(place), 0.0
    for frame in frames:
        if share(clip, frame, ring, clip.kinds) < limits.END_CLEAR:
            break
        bare = max(bare, share(clip, frame, place, ()))
    return bare


def _still(track: Track, at: int) -> int:
    """Return for how many frames a track has been where it is at its blob `at`."""
    far = np.linalg.norm([b.middle - track.blobs[at].middle for b in track.blobs[: at + 1]], axis=1)
    away = np.flatnonzero(far > limits.TRACK_LEAP)
    return at - int(away[-1]) if len(away) else at + 1


def _sunk(blob: Blob, rest: Blob) -> bool:
    """Tell whether what is left of a thing is all of its lower part, and ends where it stood."""
    top, bottom = _rows(blob.mask)
    low, end = _rows(rest.mask)
    tall = bottom - top + 1
    sinks = low - top >= limits.SUNK_TOP * tall
    below = int(blob.mask[low:].sum())
    whole = int((rest.mask & blob.mask)[low:].sum()) >= max(limits.SUNK_WHOLE * below, 1)
    return sinks and whole and abs(end - bottom) <= max(limits.SUNK_FOOT * tall, 1.0)


def _rows(mask: Flags) -> tuple[int, int]:
    """Return the first and the last row of a mask."""
    rows = np.flatnonzero(mask.any(axis=1))
    return int(rows[0]), int(rows[-1])


def _swellings(clip: Coloured, kind: int, track: Track, *, gone: bool) -> Iterator[End]:
    """Yield parts of a blob that go, or come, with one frame: one of two things in one colour."""
    frames = len(clip.labels)
    way = track if gone else track.mirrored(frames)
    for at in range(limits.END_SEEN - 1, len(way.blobs) - limits.END_SEEN):
        one, other = way.blobs[at], way.blobs[at + 1]
        # A thing that turns or jumps gains elsewhere what it loses here.
        if one.area - other.area < limits.END_PART * max(one.area, limits.THING_ALONE):
            continue
        if _grown(other.mask, one.mask):
            continue
        part = _largest(one.mask & ~other.mask)
        stays = all(not (part.mask & blob.mask).any() for blob in way.blobs[at + 1 :][:3])
        if part.area < limits.THING_ALONE or not stays:
            continue
        whole, empty = (k if gone else frames - 1 - k for k in (way.first + at, way.first + at + 1))
        bare = share(clip, empty, part.mask, ())
        # What a thing before it has set free was there all the time.
        if bare >= limits.END_OPEN_SLOW and changed(clip, part, whole, [empty]):
            ring = around(part.mask)
            clear = min(share(clip, k, ring, clip.kinds) for k in (whole, empty))
            missing = (one.area - other.area) / part.area
            yield End(kind, gone, whole, empty, part, np.zeros(2), bare, missing, clear, part=True)


def _grown(less: Flags, more: Flags) -> bool:
    """Tell whether a thing is larger to most sides: it is the same one, and none beside it."""
    sides = [np.flatnonzero(mask.any(axis=axis)) for mask in (less, more) for axis in (1, 0)]
    (top, left), (high, wide) = sides[:2], sides[2:]
    gains = (top[0] - high[0], high[-1] - top[-1], left[0] - wide[0], wide[-1] - left[-1])
    return bool(sum(gain > 0 for gain in gains) > 2)


def _largest(mask: Flags) -> Blob:
    """Return the largest part of a mask, without what is a pixel wide."""
    from scipy import ndimage

    labels, _ = ndimage.label(ndimage.binary_opening(mask, np.ones((3, 3), bool)))
    sizes = np.bincount(labels.reshape(-1), minlength=2)
    own = labels == int(sizes[1:].argmax()) + 1
    middle = np.array([float(np.mean(where)) if own.any() else 0.0 for where in np.nonzero(own)])
    return Blob(own, float(own.mean()), middle)


def _last_whole(track: Track, fps: float) -> int | None:
    """Return the last blob of a track that is all of the thing; None if it goes little by little.

    Nor is a thing told by what an arm has left of it, or by a glimpse.
    """
    areas = track.areas
    recent = areas[-max(round(_RECENT_S * fps), limits.END_SEEN) :]
    usual = max(float(np.median(recent)), limits.END_WHOLE * float(recent.max()))
    at = int(np.flatnonzero(areas >= limits.END_WHOLE * usual)[-1])
    slow = len(areas) - 1 - at > _FADES_S * fps
    hidden = usual < limits.END_REMNANT * float(areas.max())
    small = usual < limits.TRACK_LEAST
    return None if slow or hidden or small or at < limits.END_SEEN - 1 else at


def _moved(mask: Flags, far: Floats) -> Flags:
    """Return a mask that is shifted by rows and columns; what leaves the picture is lost."""
    from scipy import ndimage

    return np.asarray(ndimage.shift(mask, np.rint(far), order=0))


def _missing(masks: Flags, blob: Blob, frames: list[int], reach: float) -> float:
    """Return how much less of a colour there is around a blob, in blobs."""
    box = tuple(
        slice(max(int(where.min() - 2 * reach), 0), int(where.max() + 2 * reach) + 1)
        for where in np.nonzero(blob.mask)
    )
    before, *after = (float(masks[frame][box].sum()) for frame in frames)
    return (before - min(after)) / float(blob.mask.sum())
