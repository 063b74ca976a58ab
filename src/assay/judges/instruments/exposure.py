"""Low visibility: too dark, too bright or too flat to tell what happens."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage, Greys
from assay.judges.instruments._found import Fault, Gauge, Reading, event, graded
from assay.judges.instruments._spans import Run, stretches
from assay.judges.instruments._tiles import tiled
from assay.records import Event, Floats

__all__ = ["Light", "exposure", "light"]

_BURNT = 250.0


@dataclass(frozen=True, slots=True, eq=False)
class Light:
    """How light a picture is, each of shape (T,).

    Attributes:
        mean: Mean lightness [grey levels].
        contrast: Median over tiles of the standard deviation of lightness [grey levels].
        burnt: Share of pixels that are white.
    """

    mean: Floats
    contrast: Floats
    burnt: Floats


def light(pictures: Greys) -> Light:
    """Measure the light of pictures of shape (T, S, S)."""
    thin = pictures[:, ::2, ::2]  # a quarter of the pixels tells the same
    parts = tiled(thin)
    spread = parts.reshape(*parts.shape[:2], -1).std(axis=2)
    return Light(
        mean=thin.mean(axis=(1, 2)).astype(np.float64),
        # Large tiles and their mean: a covered corner takes a part of it, fog takes all of it.
        contrast=np.sqrt((spread**2).mean(axis=1)).astype(np.float64),
        burnt=(thin >= _BURNT).mean(axis=(1, 2)),
    )


def exposure(footage: Footage) -> Reading:
    """Return brightness and contrast beside the clip's own median, and where one can't see."""
    seen = light(footage.grey)
    # What is usual is told by the frames with good contrast, be they fewer than half.
    contrast = seen.contrast / max(float(np.quantile(seen.contrast, 0.8)), 1.0)
    good = contrast > 0.85
    bright = seen.mean / max(float(np.median(seen.mean[good])), 1.0)
    burnt = seen.burnt - float(np.median(seen.burnt[good]))
    flat = limits.CONTRAST_MOVING if footage.moves else limits.CONTRAST_STARTS
    sure = (
        (contrast < flat)
        | (bright < limits.DARK_STARTS)
        | (burnt > limits.GLARE_STARTS)
        | (seen.contrast < limits.CONTRAST_LEAST / 4)
        | (seen.mean < limits.DARK_LEVEL)
    )
    also = (contrast < limits.CONTRAST_KEEPS) | (bright < limits.DARK_KEEPS)
    events = [
        _unseen(footage, run, seen, (contrast, bright)) for run in stretches(sure, also, gap=1)
    ]
    gauges = (
        Gauge("contrast {:.0%} of usual", footage.times, contrast, low=0.75),
        Gauge("brightness {:.0%} of usual", footage.times, bright, low=0.75, high=1.3),
    )
    return Reading(gauges, tuple(events))


def _unseen(footage: Footage, run: Run, seen: Light, shares: tuple[Floats, Floats]) -> Event:
    within = slice(*run)
    contrast, bright = (float(np.median(share[within])) for share in shares)
    level = float(np.median(seen.mean[within]))
    how = "flat"
    if bright < 0.8 or level < limits.DARK_LEVEL:
        how = "dark"
    elif bright > 1.15:
        how = "bright"
    worst = min(contrast, bright)
    measured = (
        f"contrast is {contrast:.0%} and brightness {bright:.0%} of what is usual "
        f"(mean grey level {level:.0f})"
    )
    return event(
        footage,
        run,
        Fault(
            "low_visibility",
            graded(1 - worst, 0.55, 0.75),
            0.55 + 0.3 * (1 - worst),
            f"The picture is too {how} to tell what happens.",
            measured,
        ),
    )
