"""Broken frames: parts of the picture that fit neither the frame before nor the one after."""

from __future__ import annotations

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage, apart
from assay.judges.instruments._found import Fault, Gauge, Reading, event, graded
from assay.judges.instruments._spans import Run, stretches
from assay.records import Event, Floats, Image

__all__ = ["broken_cells", "flicker"]

_CELL = 8  # side of a cell in the half-size picture [px]


def broken_cells(footage: Footage) -> tuple[Floats, Floats]:
    """Return which share of each frame is broken, and which for that frame alone, both (T,).

    A cell is a square of 16 x 16 pixels. It is broken if it differs from both neighbours in time,
    and for that frame alone if these are alike. An arm that passes breaks a few cells for several
    frames; noise, garbled blocks and torn rows break many, others in each frame.
    """
    single = _cells(footage.changes)
    twice = _cells(np.stack([apart(a, b) for a, b in zip(*_ends(footage.small), strict=True)]))
    least = np.minimum(single[:-1], single[1:])
    broken = least > limits.BROKEN_LEVEL
    alone = broken & (twice < 0.5 * least)
    # The first and the last frame lack a neighbour: nothing is said of them.
    edge = np.zeros(1)
    return (
        np.concatenate([edge, broken.mean(axis=(1, 2)), edge]),
        np.concatenate([edge, alone.mean(axis=(1, 2)), edge]),
    )


def _ends(frames: Image) -> tuple[Image, Image]:
    return frames[:-2], frames[2:]


def _cells(changes: Image) -> Floats:
    side = changes.shape[1] // _CELL
    cut = changes[:, : side * _CELL, : side * _CELL]
    means: Floats = cut.reshape(len(cut), side, _CELL, side, _CELL).mean(axis=(2, 4))
    return means


def flicker(footage: Footage) -> Reading:
    """Return how much of each frame is broken, and where it is too much.

    Below `LEAST_FPS` what moves breaks frames as well, and nothing is said.
    """
    if len(footage) < 4 or footage.fps < limits.LEAST_FPS:
        return Reading()
    broken, alone = broken_cells(footage)
    many = broken - _usual(broken) > limits.BROKEN_STARTS
    starts = limits.BLIP_MOVING if footage.moves else limits.BLIP_STARTS
    blips = alone - _usual(alone) > starts
    some = alone - _usual(alone) > starts / 2
    found = stretches(many | blips, many | some, gap=2, least=3)
    gauge = Gauge("{:.0%} of the picture broken", footage.times, alone, high=starts)
    return Reading((gauge,), tuple(_broken(footage, run, broken) for run in found))


def _usual(share: Floats) -> float:
    """Return what three quarters of the frames stay below: cameras that move break more."""
    return float(np.quantile(share, 0.75)) if (share > 0).mean() > 0.5 else 0.0


def _broken(footage: Footage, run: Run, share: Floats) -> Event:
    most = float(share[run[0] : run[1]].max())
    return event(
        footage,
        run,
        Fault(
            "frame_corruption",
            graded(most, 0.12, 0.3),
            min(0.6 + most, 0.9),
            "Parts of the picture are garbled, others in every frame.",
            f"up to {most:.0%} of the picture fits neither the frame before nor the one after",
        ),
    )
