"""Steps: parts of the picture that are different from one frame to the next, and stay so.

What moves passes through the places between, so the parts it leaves and enters lie beside each
other from frame to frame. A thing that vanishes, appears or jumps changes one part at once, with
stillness before and after.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage
from assay.judges.instruments._spans import Flags
from assay.records import Floats

__all__ = ["Step", "steps"]

Labels = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A part of the picture that changed at once.

    Attributes:
        frame: The first frame that shows it.
        mask: Which part, of shape (s, s).
        area: Its share of the picture.
        alone: Whether nothing moved beside it just before and after.
        calm: Whether nothing moved in a wide circle for some time before and after.
        turned: Whether something else than the surroundings was there and still is.
        left: Which of its pixels look like their surroundings since then, of shape (s, s).
        came: Which of its pixels did so until then.
        before: Mean colour of what has left, of shape (3,); NaN without any.
        after: Mean colour of what has come.
    """

    frame: int
    mask: Flags
    area: float
    alone: bool
    calm: bool
    turned: bool
    left: Flags
    came: Flags
    before: Floats
    after: Floats


def steps(footage: Footage) -> list[Step]:
    """Return all steps, earliest first."""
    from scipy import ndimage

    changed = footage.changes > limits.STEP_LEVEL
    found: list[Step] = []
    for frame in range(2, len(footage) - 1):
        now = frame - 1  # changed[k] leads from frame k to k + 1
        if changed[now].mean() < limits.STEP_LEAST:
            continue
        restless = _moved(changed, now, 2, -1) | _moved(changed, now, 2, 1)
        held = ndimage.binary_opening(changed[now] & ~restless, np.ones((3, 3), bool))
        labels, count = ndimage.label(held)
        areas = np.bincount(labels.reshape(-1), minlength=count + 1)[1:] / held.size
        for number in np.flatnonzero(areas >= limits.STEP_LEAST).tolist():
            mask = labels == number + 1
            found.append(_step(footage, frame, mask, changed))
    return found


def _step(footage: Footage, frame: int, mask: Flags, changed: Flags) -> Step:
    """Describe the step of `mask`."""
    near = _around(mask, limits.STEP_NEAR)
    stirred_before, stirred_after = (
        _moved(changed, frame - 1, 2, way)[near].mean() for way in (-1, 1)
    )
    # Its own soft edge changes along; what lies further out should not.
    beyond = near & ~_around(mask, 2)
    spread = float(changed[frame - 1][beyond].mean()) if beyond.any() else 0.0
    wide, long = _around(mask, limits.CALM_NEAR), max(round(limits.CALM_S * footage.fps), 2)
    stirred = max(float(_moved(changed, frame - 1, long, way)[wide].mean()) for way in (-1, 1))
    before, after = footage.small[frame - 1], footage.small[frame]
    ground = np.median(before[near], axis=0)
    was = np.abs(before[mask] - ground).max(axis=1)
    is_now = np.abs(after[mask] - ground).max(axis=1)
    left, came = mask.copy(), mask.copy()
    left[mask] = was > is_now + limits.STEP_LEVEL / 2
    came[mask] = is_now > was + limits.STEP_LEVEL / 2
    return Step(
        frame=frame,
        mask=mask,
        area=float(mask.mean()),
        alone=max(stirred_before, stirred_after) < limits.STEP_RESTLESS
        and spread < limits.STEP_SPREAD,
        calm=stirred < limits.CALM_RESTLESS,
        turned=bool(np.mean(np.minimum(was, is_now) > limits.TURNED_LEVEL) > 0.5),
        left=left,
        came=came,
        before=_colour(before, left),
        after=_colour(after, came),
    )


def _around(mask: Flags, far: int) -> Flags:
    """Return what lies within `far` pixels of a mask, without it; never nothing."""
    from scipy import ndimage

    wide: Flags = ndimage.binary_dilation(mask, iterations=far) & ~mask
    return wide if wide.any() else ~mask


def _moved(changed: Flags, now: int, many: int, way: int) -> Flags:
    """Return which pixels change in `many` steps before (`way` -1) or after the step `now`."""
    part = changed[max(now - many, 0) : now] if way < 0 else changed[now + 1 : now + 1 + many]
    return np.asarray(part.any(axis=0))


def _colour(picture: npt.NDArray[np.uint8], where: Flags) -> Floats:
    return picture[where].mean(axis=0) if where.any() else np.full(3, np.nan)
