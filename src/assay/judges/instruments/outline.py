"""The robot's outline: a part of what moves is gone, or there is more of it, at one moment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._footage import Footage, apart
from assay.judges.instruments._found import Fault, Reading, event, graded
from assay.judges.instruments._limits import LEAST_FPS
from assay.judges.instruments._spans import Flags
from assay.records import Event, Floats

__all__ = ["outline", "sudden"]


@dataclass(frozen=True, slots=True)
class _Change:
    """How much of the picture the foreground loses and gains at once with a frame."""

    frame: int
    lost: float
    gained: float


def outline(footage: Footage) -> Reading:
    """Return where the outline of what moves changes at once, and later changes back.

    What moves is all that differs from the usual picture. An arm in motion changes its outline by
    thin strips, in every frame; a part that is left out or made up changes it by a patch, once.
    """
    if len(footage) < 8 or footage.moves or footage.fps < LEAST_FPS:
        return Reading()
    changes = sudden(footage)
    events: list[Event] = []
    free = 0
    for one in changes:
        back = next((c for c in changes if _undoes(footage, c, one)), None)
        if one.frame >= free and back is not None:
            events.append(_event(footage, one, back))
            free = back.frame
    return Reading((), tuple(events))


def sudden(footage: Footage) -> list[_Change]:
    """Return the frames with which the outline changes far more than around them."""
    usual = np.median(footage.small[:: max(len(footage) // 40, 1)], axis=0).astype(np.uint8)
    front = np.stack([apart(picture, usual) > limits.OUTLINE_LEVEL for picture in footage.small])
    # What only crosses the threshold, such as a soft shadow, has not changed at once.
    at_once = footage.changes > limits.OUTLINE_LEVEL
    steps = list(zip(front[:-1], front[1:], at_once, strict=True))
    lost = np.array([_patch(before & ~now & much) for before, now, much in steps])
    gained = np.array([_patch(now & ~before & much) for before, now, much in steps])
    found = []
    for k in range(2, len(lost) - 2):
        whole = _stands_out(lost, k), _stands_out(gained, k)
        if any(whole):
            found.append(_Change(k + 1, float(lost[k]) * whole[0], float(gained[k]) * whole[1]))
    return found


def _patch(changed: Flags) -> float:
    """Return the share of the picture that is left of a change without its thin strips."""
    from scipy import ndimage

    return float(ndimage.binary_opening(changed, np.ones((5, 5), bool)).mean())


def _stands_out(area: Floats, k: int) -> bool:
    beside = np.concatenate([area[max(k - 4, 0) : k], area[k + 1 : k + 5]])
    fits = limits.OUTLINE_LEAST < area[k] < limits.OUTLINE_MOST
    return bool(fits and area[k] > limits.OUTLINE_TIMES * float(beside.max()))


def _undoes(footage: Footage, later: _Change, one: _Change) -> bool:
    """Tell whether what was lost is gained later, and the other way around."""
    long = limits.OUTLINE_S * footage.fps
    if not 4 <= later.frame - one.frame <= long or _way(later) != -_way(one):
        return False
    small, large = sorted((one.lost + one.gained, later.lost + later.gained))
    return small > limits.OUTLINE_BACK * large


def _way(change: _Change) -> int:
    """Return -1 for a loss, 1 for a gain, 0 for both."""
    if change.gained < 0.25 * change.lost:
        return -1
    return 1 if change.lost < 0.25 * change.gained else 0


def _event(footage: Footage, one: _Change, back: _Change) -> Event:
    kind, says = "robot_body_deformation", "The robot's outline changes at once"
    if _way(one) < 0:
        kind, says = "missing_robot_part", "A part of the robot is gone at once"
    elif _way(one) > 0:
        kind, says = "hallucinated_robot_part", "There is more of the robot at once"
        if one.gained > limits.OUTLINE_ARM:
            kind = "duplicated_arm_or_gripper"
    return event(
        footage,
        (one.frame, back.frame),
        Fault(
            kind,
            graded(one.lost + one.gained, 0.015, 0.04) + 1,
            0.6,
            f"{says}, while the rest of the picture stays.",
            f"what moves loses {one.lost:.1%} and gains {one.gained:.1%} of the picture with one "
            f"frame, and back at {float(footage.times[back.frame]):.1f} s",
        ),
    )
