"""A thing is gone: it gets lost behind the robot, or behind the hand that takes hold of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfMoving
from assay.benchmarks.glitches.injecting.injectors._things import bears
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.benchmarks.glitches.injecting.take import Take
from assay.errors import EpisodeError
from assay.records import Floats, Image

__all__ = ["DisappearanceBehind"]

_LASTS_S = ((0.5, 0.8), (1.0, 1.5), (0.4, 0.4))  # from when it should be seen again, at least
_FOR_GOOD: Final = 2  # the level at which it does not come back
_KNOWN_S = 0.33  # it is seen so long before
_COVERED, _CLEAR = 0.6, 0.65  # of what would be seen of it without the robot
_LEAST = 0.0022  # of the picture shows it when it is clear


@dataclass(frozen=True)
class DisappearanceBehind(OfMoving):
    """Lose a thing while arm or hand covers it, and miss it when they move on; strong: for good."""

    type: ClassVar[str] = "object_disappearance"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Leave a thing out from when the robot covers it most."""
        take, for_good = clip.attempt, level == _FOR_GOOD
        least = round(rng.uniform(*_LASTS_S[level]) * clip.fps)
        found = list(_losses(clip, least, for_good=for_good))
        if not found:
            raise EpisodeError("the robot covers nothing that is seen again")
        _, name, start, stop = min(found)

        def bare(number: int, _: Image) -> Image:
            return take.without(number, take.geoms_of(name))

        after = "for good" if for_good else "for a while"
        said = (
            f"The {take.words(name)} gets lost while the robot covers it and is gone {after}, "
            "though nothing took it, as of a generator that forgets what it does not see."
        )
        return Injected(edited(clip, start, stop, bare), start, stop, said)


def _losses(clip: Prepared, least: int, *, for_good: bool) -> Iterator[tuple[float, str, int, int]]:
    """Yield how much of a thing is left in sight, its name, and from when to when it is left out.

    Args:
        clip: The clip.
        least: In how many frames the thing must be missed.
        for_good: Whether it is left out up to the end.
    """
    known = round(_KNOWN_S * clip.fps)
    for name, (shown, whole) in _seen(clip.attempt).items():
        for start, again in _passes(shown, whole, known, least):
            stop = len(clip) if for_good else again + least
            missed = shown[stop - 1] >= _CLEAR * whole[stop - 1] and (for_good or stop < len(clip))
            if missed and not bears(clip.attempt, name, start, stop):
                yield float(shown[start] / whole[start]), name, start, stop


def _seen(take: Take) -> dict[str, tuple[Floats, Floats]]:
    """Return how much of every frame shows each thing, and would without the robot, (T,) each."""
    robot, count = take.geoms_of("robot"), take.model.ngeom
    shares: list[list[Floats]] = []
    for number in range(len(take)):
        if number % 2:  # to save time: nothing is covered and clear again between two frames
            shares.append(shares[-1])
            continue
        with take.scene() as model:
            shown = take.geoms(number)
            model.geom_rgba[robot, 3] = 0.0
            pictures = (shown, take.geoms(number))
        counts = (np.bincount(one.ravel() + 1, minlength=count + 1) for one in pictures)
        shares.append([found[1:] / shown.size for found in counts])
    table = np.array(shares)  # (T, 2, G)
    own = {name: table[:, :, take.geoms_of(name)].sum(axis=2) for name in take.things}
    return {name: (both[:, 0], both[:, 1]) for name, both in own.items()}


def _passes(shown: Floats, whole: Floats, known: int, least: int) -> Iterator[tuple[int, int]]:
    """Yield when a thing is covered most and when it is clear again, each time it is covered.

    Args:
        shown: How much of every frame shows it, of shape (T,).
        whole: How much would without the robot, of shape (T,).
        known: In how many frames it must be clear before.
        least: In how many frames it must be clear afterwards, one after the other.
    """
    clear = (whole >= _LEAST) & (shown >= _CLEAR * whole)
    turns = np.flatnonzero(np.diff(clear.astype(int), prepend=1, append=1))
    for first, again in zip(turns[::2], turns[1::2], strict=True):
        start = int(first + np.argmin(shown[first:again]))
        covered = shown[start] < _COVERED * whole[start]
        lasts = again + least <= len(shown) and clear[again : again + least].all()
        if covered and lasts and clear[:first].sum() >= known:
            yield start, int(again)
