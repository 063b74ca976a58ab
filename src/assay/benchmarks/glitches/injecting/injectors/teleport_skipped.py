"""A thing is somewhere else from one frame to the next: a part of its way is left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfMoving
from assay.benchmarks.glitches.injecting.injectors._things import seen_whole, way_of, with_rest
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.benchmarks.glitches.injecting.take import Take
from assay.errors import EpisodeError
from assay.records import Floats, Image

__all__ = ["TeleportSkipped"]

_FAR = (0.11, 0.16, 0.22)  # the jump, in sides of the picture
_LEAST_S = 0.33  # the hand is seen to go without the thing, at least
_LEAST = 0.0022  # of the picture shows it where it lies
_STIRS_M = 0.01  # all else lies still, or the thing would lie on nothing


@dataclass(frozen=True)
class TeleportSkipped(OfMoving):
    """Leave a thing behind until it jumps after the hand, or let it jump to its goal ahead of it.

    There is one jump only: at the other end of the stretch the thing is where it truly is.
    """

    type: ClassVar[str] = "object_teleportation"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw a part of a thing's way with the thing at the beginning or the end of the way."""
        take = clip.attempt
        least = round(_LEAST_S * clip.fps)
        found = [
            (name, skip)
            for name in take.things
            for skip in (_behind(take, name, _FAR[level]), _ahead(take, name, _FAR[level]))
            if skip is not None and skip.fits(take, name, least)
        ]
        if not found:
            raise EpisodeError("nothing is brought far enough in sight")
        name, skip = found[int(rng.integers(len(found)))]

        def elsewhere(number: int, _: Image) -> Image:
            return take.draw(number, with_rest(take, number, name, skip.lies))

        if skip.lies < skip.start:
            how = "stays where it lay while the hand goes away from it, and is in the hand at once"
        else:
            how = "jumps to its goal while the hand that brings it is still on its way"
        said = f"The {take.words(name)} {how}, as of a generator that leaves out how it got there."
        return Injected(edited(clip, skip.start, skip.stop, elsewhere), skip.start, skip.stop, said)


@dataclass(frozen=True)
class _Skip:
    """A part of a thing's way that is left out.

    Attributes:
        start: Its first frame.
        stop: One past the last.
        lies: The frame whose place the thing has meanwhile.
        held: The frame next to the jump in which the hand has the thing.
    """

    start: int
    stop: int
    lies: int
    held: int

    def fits(self, take: Take, name: str, least: int) -> bool:
        """Tell whether the jump can be seen and lasts, and the thing lies well meanwhile."""
        if self.stop - self.start < least or not seen_whole(take, name, (self.held,)):
            return False
        task = take.world.task
        rest = {*(thing.name for thing in task.things), *task.fixtures} - {name}
        span = slice(self.start, self.stop)
        stirs = (np.ptp(take.trace.positions[other][span], axis=0).max() for other in rest)
        jump = self.stop - 1 if self.lies < self.start else self.start
        shown = take.mask(jump, name, with_rest(take, jump, name, self.lies)).mean()
        return bool(shown >= _LEAST and all(far < _STIRS_M for far in stirs))


def _behind(take: Take, name: str, far: float) -> _Skip | None:
    """Return the part of the way on which a thing that was lifted stays behind, if there is one."""
    way = way_of(take, name)
    if way is None:
        return None
    start, _ = way
    gap = _gaps(take, name, start - 1)
    late = np.flatnonzero((gap >= far) & take.trace.held[name])
    # What is pushed can't stay behind: the hand would go through it.
    if not len(late) or not take.trace.held[name][start : late[0]].all():
        return None
    return _Skip(start, int(late[0]), start - 1, int(late[0]))


def _ahead(take: Take, name: str, far: float) -> _Skip | None:
    """Return the part of the way on which a thing lies at its goal already, if there is one."""
    way = way_of(take, name)
    if way is None or take.trace.touched[name][-1]:
        return None
    start, stop = way
    early = np.flatnonzero(_gaps(take, name, stop) >= far)
    early = early[(early > start) & (early < stop)]
    return _Skip(int(early[-1]), stop, stop, int(early[-1]) - 1) if len(early) else None


def _gaps(take: Take, name: str, other: int) -> Floats:
    """Return how far a thing is in every frame from where it is in another one, in sides, (T,)."""
    way = np.array([take.pixel(here) for here in take.trace.positions[name]])
    return np.asarray(np.linalg.norm(way - way[other], axis=1) / take.renderer.size)
