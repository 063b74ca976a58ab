"""Occlusion: a large part of the picture is covered at once, and free again later."""

from __future__ import annotations

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage, apart
from assay.judges.instruments._found import Fault, Reading, event, graded
from assay.judges.instruments._spans import Flags
from assay.judges.instruments._steps import Step
from assay.records import Event, Image

__all__ = ["covering"]


def covering(footage: Footage, steps: list[Step]) -> Reading:
    """Return where something that is no part of the scene hides a part of it.

    It comes at once, stays, and goes at once; then the scene is as it was. Cameras that ride on the
    robot are left out: all of their picture changes at once.
    """
    if footage.moves:
        return Reading()
    large = [s for s in steps if limits.COVER_LEAST <= s.area <= limits.COVER_MOST]
    events: list[Event] = []
    taken = 0
    for first in large:
        last = next((s for s in large if s.frame > first.frame and _same(first, s)), None)
        if first.frame < taken or last is None:
            continue
        if _returns(footage, first, last):
            events.append(_covered(footage, first, last))
            taken = last.frame + 1
    return Reading((), tuple(events))


def _same(first: Step, last: Step) -> bool:
    """Tell whether two steps are of one part of the picture."""
    both = float((first.mask & last.mask).sum())
    return both > 0.5 * min(float(first.mask.sum()), float(last.mask.sum()))


def _returns(footage: Footage, first: Step, last: Step) -> bool:
    """Tell whether the part looks like before once it is free again, and did not meanwhile."""
    where: Flags = first.mask & last.mask
    before, during = footage.small[first.frame - 1], footage.small[first.frame]
    after = footage.small[last.frame]
    back = float(np.mean(apart(before, after)[where] <= limits.STEP_LEVEL))
    hidden = float(np.mean(apart(before, during)[where] > limits.STEP_LEVEL))
    return back > 0.6 and hidden > 0.6 and _unlike(before[where], during[where])


def _unlike(before: Image, during: Image) -> bool:
    """Tell whether the part shows something else, not the same in another light or less sharp."""
    one, other = before.mean(axis=1), during.mean(axis=1)
    spread = float(one.std() * other.std())
    together = float(np.mean((one - one.mean()) * (other - other.mean())))
    return together < limits.COVER_ALIKE * max(spread, 1.0)


def _covered(footage: Footage, first: Step, last: Step) -> Event:
    colour = np.median(footage.small[first.frame][first.mask], axis=0)
    shade = ", ".join(f"{c:.0f}" for c in colour)
    return event(
        footage,
        (first.frame, last.frame),
        Fault(
            "occlusion",
            graded(first.area, 0.12, 0.3),
            0.85,
            "Something that is no part of the task covers a part of the picture.",
            f"{first.area:.0%} of the picture turns into another surface (colour {shade}) within "
            f"one frame, and back at {float(footage.times[last.frame]):.1f} s",
        ),
    )
