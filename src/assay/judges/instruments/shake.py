"""Camera instability: the standing parts of the picture move together."""

from __future__ import annotations

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage, Greys
from assay.judges.instruments._found import Fault, Gauge, Reading, event, graded
from assay.judges.instruments._spans import Run, runs, stretches
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
    textured = tiled(usual).std(axis=(-2, -1)) > limits.SHAKE_TEXTURE
    sure = np.where(textured & (heights > limits.SHAKE_HEIGHT), heights, 0.0)
    return np.array([_fitted(s, w) for s, w in zip(shifts, sure, strict=True)])


def _fitted(shifts: Floats, sure: Floats) -> float:
    """Return the root mean square of the agreed motion over the picture [px]; NaN without one.

    Args:
        shifts: Of shape (tiles, 2) [px].
        sure: How sure each is, of shape (tiles,); 0 does not count.
    """
    known = sure > 0
    if known.sum() < limits.SHAKE_TILES:
        return np.nan
    # Few tiles tell a shift only: they would fit any turn and zoom.
    every = _basis()[..., : 4 if known.sum() >= limits.SHAKE_TURNS else 2]
    basis, moved, trust = every[known], shifts[known], sure[known] ** 2
    # Begin where most agree: a mean could be pulled over by a few wild ones.
    motion = np.zeros(every.shape[-1])
    motion[:2] = _mode(moved, trust)
    for _ in range(_ROUNDS):
        far = np.linalg.norm(moved - basis @ motion, axis=1)
        weights = trust / (1.0 + (far / (_CLOSE / 2)) ** 2)
        rows = (basis * weights[:, None, None]).reshape(-1, len(motion))
        motion = np.linalg.lstsq(rows, (moved * weights[:, None]).reshape(-1), rcond=None)[0]
    close = np.linalg.norm(moved - basis @ motion, axis=1) < _CLOSE
    agreed = float(trust[close].sum() / trust.sum())
    if agreed < limits.SHAKE_AGREEING or close.sum() < limits.SHAKE_TILES:
        return np.nan
    return float(np.sqrt(((every @ motion) ** 2).sum(axis=1).mean()))


def _mode(moved: Floats, trust: Floats) -> Floats:
    """Return the shift that most of the trust is near to, of shape (2,)."""
    far = np.linalg.norm(moved[:, None] - moved[None], axis=2)
    votes = (trust[None] * (far < 2 * _CLOSE)).sum(axis=1)
    best: Floats = moved[votes.argmax()]
    return best


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
    known = _bridged(motion, round(limits.SHAKE_UNKNOWN_S * footage.fps))
    gap = max(round(limits.SHAKE_PAUSE_S * footage.fps), 1)
    found = stretches(known > limits.SHAKE_STARTS, known > limits.SHAKE_KEEPS, gap=gap, least=2)
    gauge = Gauge("the camera {:.1f} px off its place", footage.times, motion, high=0.8)
    return Reading((gauge,), tuple(_unsteady(footage, run, known) for run in found))


def _bridged(motion: Floats, most: int) -> Floats:
    """Return the motion with gaps of up to `most` frames filled in, longer ones with 0."""
    unknown = np.isnan(motion)
    filled = np.nan_to_num(motion)
    for first, stop in runs(unknown):
        if stop - first <= most and first > 0 and stop < len(motion):
            filled[first:stop] = (motion[first - 1] + motion[stop]) / 2
    return filled


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
