"""A thing is gone: it fades out of the hand that carries it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfCarrying
from assay.benchmarks.glitches.injecting.injectors._pixels import mixed
from assay.benchmarks.glitches.injecting.injectors._things import in_hand, rising, seen_whole
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.benchmarks.glitches.injecting.take import Take
from assay.errors import EpisodeError
from assay.records import Image

__all__ = ["DisappearanceFaded"]

_LASTS_S = ((0.6, 0.8), (0.9, 1.3), (0.6, 0.8))
_FOR_GOOD: Final = 2  # the level at which it does not come back
_GOES_S = 0.2  # until nothing of it is left


@dataclass(frozen=True)
class DisappearanceFaded(OfCarrying):
    """Let what a hand carries turn transparent and be gone; a strong one does not come back."""

    type: ClassVar[str] = "object_disappearance"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Fade a thing out on its way, and its shadow with it."""
        take = clip.attempt
        name, start, stop = in_hand(clip, rng, *_LASTS_S[level])
        slope = round(_GOES_S * clip.fps)
        if level == _FOR_GOOD:
            stop = _last_seen(take, name, start)
        # What is gone for good never begins to come back: its return lies behind the clip's end.
        until = stop + slope if level == _FOR_GOOD else stop

        def faded(number: int, picture: Image) -> Image:
            bare = take.without(number, take.geoms_of(name))
            share = rising(number, start, until, slope)
            return mixed(picture, bare, np.full(picture.shape[:2], share))

        after = "and does not come back" if level == _FOR_GOOD else "and later is there again"
        said = (
            f"The {take.words(name)} turns transparent in the hand that carries it, is gone "
            f"{after}, though nothing took it, as of a generator that forgets it."
        )
        return Injected(edited(clip, start, stop, faded), start, stop, said)


def _last_seen(take: Take, name: str, start: int) -> int:
    """Return the end of the clip, up to which a thing can be missed from a frame on.

    Raises:
        EpisodeError: It is out of sight in the end, or another thing is put onto it or over it.
    """
    later = (take.trace.touched[other][start:].any() for other in take.things if other != name)
    if any(later) or not seen_whole(take, name, (len(take) - 1,)):
        raise EpisodeError("nobody would miss the thing in the end")
    return len(take)
