"""Blur of a camera that looks for its focus and finds it far behind what matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from assay.benchmarks.glitches.injecting.injectors._kinds import OfAnyScene
from assay.benchmarks.glitches.injecting.injectors._lens import circles, spread
from assay.benchmarks.glitches.injecting.injectors._things import rising
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.benchmarks.glitches.injecting.take import Take
from assay.errors import EpisodeError
from assay.records import Image

__all__ = ["BlurRefocused"]

_RADIUS = (0.021, 0.036, 0.06)  # of a point in the near quarter of the picture, in sides
_TURNS_S = 0.27  # a lens takes so long to find another focus
_HUNTS = 0.12  # of the blur comes and goes while the camera looks for the focus


@dataclass(frozen=True)
class BlurRefocused(OfAnyScene):
    """Let the focus slip to what is behind: the nearer a thing is, the wider its points spread."""

    type: ClassVar[str] = "blur"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Spread every point of a stretch over a disc, as wide as its distance makes it."""
        take = clip.attempt
        if clip.moves:
            raise EpisodeError("a camera at the hand sees nothing that is far behind")
        start, stop = stretch(clip, rng, 0.9, 1.9)
        near, far = _focus(_depth(take, start))
        slope, hertz = round(_TURNS_S * clip.fps), rng.uniform(1.2, 2.2)

        def soft(number: int, picture: Image) -> Image:
            wave = 1.0 - _HUNTS * (1.0 + np.sin(2 * np.pi * hertz * (number - start) / clip.fps))
            most = _RADIUS[level] * clip.size * wave * rising(number, start, stop, slope)
            return spread(picture, most * circles(_depth(take, number), near, far))

        said = (
            "The table and the robot turn soft, what is near the most, and later sharp again, as "
            "of a camera whose focus slips to something far behind."
        )
        return Injected(edited(clip, start, stop, soft), start, stop, said)


def _depth(take: Take, number: int) -> npt.NDArray[np.float32]:
    """Return how far off what a frame shows is, (H, W) [m]."""
    take.renderer.follow(take.poses[number])
    return take.renderer.depth(take.view)


def _focus(depth: npt.NDArray[np.floating]) -> tuple[float, float]:
    """Return how far off the near quarter of the picture is, and the new focus behind it [m]."""
    near = float(np.quantile(depth, 0.25))
    return near, max(float(np.quantile(depth, 0.95)), 2.0 * near)
