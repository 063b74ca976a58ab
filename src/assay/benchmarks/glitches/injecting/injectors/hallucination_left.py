"""A thing that was not there: a second one lies where a hand took the first one from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfMoving
from assay.benchmarks.glitches.injecting.injectors._things import seen_whole, way_of, with_rest
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.benchmarks.glitches.injecting.take import Take
from assay.errors import EpisodeError
from assay.records import Image

__all__ = ["HallucinationLeft"]

_LASTS_S = ((0.5, 0.8), (1.0, 1.5), (0.6, 0.6))  # from when the two have parted, at least
_TO_THE_END: Final = 2  # the level at which it stays
_PARTED_M = 0.07
_CLEAR_M = 0.06  # how far hands and all other things stay away from it
_LEAST = 0.0022  # of the picture shows it


@dataclass(frozen=True)
class HallucinationLeft(OfMoving):
    """Let a thing that a hand lifts leave a second one behind; a strong one stays to the end."""

    type: ClassVar[str] = "object_hallucination"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw the thing once more where it lay, from when it is lifted."""
        take, stays = clip.attempt, level == _TO_THE_END
        for name in map(str, rng.permutation(list(take.things))):
            start, parted = _lifted(take, name)
            stop = parted + round(rng.uniform(*_LASTS_S[level]) * clip.fps)
            fits = stop < len(clip)  # what is gone again later is gone before the end
            stop = len(clip) if stays else stop
            if fits and _lies_well(take, name, start, parted, stop):
                break
        else:
            raise EpisodeError("nothing is lifted that could lie there still, in sight")

        def doubled(number: int, picture: Image) -> Image:
            return _with_copy(take, number, name, start - 1, picture)

        after = "stays there" if stays else "is gone again later"
        said = (
            f"The hand takes the {take.words(name)} away, and a second one lies in its place and "
            f"{after}; nothing brought it, as of a generator that draws a thing twice."
        )
        return Injected(edited(clip, start, stop, doubled), start, stop, said)


def _lifted(take: Take, name: str) -> tuple[int, int]:
    """Return when a thing is lifted and when it has left its place whole; the end if never."""
    places, never = take.trace.positions[name], (len(take), len(take))
    way = way_of(take, name)
    if way is None:
        return never
    gone = np.flatnonzero(np.linalg.norm(places - places[way[0] - 1], axis=1) >= _PARTED_M)
    # What is pushed can't leave one behind: the hand would go through it.
    held = len(gone) and take.trace.held[name][way[0] : gone[0]].all()
    return (way[0], int(gone[0])) if held else never


def _lies_well(take: Take, name: str, start: int, parted: int, stop: int) -> bool:
    """Tell whether a copy would be seen well, and nothing comes to where it lies."""
    place = take.trace.positions[name][start - 1]
    others = [*(take.trace.positions[other] for other in take.things), *take.trace.tools.values()]
    if any(np.linalg.norm(o[parted:stop] - place, axis=1).min() < _CLEAR_M for o in others):
        return False
    if not seen_whole(take, name, (start - 1, parted)):
        return False
    shown = (
        take.mask(number, name, with_rest(take, number, name, start - 1)).mean()
        for number in ((parted + stop) // 2, stop - 1)
    )
    return bool(min(shown) >= _LEAST)


def _with_copy(take: Take, number: int, name: str, other: int, picture: Image) -> Image:
    """Return a picture with a thing once more as it lies in another frame, and its shadow."""
    pose = with_rest(take, number, name, other)
    bare = take.without(number, take.geoms_of(name))
    copied, copy = take.draw(number, pose), take.mask(number, name, pose)
    own = take.mask(number, name)
    eye = take.renderer.camera(take.view).world_from_camera[:3, 3]
    here, there = (take.trace.positions[name][n] for n in (number, other))
    before = copy if np.linalg.norm(there - eye) < np.linalg.norm(here - eye) else copy & ~own
    shade = (copied != bare).any(axis=-1) & ~own
    return np.where((before | shade)[..., None], copied, picture)
