"""A thing is somewhere else: its picture melts over from one place to the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._pixels import mixed
from assay.benchmarks.glitches.injecting.injectors._things import (
    at_rest,
    bears,
    free_spot,
    in_fixture,
    left_alone,
    rising,
    with_place,
)
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.benchmarks.glitches.injecting.take import Take
from assay.errors import EpisodeError
from assay.records import Floats, Image

__all__ = ["TeleportBlended"]

_LASTS_S = ((0.7, 0.95), (1.05, 1.5))  # with the times in which it melts over
_FOR_GOOD: Final = 2  # the level at which it does not come back
_BEGINS = (0.25, 0.65)  # of the clip, when it is for good
_MELTS_S = 0.27  # until it is at the other place alone
_FAR_M = (0.11, 0.13, 0.15)
_APART = 0.11  # in sides of the picture: the two places do not touch
_ROOM_M = 0.04  # between its rim and whatever comes by
_WHOLE = 0.7  # of what is seen of it before
_TRIES = 12


@dataclass(frozen=True)
class TeleportBlended(OfScene):
    """Let a thing fade here as it fades in elsewhere, and later back; a strong one stays there."""

    type: ClassVar[str] = "object_teleportation"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Mix a stretch of the clip with the same scene in which the thing lies elsewhere."""
        take, for_good = clip.attempt, level == _FOR_GOOD
        if level == _FOR_GOOD:
            name, start, stop = left_alone(clip, rng, *_BEGINS)
        else:
            name, start, stop = at_rest(clip, rng, *_LASTS_S[level])
        if bears(take, name, start, stop):
            raise EpisodeError("what lies on the thing would be left in the air")
        place = _other_place(take, name, (start, stop), _FAR_M[level], rng)
        slope = round(_MELTS_S * clip.fps)
        until = stop + slope if for_good else stop  # the way back lies behind the clip's end

        def blended(number: int, picture: Image) -> Image:
            there = take.draw(number, with_place(take, number, name, place))
            share = rising(number, start, until, slope)
            return mixed(picture, there, np.full(picture.shape[:2], share))

        after = "stays there" if for_good else "later melts back"
        said = (
            f"The {take.words(name)} melts over to another place within a few frames, for a moment "
            f"half here and half there, and {after}; nothing brought it, as of a generator that "
            "blends two chunks that do not agree."
        )
        return Injected(edited(clip, start, stop, blended), start, stop, said)


def _other_place(
    take: Take, name: str, span: tuple[int, int], far: float, rng: np.random.Generator
) -> Floats:
    """Return where a thing could lie instead in a stretch, (3,) [m].

    Raises:
        EpisodeError: There is no room for it, or it would not be seen there.
    """
    start, stop = span
    here = take.trace.positions[name][start]
    least = _WHOLE * float(take.mask(start, name).mean())
    for _ in range(_TRIES):
        place = np.array([*free_spot(take, start, rng, here, far), here[2]])
        gap = np.hypot(*np.subtract(take.pixel(place), take.pixel(here)))
        if gap < _APART * take.renderer.size or not _free(take, name, span, place):
            continue
        numbers = (start, min(start + 4, stop - 1), (start + stop) // 2, stop - 1)
        shown = (take.mask(n, name, with_place(take, n, name, place)).mean() for n in numbers)
        if min(shown) >= least:
            return place
    raise EpisodeError("it can't be seen at its other place, away from the robot")


def _free(take: Take, name: str, span: tuple[int, int], place: Floats) -> bool:
    """Tell whether nothing stands at a place or comes to it in a stretch."""
    start, stop = span
    things = (take.trace.positions[other] for other in take.things if other != name)
    ways = (*things, *take.trace.tools.values())
    room = _ROOM_M + take.world.state.extent(name)
    if any(np.linalg.norm(way[start:stop] - place, axis=1).min() < room for way in ways):
        return False
    return not in_fixture(take, start, place, take.world.state.extent(name))
