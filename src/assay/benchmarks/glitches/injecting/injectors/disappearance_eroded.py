"""A thing is gone: it wears away from its rim inwards, a fixture of the table as well."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._pixels import mixed, texture, worn_down
from assay.benchmarks.glitches.injecting.injectors._robots import part_mask
from assay.benchmarks.glitches.injecting.injectors._things import box_of
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.benchmarks.glitches.injecting.take import Take
from assay.errors import EpisodeError
from assay.records import Floats, Image

__all__ = ["DisappearanceEroded"]

_LASTS_S = ((0.8, 1.05), (1.2, 1.7))  # with the time in which it goes
_FOR_GOOD: Final = 2  # the level at which it does not come back
_GOES_S = 0.33  # until nothing of it is left
_GRAIN = 0.04  # how wide its notches are, in sides of the picture
_LEAST = (0.006, 0.0022)  # of the picture shows a fixture, and a thing
_FLAT_M = 0.012  # what is lower is painted on the table, not a thing
_NEAR_M = 0.045  # hands stay so far away from it
_IN_IT_M = 0.04  # things whose middle is so near may lie in it or on it
_TRIES = 8


@dataclass(frozen=True)
class DisappearanceEroded(OfScene):
    """Wear a thing or a fixture away from its rim inwards; it is back at once, or strong: never."""

    type: ClassVar[str] = "object_disappearance"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Wear away what lies or stands in sight, away from the hand."""
        take, for_good = clip.attempt, level == _FOR_GOOD
        words, geoms, start, stop = _chosen(clip, level, rng)
        slope = round(_GOES_S * clip.fps)
        notches = texture(rng, clip.frames.shape[1:3], max(round(_GRAIN * clip.size), 2))

        def eroded(number: int, picture: Image) -> Image:
            bare, share = take.without(number, geoms), (number - start + 1) / slope
            if share >= 1.0:
                return bare
            own = part_mask(take, number, geoms)
            shade = mixed(picture, bare, np.full(own.shape, share))
            worn = np.where(own[..., None], bare, shade)
            return np.where(worn_down(own, notches, share)[..., None], picture, worn)

        after = "does not come back" if for_good else "later is there again at once"
        said = (
            f"The {words} wears away from its rim inwards within a third of a second, is gone with "
            f"its shadow and {after}, though nothing took it, as of a generator that forgets it."
        )
        return Injected(edited(clip, start, stop, eroded), start, stop, said)


def _chosen(
    clip: Prepared, level: Level, rng: np.random.Generator
) -> tuple[str, list[int], int, int]:
    """Return what goes: how a person names it, its geoms, and from when to when.

    It is a fixture where one is left alone for so long.

    Raises:
        EpisodeError: Nothing is left alone for long enough.
    """
    take = clip.attempt
    fixtures, things = list(_fixtures(take)), list(_things(take))
    for found, least in (*[(fixtures, _LEAST[0])] * _TRIES, *[(things, _LEAST[1])] * _TRIES):
        if level == _FOR_GOOD:
            start, stop = int(rng.uniform(0.3, 0.65) * len(clip)), len(clip)
        else:
            start, stop = stretch(clip, rng, *_LASTS_S[level])
        for place in rng.permutation(len(found)):
            words, geoms = found[place]
            if _alone(take, geoms, start, stop) and _seen(take, geoms, start, stop, least):
                return words, geoms, start, stop
    raise EpisodeError("nothing is left alone in sight for long enough")


def _things(take: Take) -> Iterator[tuple[str, list[int]]]:
    """Yield how a person names each thing, and its geoms."""
    for name in take.things:
        yield take.words(name), take.geoms_of(name)


def _fixtures(take: Take) -> Iterator[tuple[str, list[int]]]:
    """Yield what stands on the table with all its parts, and how a person names it."""
    names, model = take.world.task.fixtures, take.model
    whole: dict[int, list[str]] = {}
    for name in names:
        root = int(model.body_rootid[model.geom_bodyid[take.geoms_of(name)[0]]])
        whole.setdefault(root, []).append(name)
    for parts in whole.values():
        geoms = [number for part in parts for number in take.geoms_of(part)]
        if box_of(take, 0, geoms)[1][2] > _FLAT_M:
            yield parts[0] if parts[0] != "spare" else f"spare {names[0]}", geoms


def _alone(take: Take, geoms: list[int], start: int, stop: int) -> bool:
    """Tell whether neither a hand nor another thing is at something in a stretch."""
    low, high = box_of(take, start, geoms)
    span = slice(max(start - 2, 0), stop + 2)
    owned = np.asarray(take.model.geom_bodyid)[geoms]
    for name in take.things:
        own = take.model.geom_bodyid[take.geoms_of(name)[0]] in owned
        if not own and _at(take.trace.positions[name][span], low, high, _IN_IT_M):
            return False
    return not any(_at(tool[span], low, high, _NEAR_M) for tool in take.trace.tools.values())


def _seen(take: Take, geoms: list[int], start: int, stop: int, least: float) -> bool:
    """Tell whether so much of the picture shows something, in a whole stretch."""
    numbers = (start, (start + stop) // 2, stop - 1)
    return all(part_mask(take, number, geoms).mean() >= least for number in numbers)


def _at(way: Floats, low: Floats, high: Floats, near: float) -> bool:
    """Tell whether a way, (T, 3), leads into a box or so near to it [m]."""
    return bool(np.all((way > low - near) & (way < high + near), axis=1).any())
