"""A thing that was not there: a second copy of one that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import (
    at_rest,
    free_spot,
    rising,
    with_place,
)
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.benchmarks.glitches.injecting.take import Take
from assay.errors import EpisodeError
from assay.records import Floats, Image

__all__ = ["HallucinationTwin"]

_COPIES = (1, 1, 2)
_LASTS_S = ((0.7, 1.0), (1.2, 1.8), (1.2, 1.8))
_FAR_M = 0.085  # from the thing to its copy
_SLIDES_S = 0.27  # until the copy has left the thing


@dataclass(frozen=True)
class HallucinationTwin(OfScene):
    """Let a copy of a thing slide out of it, lie beside it, and slide back."""

    type: ClassVar[str] = "object_hallucination"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw a stretch of the clip with the thing at several places at once."""
        take = clip.attempt
        name, start, stop = at_rest(clip, rng, *_LASTS_S[level])
        here = take.trace.positions[name][start]
        spots = [free_spot(take, start, rng, here, _FAR_M) for _ in range(_COPIES[level])]
        if float(np.linalg.norm(spots[0] - spots[-1])) < _FAR_M and len(spots) > 1:
            raise EpisodeError("the copies would lie in each other")
        slope = round(_SLIDES_S * clip.fps)

        def doubled(number: int, picture: Image) -> Image:
            share, made = rising(number, start, stop, slope), picture
            for spot in spots:
                place = np.array([*(here[:2] + share * (spot - here[:2])), here[2]])
                made = _with_copy(take, number, name, place, made)
            return made

        many = "A second" if len(spots) == 1 else "A second and a third"
        said = (
            f"{many} {take.words(name)} slides out of the first one, lies beside it and later "
            "slides back; nothing brought it, as of a generator that draws a thing twice."
        )
        return Injected(edited(clip, start, stop, doubled), start, stop, said)


def _with_copy(take: Take, number: int, name: str, place: Floats, picture: Image) -> Image:
    """Return a picture with a copy of a thing at a place, lit and shaded as the scene is there."""
    bare = take.without(number, take.geoms_of(name))
    moved = take.draw(number, with_place(take, number, name, place))
    own = (moved != bare).any(axis=-1)
    eye = take.renderer.camera(take.view).world_from_camera[:3, 3]
    here = take.trace.positions[name][number]
    if np.linalg.norm(place - eye) > np.linalg.norm(here - eye):
        own &= ~take.mask(number, name)  # the thing itself stands before its copy
    return np.where(own[..., None], moved, picture)
