"""A thing is somewhere else: where it lies at another time of the attempt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import at_rest
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.benchmarks.glitches.injecting.take import Take
from assay.errors import EpisodeError
from assay.records import Floats, Image

__all__ = ["TeleportAhead"]

_LASTS_S = ((0.4, 0.6), (0.7, 0.95), (1.05, 1.5))
_FAR_M = 0.09  # a jump that nobody takes for a slip
_SAME_M = 0.01  # what has moved less stands where it stood
_LEAST = 0.0022  # of the picture shows it there
_TRIES = 8


@dataclass(frozen=True)
class TeleportAhead(OfScene):
    """Show a thing at its goal before any hand took it there, or at its old place afterwards."""

    type: ClassVar[str] = "object_teleportation"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw a stretch of the clip with the thing's place of another time."""
        take = clip.attempt
        name, start, stop, other = _another_time(clip, level, rng)

        def posed(number: int) -> Floats:
            pose: Floats = take.poses[number].copy()
            pose[take.place(name)] = take.poses[other][take.place(name)]
            return pose

        def elsewhere(number: int, _: Image) -> Image:
            return take.draw(number, posed(number))

        shown = (take.mask(number, name, posed(number)).mean() for number in (start, stop - 1))
        if min(shown) < _LEAST:
            raise EpisodeError("it can't be seen at its other place")
        when = "at its goal before any hand has touched it" if other else "back where it lay first"
        said = (
            f"The {take.words(name)} is {when}, from one frame to the next, and then again where "
            "it was, as of a generator that mixes up what comes first and what later."
        )
        return Injected(edited(clip, start, stop, elsewhere), start, stop, said)


def _another_time(
    clip: Prepared, level: Level, rng: np.random.Generator
) -> tuple[str, int, int, int]:
    """Return a thing, a stretch in which it rests, and a frame in which it rests far from there.

    Raises:
        EpisodeError: Nothing is brought far enough, or not to where it could stand by then.
    """
    take = clip.attempt
    for _ in range(_TRIES):
        name, start, stop = at_rest(clip, rng, *_LASTS_S[level])
        places = take.trace.positions[name]
        for other in (0, len(clip) - 1):
            far = float(np.linalg.norm(places[other] - places[start]))
            free = not take.trace.touched[name][other]
            if far > _FAR_M and free and _alike(take, name, start, other):
                return name, start, stop, other
    raise EpisodeError("nothing lies far from where it lies at another time")


def _alike(take: Take, name: str, one: int, other: int) -> bool:
    """Tell whether all but one thing stand in two frames alike: what it stands on is there."""
    task = take.world.task
    rest = {*(thing.name for thing in task.things), *task.fixtures} - {name}
    moved = (take.trace.positions[n][one] - take.trace.positions[n][other] for n in rest)
    return all(float(np.linalg.norm(gap)) < _SAME_M for gap in moved)
