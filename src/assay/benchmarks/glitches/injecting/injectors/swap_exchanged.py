"""Two things change places: exchanged in the scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import two_at_rest, with_place
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image

__all__ = ["SwapExchanged"]

_LASTS_S = ((0.4, 0.7), (0.8, 1.2), (1.3, 2.0))


@dataclass(frozen=True)
class SwapExchanged(OfScene):
    """Put each of two things to where the other one lay, without any motion."""

    type: ClassVar[str] = "object_identity_swap"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw a stretch of the clip with the two exchanged."""
        take = clip.attempt
        one, other, start, stop = two_at_rest(clip, rng, *_LASTS_S[level])

        def exchanged(number: int, _: Image) -> Image:
            places = take.trace.positions
            pose = with_place(
                take, number, one, np.array([*places[other][number, :2], places[one][number, 2]])
            )
            pose[take.place(other)][:2] = places[one][number, :2]
            return take.draw(number, pose)

        said = (
            f"The {take.words(one)} and the {take.words(other)} have changed places from one "
            "frame to the next, and later again, as of a generator that mixes them up."
        )
        return Injected(edited(clip, start, stop, exchanged), start, stop, said)
