"""Occlusion: a large part of the picture is covered at once, and free again later."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage, apart
from assay.judges.instruments._found import Fault, Reading, event, graded
from assay.judges.instruments._spans import Flags
from assay.records import Event, Image

__all__ = ["covering"]

_QUIET = 3  # frames for which a cover keeps still after it came and before it goes


@dataclass(frozen=True, slots=True, eq=False)
class _Turn:
    """A large part of the picture, `mask` of shape (s, s), that changes with `frame`."""

    frame: int
    mask: Flags


def covering(footage: Footage) -> Reading:
    """Return where something that is no part of the scene hides a part of it.

    It comes at once, keeps still in the picture, and goes at once. That holds for a camera on the
    robot too: what it sees goes by, and what covers its lens does not.
    """
    changed = footage.changes > limits.STEP_LEVEL
    goings = list(_turns(changed, later=False))
    events: list[Event] = []
    free = 0
    for came in _turns(changed, later=True):
        gone = next((g for g in goings if _same(came, g)), None)
        if came.frame >= free and gone is not None and _hides(footage, came, gone):
            events.append(_covered(footage, came, gone))
            free = gone.frame
    return Reading((), tuple(events))


def _turns(changed: Flags, *, later: bool) -> Iterator[_Turn]:
    """Yield large parts that change at once and keep still just later, or just before.

    `changed[k]` is what differs between the frames k and k + 1.
    """
    from scipy import ndimage

    for at in range(1, len(changed) - 1):
        if changed[at].mean() < limits.COVER_LEAST:
            continue
        near = changed[at + 1 : at + 1 + _QUIET] if later else changed[max(at - _QUIET, 0) : at]
        held = ndimage.binary_opening(changed[at] & ~near.any(axis=0), np.ones((3, 3), bool))
        labels, count = ndimage.label(held)
        if not count:
            continue
        areas = np.bincount(labels.reshape(-1))[1:]
        if limits.COVER_LEAST <= areas.max() / held.size <= limits.COVER_MOST:
            yield _Turn(at + 1, labels == areas.argmax() + 1)


def _same(came: _Turn, gone: _Turn) -> bool:
    """Tell whether one cover came and went: about the same part, a while later."""
    both = float((came.mask & gone.mask).sum())
    small, large = sorted((float(came.mask.sum()), float(gone.mask.sum())))
    return gone.frame > came.frame + _QUIET and both > 0.5 * small and small > 0.4 * large


def _hides(footage: Footage, came: _Turn, gone: _Turn) -> bool:
    """Tell whether the part shows something else meanwhile, not the same in another light.

    Where the camera stands still, a good part of the scene is also as it was afterwards. Where it
    moves, the rest of the picture goes by while the cover stays.
    """
    where: Flags = came.mask & gone.mask
    before, during = footage.small[came.frame - 1], footage.small[came.frame]
    if not _unlike(before[where], during[where]):
        return False
    if not footage.moves:
        # The robot at another place has the colours that it had.
        share = footage.palette.share
        if share[came.frame] - share[came.frame - 1] < limits.COVER_FOREIGN * where.mean():
            return False
        back = apart(before, footage.small[gone.frame])[where] <= limits.STEP_LEVEL
        return float(back.mean()) > limits.COVER_RETURNS
    span = footage.changes[came.frame : gone.frame - 1] > limits.STEP_LEVEL
    goes_by = (span[:, ~came.mask].mean(axis=1) > limits.COVER_GOES_BY).mean()
    stays = span[:, where].any(axis=0).mean() < limits.COVER_GOES_BY
    return bool(where.mean() > limits.COVER_MOVING and goes_by > 0.5 and stays)


def _unlike(before: Image, during: Image) -> bool:
    one, other = before.mean(axis=1), during.mean(axis=1)
    spread = float(one.std() * other.std())
    together = float(np.mean((one - one.mean()) * (other - other.mean())))
    return together < limits.COVER_ALIKE * max(spread, 1.0)


def _covered(footage: Footage, came: _Turn, gone: _Turn) -> Event:
    colour = np.median(footage.small[came.frame][came.mask], axis=0)
    shade = ", ".join(f"{c:.0f}" for c in colour)
    area = float(came.mask.mean())
    return event(
        footage,
        (came.frame, gone.frame),
        Fault(
            "occlusion",
            graded(area, 0.12, 0.3),
            0.85,
            "Something that is no part of the task covers a part of the picture.",
            f"{area:.0%} of the picture turns into another surface (colour {shade}) within one "
            f"frame, and back at {float(footage.times[gone.frame]):.1f} s",
        ),
    )
