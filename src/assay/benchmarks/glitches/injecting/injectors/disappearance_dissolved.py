"""A thing is gone: it dissolves patch by patch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import at_rest, left_alone, rising
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Floats, Image

__all__ = ["DisappearanceDissolved"]

_LASTS_S = ((0.6, 0.9), (1.0, 1.5))
_FOR_GOOD: Final = 2  # the level at which it does not come back
_BEGINS = (0.4, 0.7)  # of the clip, when it is for good
_GOES_S = 0.33  # until the last patch is gone
_PATCH = 0.022  # in sides of the picture


@dataclass(frozen=True)
class DisappearanceDissolved(OfScene):
    """Take a thing and its shadow away patch by patch; a strong one does not come back."""

    type: ClassVar[str] = "object_disappearance"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Dissolve a thing that lies in sight and untouched."""
        take = clip.attempt
        if level == _FOR_GOOD:
            name, start, stop = left_alone(clip, rng, *_BEGINS)
        else:
            name, start, stop = at_rest(clip, rng, *_LASTS_S[level])
        slope = round(_GOES_S * clip.fps)
        # What is gone for good never begins to come back: its return lies behind the clip's end.
        until = stop + slope if level == _FOR_GOOD else stop
        turns = _turns(clip, rng)

        def dissolved(number: int, picture: Image) -> Image:
            bare = take.without(number, take.geoms_of(name))
            gone = turns < rising(number, start, until, slope)
            return np.where(gone[..., None], bare, picture)

        after = "and does not come back" if level == _FOR_GOOD else "and later comes back so"
        said = (
            f"The {take.words(name)} breaks into patches and dissolves with its shadow {after}, "
            "though nothing took it, as of a generator that forgets it."
        )
        return Injected(edited(clip, start, stop, dissolved), start, stop, said)


def _turns(clip: Prepared, rng: np.random.Generator) -> Floats:
    """Return when the patch of each pixel goes, (H, W), 0..1."""
    height, width = clip.frames.shape[1:3]
    patch = max(round(_PATCH * clip.size), 2)
    coarse = rng.random((height // patch + 1, width // patch + 1))
    return np.asarray(np.kron(coarse, np.ones((patch, patch)))[:height, :width])
