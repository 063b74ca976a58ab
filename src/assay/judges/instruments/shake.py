"""Camera instability: the standing parts of the picture move together."""

from __future__ import annotations

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage, Greys
from assay.judges.instruments._found import Fault, Gauge, Reading, event, graded
from assay.judges.instruments._spans import Run, stretches
from assay.judges.instruments._tiles import GRID, displacements, reference, tiled
from assay.records import Event, Floats

__all__ = ["camera_motion", "shake"]

_ROUNDS = 6  # of reweighting
_CLOSE = 1.0  # two tiles agree within this [px]


def camera_motion(pictures: Greys) -> Floats:
    """Return how far the camera has moved the picture from its usual place, of shape (T,) [px].

    Each tile's displacement against the median picture votes for a shift, a turn and a zoom,
    d(x) = a + (z - 1) x + w (x turned by 90 degrees), fitted so that outliers do not count: a
    moving arm disagrees with the standing tiles. NaN where too few tiles agree.
    """
    usual = reference(pictures)
    shifts, heights = displacements(pictures, usual)
    textured = tiled(usual).std(axis=(-2, -1)) > limits.TEXTURE
    trusted = (heights > limits.SHAKE_HEIGHT) & textured
    return np.array([_fitted(s, t) for s, t in zip(shifts, trusted, strict=True)])


def _fitted(shifts: Floats, trusted: np.ndarray) -> float:
    """Return the root mean square of the agreed motion over the picture [px]; NaN without one."""
    if trusted.sum() < limits.SHAKE_TILES:
        return np.nan
    every = _basis()
    basis, moved = every[trusted], shifts[trusted]
    weights = np.ones(len(moved))
    # Begin at the median shift: a least-squares start can be pulled over by a few wild tiles.
    motion = np.array([*np.median(moved, axis=0), 0.0, 0.0])
    for _ in range(_ROUNDS):
        apart = np.linalg.norm(moved - basis @ motion, axis=1)
        weights = 1.0 / (1.0 + (apart / (_CLOSE / 2)) ** 2)
        rows = (basis * weights[:, None, None]).reshape(-1, 4)
        motion = np.linalg.lstsq(rows, (moved * weights[:, None]).reshape(-1), rcond=None)[0]
    apart = np.linalg.norm(moved - basis @ motion, axis=1)
    if (apart < _CLOSE).mean() < limits.SHAKE_AGREEING:
        return np.nan
    return float(np.sqrt(((every @ motion) ** 2).sum(axis=1).mean()))


def _basis() -> Floats:
    """Return how a shift down, one right, a zoom and a turn move each tile: (tiles, 2, 4)."""
    line = np.linspace(-1.0, 1.0, GRID)
    down, right = (each.reshape(-1) for each in np.meshgrid(line, line, indexing="ij"))
    one, none = np.ones_like(down), np.zeros_like(down)
    return np.stack(
        [np.stack([one, none, down, right], 1), np.stack([none, one, right, -down], 1)], axis=1
    )


def shake(footage: Footage) -> Reading:
    """Return how far the camera has moved, and where it is unsteady; nothing for a riding one."""
    if footage.moves or len(footage) < 3:
        return Reading()
    motion = camera_motion(footage.grey)
    known = np.nan_to_num(motion)
    gap = max(round(limits.SHAKE_PAUSE_S * footage.fps), 1)
    found = stretches(known > limits.SHAKE_STARTS, known > limits.SHAKE_KEEPS, gap=gap, least=2)
    gauge = Gauge("the camera {:.1f} px off its place", footage.times, motion, high=0.8)
    return Reading((gauge,), tuple(_unsteady(footage, run, known) for run in found))


def _unsteady(footage: Footage, run: Run, motion: Floats) -> Event:
    within = motion[run[0] : run[1]]
    most, usual = float(within.max()), float(np.sqrt((within**2).mean()))
    side = footage.colour.shape[1]
    return event(
        footage,
        run,
        Fault(
            "camera_instability",
            graded(usual / side, 0.02, 0.04),
            0.6 + 0.1 * min(usual, 3.0),
            "The camera, which should stand still, moves.",
            f"the standing parts of the picture move together by up to {most:.1f} px of {side}",
        ),
    )
