"""Colour drift: a thing that lies still takes on another colour little by little."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._footage import Footage, hue_of
from assay.judges.instruments._found import Fault, Reading, event, graded
from assay.judges.instruments._spans import Flags
from assay.records import Event, Floats

__all__ = ["drift"]

_MOMENTS = 12  # at which the picture is looked at


def drift(footage: Footage) -> Reading:
    """Return where the hue of a part goes one way all the time and nothing around it does."""
    if footage.moves or len(footage) < 2 * _MOMENTS:
        return Reading()
    at = np.linspace(1, len(footage) - 2, _MOMENTS).round().astype(int)
    # The median of three frames: noise, and an arm that flits by, do not count.
    seen = np.stack([np.median(footage.small[k - 1 : k + 2], axis=0) for k in at])
    path = np.diff(hue_of(seen), axis=0)
    whole = np.abs(path.sum(axis=0)).max(axis=-1)
    length = np.abs(path).sum(axis=0).max(axis=-1)
    step = np.abs(path).max(axis=(0, -1))
    steady = (length < limits.DRIFT_WANDERS * whole) & (step < limits.DRIFT_STEP * whole)
    found = steady & (whole > limits.DRIFT_HUE)
    events = [_turning(footage, part) for part in _alone(found, whole)]
    return Reading((), tuple(e for e in events if e is not None))


def _alone(found: Flags, whole: Floats) -> Iterator[Flags]:
    """Yield connected parts whose surroundings keep their hue."""
    from scipy import ndimage

    labels, count = ndimage.label(ndimage.binary_opening(ndimage.binary_closing(found)))
    for number in range(1, count + 1):
        part = labels == number
        if not limits.DRIFT_LEAST <= part.mean() <= limits.THING_MOST:
            continue
        wide = ndimage.binary_dilation(part, iterations=5)
        ring = wide & ~ndimage.binary_dilation(part, iterations=2)
        if ring.any() and float((whole[ring] > limits.DRIFT_HUE / 2).mean()) < limits.DRIFT_AROUND:
            yield part


def _turning(footage: Footage, part: Flags) -> Event | None:
    """Return the fault, from when an eye sees it; None if it never does."""
    inside = footage.small[:, part].astype(np.int16)
    usual = np.median(inside[:3], axis=0)
    off = (np.abs(inside - usual).max(axis=2) >= limits.DRIFT_SEEN).mean(axis=1) > 0.3
    if not off.any():
        return None
    first = int(np.argmax(off))
    colours = [", ".join(f"{c:.0f}" for c in inside[k].mean(axis=0)) for k in (0, -1)]
    rows, columns = (float(np.mean(where)) / len(part) for where in np.nonzero(part))
    return event(
        footage,
        (first, len(footage)),
        Fault(
            "object_color_or_shape_drift",
            graded(float(part.mean()), 0.006, 0.015),
            0.7,
            "A thing slowly takes on another colour, and nothing around it does.",
            f"{part.mean():.1%} of the picture around {columns:.0%} from the left and {rows:.0%} "
            f"from the top goes from colour {colours[0]} to {colours[1]}",
        ),
    )
