"""How a picture has to be shifted, turned and zoomed to lie on another one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.judges.instruments._footage import Greys
from assay.judges.instruments._tiles import shrunk
from assay.records import Floats

__all__ = ["Alignment", "Template", "aligned"]

_SIDES = (28, 56, 112)  # of the pictures that are compared, coarse to fine [px]
_ROUNDS = 8  # of improving at each size
_CUT = 25.0  # grey levels beyond which a pixel shows something else, and counts no more
_GRID = 4  # tiles a side
_WORSE = 1.5  # grey levels by which a tile fits worse
_LEAST = 12  # edges that a tile must have to be told of
_SHARE = 0.4  # of the pixels, those with the steepest edges, tell the motion


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Where a picture lies.

    Attributes:
        motion: Shift down and right, zoom and turn, of shape (4,); the corners are 1 from the
            middle, so all four are parts of half a side.
        left: Mean difference to the template once it is laid there, cut off [grey levels].
        stood: The same without any motion.
        spoilt: Share of the tiles that fit worse with the motion than without.
    """

    motion: Floats
    left: float
    stood: float
    spoilt: float

    @property
    def far(self) -> float:
        """Return the root mean square of the motion over the picture, in sides."""
        shift, rest = self.motion[:2], self.motion[2:]
        # Over a square from -1 to 1 the mean of x^2 + y^2 is 2/3.
        return float(np.sqrt((shift**2).sum() + (rest**2).sum() * 2 / 3)) / 2

    @property
    def gain(self) -> float:
        """Return which share of the difference the motion explains."""
        return 1.0 - self.left / max(self.stood, 1e-6)


class _Level:
    """A template at one size: where its edges are, and how they change with a motion."""

    def __init__(self, picture: Greys) -> None:
        side = len(picture)
        down, right = np.gradient(picture)
        line = ((np.arange(side) + 0.5) / side * 2 - 1).astype(np.float32)
        steep = np.hypot(down, right)
        steep[:2] = steep[-2:] = steep[:, :2] = steep[:, -2:] = 0.0
        chosen = np.flatnonzero(steep >= np.quantile(steep, 1 - _SHARE))
        self.y, self.x = line[chosen // side], line[chosen % side]
        self.values = picture.reshape(-1)[chosen]
        self.tile = (chosen // side * _GRID // side) * _GRID + chosen % side * _GRID // side
        dy, dx = (each.reshape(-1)[chosen] * (side / 2) for each in (down, right))
        self.slopes = np.stack(
            [dy, dx, dy * self.y + dx * self.x, dx * self.y - dy * self.x], axis=1
        )

    def off(self, picture: Greys, motion: Floats) -> Greys:
        """Return the difference to a picture that has moved so, exposure made equal."""
        a, b, zoom, turn = motion
        side = len(picture)
        y = self.y * (1 + zoom) + self.x * -turn + a
        x = self.x * (1 + zoom) + self.y * turn + b
        seen = _sampled(picture, (y + 1) * (side / 2) - 0.5, (x + 1) * (side / 2) - 0.5)
        gap = seen - self.values
        return gap - np.float32(np.median(gap))


class Template:
    """A picture that others are laid on."""

    def __init__(self, picture: Greys) -> None:
        self.levels = [_Level(shrunk(picture, side)) for side in _SIDES if side <= len(picture)]


def aligned(template: Template, picture: Greys, starts: list[Floats]) -> Alignment:
    """Return how a picture of shape (S, S) lies on a template.

    By Gauss-Newton on the differences at edges, from coarse to fine, with weights that leave out
    what has changed otherwise: a robot at work does not count.

    Args:
        template: What it is laid on.
        picture: What has moved.
        starts: Motions to begin with; the one that fits best is improved.
    """
    small = [shrunk(picture, side) for side in _SIDES if side <= len(picture)]
    coarse = template.levels[0]
    tried = [_improved(coarse, small[0], start) for start in starts]
    motion = min(tried, key=lambda one: _cost(coarse.off(small[0], one)))
    for level, scaled in zip(template.levels[1:], small[1:], strict=True):
        motion = _improved(level, scaled, motion)
    fine = template.levels[-1]
    left, stood = (np.abs(fine.off(small[-1], m)) for m in (motion, np.zeros(4)))
    return Alignment(motion, _cost(left), _cost(stood), _spoilt(fine.tile, left, stood))


def _spoilt(tile: npt.NDArray[np.intp], left: Greys, stood: Greys) -> float:
    """Return the share of tiles that fit worse: in a torn picture, those that have not moved."""
    counts = np.bincount(tile, minlength=_GRID**2)
    costs = [
        np.bincount(tile, np.minimum(off, _CUT), _GRID**2) / np.maximum(counts, 1)
        for off in (left, stood)
    ]
    told = counts >= _LEAST
    return float(np.mean((costs[0] - costs[1])[told] > _WORSE)) if told.any() else 0.0


def _improved(level: _Level, picture: Greys, motion: Floats) -> Floats:
    for _ in range(_ROUNDS):
        off = level.off(picture, motion)
        scale = max(float(np.median(np.abs(off))) * 3.0, 6.0)
        weights = np.clip(1.0 - (off / (2 * scale)) ** 2, 0.0, 1.0) ** 2
        weighed = level.slopes * weights[:, None]
        whole = weighed.T @ level.slopes
        whole[np.diag_indices(4)] += 1e-3 * np.trace(whole) / 4 + 1e-6
        step = np.linalg.solve(whole, weighed.T @ off).astype(np.float64)
        motion = motion - step
        if np.abs(step).max() < 1e-4:
            break
    return np.clip(motion, -1.0, 1.0)


def _cost(off: Greys) -> float:
    return float(np.minimum(np.abs(off), _CUT).mean())


def _sampled(picture: Greys, y: Greys, x: Greys) -> Greys:
    """Return the picture at places between pixels; outside, its edge goes on."""
    side = len(picture)
    y, x = np.clip(y, 0, side - 1.001), np.clip(x, 0, side - 1.001)
    row, column = y.astype(np.intp), x.astype(np.intp)
    down, right = y - row, x - column
    flat, first = picture.reshape(-1), row * side + column
    above = flat[first] * (1 - right) + flat[first + 1] * right
    below = flat[first + side] * (1 - right) + flat[first + side + 1] * right
    seen: Greys = above * (1 - down) + below * down
    return seen
