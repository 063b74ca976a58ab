"""A thing that was not there: drawn into the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfFrames
from assay.benchmarks.glitches.injecting.injectors._pixels import disc, mixed
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.errors import EpisodeError
from assay.records import Floats, Image
from assay.worlds.look import COLOURS

__all__ = ["HallucinationDrawn"]

_RADIUS = (0.035, 0.05, 0.075)  # in sides of the picture
_QUIET = 14  # grey levels: where the pictures change less, nothing passes
_TRIES = 200


@dataclass(frozen=True)
class HallucinationDrawn(OfFrames):
    """Draw a shaded ball where nothing passes; any clip of a camera that stands still will do."""

    type: ClassVar[str] = "object_hallucination"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw the ball into a stretch, at one place."""
        if clip.moves:
            raise EpisodeError("what is drawn at one place would go along with the camera")
        start, stop = stretch(clip, rng, 0.8, 1.8)
        radius = _RADIUS[level] * clip.size
        row, column = _quiet_spot(clip.frames[start:stop], radius, rng)
        colour = str(rng.choice(list(COLOURS)))
        shape = (clip.frames.shape[1], clip.frames.shape[2])
        cover = disc(shape, row, column, radius, 1.5)
        shade = 0.45 * disc(shape, row + 0.7 * radius, column + 0.4 * radius, 0.9 * radius, radius)
        ball = _ball(shape, row, column, radius) * 255.0 * np.array(COLOURS[colour])

        def drawn(_: int, picture: Image) -> Image:
            return mixed(mixed(picture, np.zeros(3), shade), ball, cover)

        said = (
            f"A {colour} ball appears from one frame to the next and is gone again later; nothing "
            "brought it, as of a generator that makes things up."
        )
        return Injected(edited(clip, start, stop, drawn), start, stop, said)


def _quiet_spot(frames: Image, radius: float, rng: np.random.Generator) -> tuple[float, float]:
    """Return a row and column in the lower part of the picture where nothing changes."""
    few = frames[:: max(len(frames) // 10, 1)]
    change = (few.max(axis=0).astype(np.int16) - few.min(axis=0)).max(axis=-1)
    height, width = change.shape
    reach = round(1.6 * radius)
    for _ in range(_TRIES):
        row = int(rng.uniform(0.45 * height, height - reach - 1))
        column = int(rng.uniform(reach, width - reach - 1))
        near = change[row - reach : row + reach, column - reach : column + reach]
        if np.percentile(near, 97) < _QUIET:
            return float(row), float(column)
    raise EpisodeError("something passes everywhere in the picture")


def _ball(shape: tuple[int, int], row: float, column: float, radius: float) -> Floats:
    """Return how bright a ball is, lit from above and from the left, of shape (H, W, 1)."""
    rows, columns = np.indices(shape)
    up, left = (row - rows) / radius, (column - columns) / radius
    out = np.sqrt(np.clip(1.0 - up**2 - left**2, 0.0, 1.0))
    light = 0.35 + 0.65 * np.clip(0.6 * up + 0.3 * left + 0.74 * out, 0.0, 1.0)
    return np.asarray(1.15 * light)[..., None]
