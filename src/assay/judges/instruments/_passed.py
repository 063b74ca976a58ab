"""What an arm leaves behind as it passes: things that were not there, or lay elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._breaches import Breach, overlap
from assay.judges.instruments._colours import Coloured
from assay.judges.instruments._footage import apart
from assay.judges.instruments._places import End, around, share
from assay.judges.instruments._spans import Flags

__all__ = ["appeared", "elsewhere", "uncovered"]


def appeared(clip: Coloured, masks: Flags, place: Flags, came: int) -> int | None:
    """Return since when a thing is at a place that was seen to be empty before.

    Args:
        clip: The clip.
        masks: Where its colour is, of shape (T, s, s).
        place: Where it is, of shape (s, s).
        came: The last frame as of which its colour may have come.

    Returns:
        The first frame after the place was empty if it fades in, or the first one that shows it if
        an arm hides how it comes; None if an arm may have hidden it at first.
    """
    empty = [k for k in range(came) if share(clip, k, place, ()) > limits.END_OPEN_FAIR]
    if not empty:
        return None
    shown = np.flatnonzero(masks[empty[-1] : came, place].mean(axis=1) > 0.5)
    came = empty[-1] + int(shown[0]) if len(shown) else came
    free = share(clip, came, around(place), clip.kinds) >= limits.END_CLEAR
    return empty[-1] + 1 if free else came


def uncovered(clip: Coloured, masks: Flags, end: End) -> bool:
    """Tell whether a thing lies where an arm has passed, and there is one more of its colour.

    The place was seen to be empty before, and there was never as much of the colour: nothing that a
    hand has taken elsewhere was put there.
    """
    lies = not end.gone and end.stays and not end.moves and end.still >= limits.PASSED_LIES
    if not lies or end.blob.area < limits.THING_ALONE:
        return False
    areas = masks.mean(axis=(1, 2))
    now = float(np.median(areas[end.whole : end.whole + end.still]))
    if now - float(areas[: end.empty + 1].max()) < limits.PASSED_MORE * end.blob.area:
        return False
    before = [_empty(clip, k, end.blob.mask) for k in range(end.empty + 1)]
    return sum(before) >= limits.PASSED_LIES


def _empty(clip: Coloured, frame: int, place: Flags) -> bool:
    """Tell whether a place shows the scene, or what is all around it.

    What is usual there may be the thing itself if it lies there for most of the time.
    """
    if share(clip, frame, place, ()) >= limits.END_OPEN_SLOW:
        return True
    ring, picture = around(place), clip.footage.small[frame]
    ground, usual = (np.median(one[ring], axis=0).astype(np.uint8) for one in (picture, clip.scene))
    like = apart(picture[place], ground) <= limits.SCENE_LEVEL
    bare = int(apart(ground, usual)) <= limits.SCENE_LEVEL
    return bare and bool(like.mean() >= limits.END_OPEN_SLOW)


def elsewhere(masks: Flags, breach: Breach, ends: list[End]) -> Breach:
    """Return a thing that seems to be new as one that jumped, if one of its colour is missed.

    An arm may have hidden how that went; it is not seen any more where it lay.
    """
    if breach.what != "new":
        return breach
    areas = masks.mean(axis=(1, 2))
    more = float(np.median(areas[breach.first : breach.stop])) - float(np.median(areas[:3]))
    if more > limits.PASSED_MORE * breach.end.blob.area:
        return breach
    missed = any(_missed(masks, breach, end) for end in ends)
    return replace(breach, what="hop") if missed else breach


def _missed(masks: Flags, breach: Breach, end: End) -> bool:
    """Tell whether a thing of like size went before another one came, and is not where it was."""
    sizes = sorted((end.blob.area, breach.end.blob.area))
    like = sizes[0] > limits.HOP_SIZES * sizes[1]
    if not (end.gone and end.whole <= breach.first and like):
        return False
    if overlap(end.blob.mask, breach.end.blob.mask) > 0.3:
        return False
    seen = masks[breach.first : breach.stop, end.blob.mask].mean(axis=1)
    return float(seen.max(initial=0.0)) < 0.5
