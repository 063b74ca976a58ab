"""Low visibility: too dark, too bright or too flat to tell what happens."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage, Greys
from assay.judges.instruments._found import Fault, Gauge, Reading, event, graded
from assay.judges.instruments._spans import Flags, Run, stretches
from assay.judges.instruments._tiles import tiled
from assay.records import Event, Floats

__all__ = ["Light", "exposure", "light", "lost_detail"]

_BURNT = 250.0
_CELLS = 14  # cells a side, of which pairs are compared
_APART = ((0, 2), (2, 0), (2, 2), (2, -2))  # how far the cells of a pair are from each other


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

    A detail is a pair of places whose lightness usually differs. It is faint if the difference has
    shrunk but not turned around: fog and darkness do that to all details, and something that stands
    before them does not.

    Args:
        pictures: Of shape (T, S, S).
        good: Which frames tell what is usual, of shape (T,).
    """
    side = pictures.shape[1] // _CELLS
    cut = pictures[:, : side * _CELLS, : side * _CELLS]
    cells = cut.reshape(len(cut), _CELLS, side, _CELLS, side).mean(axis=(2, 4), dtype=np.float64)
    one, other = _pairs(cells)
    was_one, was_other = _pairs(np.median(cells[good], axis=0)[None])
    told = np.abs(was_one - was_other)[0] > limits.DETAIL_LEVEL
    if told.sum() < limits.DETAIL_LEAST:
        return np.zeros(len(pictures))
    one, other, was_one, was_other = (x[:, told] for x in (one, other, was_one, was_other))
    left = (one - other) / (was_one - was_other)
    faint = (left > limits.DETAIL_GONE) & (left < limits.DETAIL_FAINT)
    burnt = (np.minimum(one, other) > 243) & (np.minimum(was_one, was_other) <= 243)
    black = (np.maximum(one, other) < 14) & (np.maximum(was_one, was_other) >= 20)
    share: Floats = (faint | burnt | black).mean(axis=1)
    return share


def _pairs(cells: Floats) -> tuple[Floats, Floats]:
    """Return the two cells of every pair, each of shape (T, pairs)."""
    ones, others = [], []
    for down, right in _APART:
        left, width = max(-right, 0), _CELLS - abs(right)
        here = cells[:, : _CELLS - down, left : left + width]
        there = cells[:, down:, left + right : left + right + width]
        ones.append(here.reshape(len(cells), -1))
        others.append(there.reshape(len(cells), -1))
    return np.concatenate(ones, axis=1), np.concatenate(others, axis=1)


def exposure(footage: Footage) -> Reading:
    """Return brightness and contrast beside the clip's own median, and where one can't see."""
    seen = light(footage.grey)
    # What is usual is told by the frames with good contrast, be they fewer than half.
    contrast = seen.contrast / max(float(np.quantile(seen.contrast, 0.8)), 1.0)
    good = contrast > 0.85
    bright = seen.mean / max(float(np.median(seen.mean[good])), 1.0)
    burnt = seen.burnt - float(np.median(seen.burnt[good]))
    lost = np.zeros(len(footage)) if footage.moves else lost_detail(footage.grey, good)
    flat = contrast < (limits.CONTRAST_MOVING if footage.moves else limits.CONTRAST_STARTS)
    # A blur or a cover takes contrast as well, but the light stays as it is.
    other = (np.abs(bright - 1) > limits.BRIGHT_CHANGES) | (lost > limits.DETAIL_KEEPS)
    sure = (
        (flat & other)
        | (bright < limits.DARK_STARTS)
        | (burnt > limits.GLARE_STARTS)
        | (lost > limits.DETAIL_STARTS)
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
