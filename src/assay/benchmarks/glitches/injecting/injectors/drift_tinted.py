"""A thing slowly takes on another colour: tinted in the scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import in_sight
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image
from assay.worlds.look import COLOURS

__all__ = ["DriftTinted"]

_SHARE = (0.45, 0.7, 1.0)  # of the way to the other colour


@dataclass(frozen=True)
class DriftTinted(OfScene):
    """Change the colour of a thing little by little, up to the end of the clip."""

    type: ClassVar[str] = "object_color_or_shape_drift"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw the thing in a colour between its own and another one."""
        take = clip.attempt
        name, start, stop = in_sight(clip, rng)
        was, geoms = take.words(name), take.geoms_of(name)
        colour = str(rng.choice([c for c in COLOURS if c != was.split()[0]]))

        def tinted(number: int, _: Image) -> Image:
            share = _SHARE[level] * min((number - start + 1) / (stop - start) * 1.3, 1.0)
            with take.scene() as model:
                own = model.geom_rgba[geoms, :3]
                model.geom_rgba[geoms, :3] = (1.0 - share) * own + share * np.array(COLOURS[colour])
                return take.draw(number)

        said = (
            f"The {was} slowly turns {colour} while the light stays the same, as of a generator "
            "that forgets its colour."
        )
        return Injected(edited(clip, start, stop, tinted), start, stop, said)
