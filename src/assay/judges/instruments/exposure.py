"""Low visibility: too dark, too bright or too flat to tell what happens."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._details import SIDE, compared, details
from assay.judges.instruments._footage import Footage, Greys
from assay.judges.instruments._found import Fault, Gauge, Reading, event, graded
from assay.judges.instruments._spans import Flags, Run, stretches
from assay.judges.instruments._tiles import ends_of, tiled
from assay.judges.instruments.sharpness import sharpness_curve
from assay.records import Event, Floats

__all__ = ["Light", "exposure", "light", "lost_detail"]

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


def lost_detail(pictures: Greys, good: Flags) -> Floats:
    """Return the share of the scene's details that are faint, burnt out or black, of shape (T,).

    A tile is faint if it shows what it usually shows with less contrast: with h a tile without its
    mean and slope and u the usual one, h u / u u is small though h and u are correlated. Fog,
    darkness and light from behind do that; something that stands before the scene does not.

    Args:
        pictures: Of shape (T, S, S).
        good: Which frames tell what is usual, of shape (T,).
    """
    detail, mean = details(pictures)
    level = np.median(mean[good], axis=0)
    left, alike, told = compared(detail, np.median(detail[good], axis=0))
    if told.sum() < limits.DETAIL_LEAST:
        return np.zeros(len(pictures))
    faint = (left < limits.DETAIL_FAINT) & (left > 0) & (alike > limits.DETAIL_ALIKE)
    burnt, black = (mean > 240) & (level < 235), (mean < 14) & (level > 25)
    share: Floats = (faint | burnt | black)[:, told].mean(axis=1)
    return share


def exposure(footage: Footage) -> Reading:
    """Return brightness and contrast beside the clip's own median, and where one can't see."""
    seen = light(footage.grey)
    contrast, bright, burnt, good = _beside_usual(footage, seen)
    lost = _lost(footage, good)
    flat = contrast < (limits.CONTRAST_MOVING if footage.moves else limits.CONTRAST_STARTS)
    # A blur or a cover takes contrast as well, but the light stays as it is.
    other = (np.abs(bright - 1) > limits.BRIGHT_CHANGES) | (lost > limits.DETAIL_KEEPS)
    dark = bright < limits.DARK_STARTS
    if footage.moves:  # it may look at something dark
        dark &= contrast < limits.CONTRAST_KEEPS
    sure = (
        (flat & other)
        | dark
        | (burnt > limits.GLARE_STARTS)
        | (lost > limits.DETAIL_STARTS)
        | ((lost > limits.DETAIL_SOME) & (np.abs(bright - 1) > 2 * limits.BRIGHT_CHANGES))
        | (seen.contrast < limits.CONTRAST_LEAST / 4)
        | (seen.mean < limits.DARK_LEVEL)
    )
    also = other & (
        (contrast < limits.CONTRAST_KEEPS)
        | (bright < limits.DARK_KEEPS)
        | (lost > limits.DETAIL_KEEPS)
    )
    gap = max(round(limits.STROBE_S * footage.fps), 1)
    events = [
        _unseen(footage, run, seen, (contrast, bright)) for run in stretches(sure, also, gap=gap)
    ]
    gauges = (
        Gauge("contrast {:.0%} of usual", footage.times, contrast, low=0.75),
        Gauge("brightness {:.0%} of usual", footage.times, bright, low=0.75, high=1.3),
    )
    return Reading(gauges, tuple(events))


def _beside_usual(footage: Footage, seen: Light) -> tuple[Floats, Floats, Floats, Flags]:
    """Return contrast, brightness and burnt share beside the usual, and which frames tell it."""
    contrast, good = _usual(footage, seen)
    bright = seen.mean / max(float(np.median(seen.mean[good])), 1.0)
    burnt = seen.burnt - float(np.median(seen.burnt[good]))
    return contrast, bright, burnt, good


def _usual(footage: Footage, seen: Light) -> tuple[Floats, Flags]:
    """Return the contrast beside the usual one, and which frames have about that.

    The ends of the clip tell it if they are alike, however much lies between them. Else it is what
    most frames with good contrast have, be they fewer than half.
    """
    first, last = np.split(ends_of(len(footage), footage.fps), 2)
    before, after = (
        np.array([seen.mean[k].mean(), seen.contrast[k].mean()]) for k in (first, last)
    )
    levels = (before + after) / 2
    if np.abs(before - after).max() < limits.ENDS_ALIKE * levels.min():
        contrast = seen.contrast / max(float(levels[1]), 1.0)
        near = np.abs(seen.mean / max(float(levels[0]), 1.0) - 1) < limits.ENDS_ALIKE
    else:
        contrast = seen.contrast / max(float(np.quantile(seen.contrast, 0.62)), 1.0)
        near = np.ones(len(footage), bool)
    good = near & (np.abs(contrast - 1) < limits.ENDS_ALIKE)
    return contrast, good | (not good.any())  # a picture may be without any contrast


def _lost(footage: Footage, good: Flags) -> Floats:
    """Return the lost details; none of a riding camera, which has no usual ones, or of a blur."""
    if footage.moves or footage.colour.shape[1] < SIDE:
        return np.zeros(len(footage))
    sharp, _ = sharpness_curve(footage)
    lost = lost_detail(footage.grey, good)
    return np.where(np.nan_to_num(sharp, nan=1.0) < limits.BLUR_KEEPS, 0.0, lost)


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
