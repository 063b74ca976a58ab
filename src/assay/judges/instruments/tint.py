"""Frames in wrong colours: channels swapped, a cast over all, light and dark exchanged."""

from __future__ import annotations

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._details import SIDE, compared, details
from assay.judges.instruments._footage import Footage, Greys
from assay.judges.instruments._found import Broken, Gauge, Reading, broken
from assay.judges.instruments._spans import stretches
from assay.judges.instruments._tiles import shrunk
from assay.records import Floats, Image

__all__ = ["miscoloured", "negative", "tint"]

_CELLS = 14  # a side

_WRONG = Broken(
    "The colours are wrong, as of channels that were mixed up.",
    "{:.0%} of the picture has another hue than usual, or is a negative of it",
    marked=0.0,  # never mild, and never strong: all is there to be seen
    strong=np.inf,
)


def miscoloured(pictures: Image) -> Floats:
    """Return the share of the coloured parts that have another hue than usual, of shape (T,).

    Light that changes makes colours stronger or weaker and keeps their hue.

    Args:
        pictures: uint8 of shape (T, S, S, 3).
    """
    cells = np.stack([_cells(picture) for picture in pictures])
    share = _other_than(cells, np.median(cells, axis=0))
    wrong = share > limits.TINT_STARTS
    if wrong[0] and wrong[-1]:
        # Most of the clip is wrong, and what looks wrong beside it is right.
        share = _other_than(cells, np.median(cells[wrong], axis=0))
    return share


def _other_than(cells: Floats, usual: Floats) -> Floats:
    """Return the share of cells, of shape (T, cells, 3), with other hues than the usual ones."""
    hue, was = _hue(cells), _hue(usual)
    size, before = np.linalg.norm(hue, axis=-1), np.linalg.norm(was, axis=-1)
    coloured = before > limits.TINT_LEVEL
    along = (hue * was).sum(axis=-1) / np.maximum(size * before, 1e-6)
    turned = (along < limits.TINT_ALIKE) & (size > limits.TINT_LEVEL)
    if coloured.sum() >= limits.TINT_LEAST:
        return np.asarray(turned[:, coloured].mean(axis=1))
    # A grey scene that takes on a colour.
    return np.asarray((size > 2 * limits.TINT_LEVEL).mean(axis=1))


def negative(pictures: Greys) -> Floats:
    """Return the share of the scene's details that are turned from light to dark, of shape (T,).

    Args:
        pictures: Of shape (T, S, S).
    """
    detail, _ = details(pictures)
    _, alike, told = compared(detail, np.median(detail, axis=0))
    if told.sum() < limits.DETAIL_LEAST:
        return np.zeros(len(pictures))
    share: Floats = (alike < -limits.DETAIL_ALIKE)[:, told].mean(axis=1)
    return share


def _cells(picture: Image) -> Floats:
    """Return the mean colours of squares, of shape (cells, 3)."""
    planes = [shrunk(picture[..., k].astype(np.float32), _CELLS) for k in range(3)]
    return np.stack(planes, axis=-1).reshape(-1, 3).astype(np.float64)


def _hue(colours: Floats) -> Floats:
    """Return red and blue less green, of shape (..., 2)."""
    green = colours[..., 1:2]
    return np.concatenate([colours[..., :1] - green, colours[..., 2:] - green], axis=-1)


def tint(footage: Footage) -> Reading:
    """Return where the colours are wrong; a riding camera has no usual ones."""
    if footage.moves or len(footage) < 4:
        return Reading()
    share = miscoloured(footage.colour)
    if footage.colour.shape[1] >= SIDE:
        share = np.maximum(share, negative(footage.grey))
    sure = share > limits.TINT_STARTS
    found = stretches(sure, share > limits.TINT_STARTS / 2, gap=2, least=2)
    gauge = Gauge("{:.0%} of the picture in wrong colours", footage.times, share, high=0.3)
    return Reading((gauge,), tuple(broken(footage, run, share, _WRONG) for run in found))
