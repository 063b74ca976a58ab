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
        left: Which of its pixels look like their surroundings since then, of shape (s, s).
        came: Which of its pixels did so until then.
        before: Mean colour of what has left, of shape (3,); NaN without any.
        after: Mean colour of what has come.
    """

    frame: int
    mask: Flags
    area: float
    alone: bool
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
        around = changed[max(now - 2, 0) : now].any(axis=0), changed[now + 1 : now + 3].any(axis=0)
        held = ndimage.binary_opening(changed[now] & ~around[0] & ~around[1], np.ones((3, 3)))
        labels, count = ndimage.label(held)
        areas = np.bincount(labels.reshape(-1), minlength=count + 1)[1:] / held.size
        for number in np.flatnonzero(areas >= limits.STEP_LEAST).tolist():
            mask = labels == number + 1
            found.append(_step(footage, frame, mask, (changed[now], *around)))
    return found


def _step(footage: Footage, frame: int, mask: Flags, moved: tuple[Flags, Flags, Flags]) -> Step:
    """Describe the step of `mask`; `moved` is what changed then, before and after."""
    from scipy import ndimage

    near = ndimage.binary_dilation(mask, iterations=limits.STEP_NEAR) & ~mask
    rim = ndimage.binary_dilation(mask, iterations=2) & ~mask
    restless = max(float((near & other).sum()) for other in moved[1:]) / max(int(near.sum()), 1)
    # Its own soft edge changes along; what lies further out should not.
    spread = float((near & ~rim & moved[0]).sum()) / max(int((near & ~rim).sum()), 1)
    before, after = footage.small[frame - 1], footage.small[frame]
    ground = np.median(before[near], axis=0) if near.any() else np.zeros(3)
    was = np.abs(before[mask] - ground).max(axis=1)
    is_now = np.abs(after[mask] - ground).max(axis=1)
    left, came = mask.copy(), mask.copy()
    left[mask] = was > is_now + limits.STEP_LEVEL / 2
    came[mask] = is_now > was + limits.STEP_LEVEL / 2
    return Step(
        frame=frame,
        mask=mask,
        area=float(mask.mean()),
        alone=restless < limits.STEP_RESTLESS and spread < limits.STEP_SPREAD,
        left=left,
        came=came,
        before=_colour(before, left),
        after=_colour(after, came),
    )


def _colour(picture: npt.NDArray[np.uint8], where: Flags) -> Floats:
    return picture[where].mean(axis=0) if where.any() else np.full(3, np.nan)
