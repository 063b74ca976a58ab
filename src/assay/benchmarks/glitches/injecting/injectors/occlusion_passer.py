"""Something covers what happens: somebody walks by before the camera."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfFrames
from assay.benchmarks.glitches.injecting.injectors._pixels import busiest, mixed
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Floats, Image

__all__ = ["OcclusionPasser"]

_HALF = (0.15, 0.22, 0.34)  # half the width of the person, in sides of the picture
_STAYS = (0.2, 0.4, 0.55)  # of the time the person is before what happens
_LASTS_S = ((0.8, 1.2), (1.1, 1.6), (1.4, 2.0))
_DAWDLES = 0.05  # how far the person walks on to each side meanwhile, in sides
_SOFT = 0.035  # width of the outline, in sides: so close to the lens nothing is sharp
_STEPS_HERTZ = 1.8
_BELT, _CUFF, _TIPS = 0.7, 0.74, 0.9  # how far down belt, cuff and finger tips are, in heights
_ARM = 0.24  # half the width of an arm, in half widths of the trunk
_SKIN = (196.0, 142.0, 116.0)


@dataclass(frozen=True)
class OcclusionPasser(OfFrames):
    """Let a person walk by close to the lens, from one side of the picture to the other."""

    type: ClassVar[str] = "occlusion"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Let the person slow down before the busiest part of a stretch."""
        start, stop = stretch(clip, rng, *_LASTS_S[level])
        (height, width), side = clip.frames.shape[1:3], clip.size
        half, slow = _HALF[level] * side, _DAWDLES * side
        busy, out = busiest(clip.frames[start:stop])[1], 1.6 * half
        way = [-out, busy - slow, busy + slow, width + out][:: int(rng.choice((-1, 1)))]
        when = (0.0, 0.5 - _STAYS[level] / 2, 0.5 + _STAYS[level] / 2, 1.0)
        shirt, trousers = rng.uniform(40, 190, 3), rng.uniform(20, 90, 3)
        look = _Look(shirt, trousers, half, _SOFT * side, rng.uniform(-0.12, 0.12))

        def covered(number: int, picture: Image) -> Image:
            column = float(np.interp((number - start + 0.5) / (stop - start), when, way))
            step = np.sin(2 * np.pi * _STEPS_HERTZ * (number - start) / clip.fps)
            return mixed(picture, *look.drawn((height, width), column, float(step)))

        said = (
            "Somebody walks through the picture close to the lens and hides what the robot does, "
            "as of a person who passes between camera and table."
        )
        return Injected(edited(clip, start, stop, covered), start, stop, said)


@dataclass(frozen=True, eq=False)
class _Look:
    """How the person looks.

    Attributes:
        shirt: Colour above the belt, red, green and blue in 0..255.
        trousers: Colour below it.
        half: Half the width of the trunk [pixels].
        soft: Width of the outline [pixels].
        lean: How far the trunk leans, columns a row.
    """

    shirt: Floats
    trousers: Floats
    half: float
    soft: float
    lean: float

    def drawn(self, shape: tuple[int, int], column: float, step: float) -> tuple[Floats, Floats]:
        """Return the person's colours, (H, W, 3), and where the person is, (H, W), 0..1.

        Args:
            shape: Of the picture.
            column: Where the middle of the trunk is.
            step: How far the arm has swung, -1..1; the body goes up and down with it.
        """
        rows, columns = np.indices(shape)
        down = rows / shape[0] + 0.012 * step
        across = (columns - column - self.lean * (rows - shape[0] / 2)) / self.half
        waist = 1.0 - 0.14 * np.exp(-(((down - 0.62) / 0.16) ** 2))
        swung = across - 0.5 * step * np.clip(down - 0.15, 0.0, None)
        # An arm hangs before the trunk; its hand is round at the end.
        wide = np.where(down < _TIPS, _ARM * np.sqrt(np.clip((_TIPS - down) / 0.1, 0, 1)), -1.0)
        cloth = np.where((down < _BELT)[..., None], self.shirt, self.trousers)
        sleeve = np.where((down < _CUFF)[..., None], 0.85 * self.shirt, np.array(_SKIN))
        folds = 1.0 + 0.07 * np.sin(9.0 * across + 3.0 * np.sin(7.0 * down))
        body = cloth * (folds * _round(across / waist))[..., None]
        arm = sleeve * _round(swung / _ARM)[..., None]
        over = body + self._inside(wide, swung)[..., None] * (arm - body)
        return over, self._inside(waist, across)

    def _inside(self, wide: Floats, across: Floats) -> Floats:
        """Return 1 where `across`, in half widths, is less than `wide`, and 0 outside, softly."""
        slope = (wide - np.abs(across)) * self.half / self.soft
        return np.asarray(np.clip(slope + 0.5, 0.0, 1.0))


def _round(across: Floats) -> Floats:
    """Return how bright a round body is, 1 in its middle and darker towards its sides at 1."""
    return np.asarray(0.55 + 0.45 * np.sqrt(np.clip(1.0 - across**2, 0.0, 1.0)))
