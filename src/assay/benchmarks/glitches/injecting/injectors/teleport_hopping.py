"""A thing is somewhere else from one frame to the next: it hops on, and never comes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import (
    free_spot,
    in_fixture,
    seen_whole,
    with_pose,
)
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.benchmarks.glitches.injecting.take import Take
from assay.errors import EpisodeError
from assay.records import Floats, Image

__all__ = ["TeleportHopping"]

_HOPS = (1, 2, 3)
_STAYS_S = (0.47, 0.8)  # at each place; at the last one up to the end
_MARGIN_S = 0.35  # before the first hop
_FAR_M = 0.12
_APART = 0.13  # in sides of the picture: it does not touch where it was
_ROOM_M = 0.04  # between its rim and whatever comes by
_WHOLE = 0.7  # of what is seen of it before
_TRIES = 12


@dataclass(frozen=True)
class TeleportHopping(OfScene):
    """Let a thing that lies untouched hop to one place after the other, and stay at the last."""

    type: ClassVar[str] = "object_teleportation"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw the clip from some frame on with the thing elsewhere, turned otherwise each time."""
        take = clip.attempt
        turns = _turns(clip, _HOPS[level], rng)
        for name in map(str, rng.permutation(list(take.things))):
            if not take.trace.touched[name][turns[0] - 2 :].any() and _alone(take, name, turns[0]):
                lying = _places(take, name, turns, rng)
                break
        else:
            raise EpisodeError("no thing lies in sight and untouched up to the end")

        def hopped(number: int, _: Image) -> Image:
            place = lying[int(np.searchsorted(turns, number, side="right")) - 1]
            return take.draw(number, with_pose(take, number, name, place))

        way = ("to another place", "to another place and on to a third", "from place to place")
        said = (
            f"The {take.words(name)} hops {way[level]} from one frame to the next and does not "
            "come back, though nothing touches it, as of a generator that forgets between two "
            "chunks where it lay."
        )
        return Injected(edited(clip, turns[0], len(clip), hopped), turns[0], len(clip), said)


def _turns(clip: Prepared, hops: int, rng: np.random.Generator) -> list[int]:
    """Return the frames of the hops.

    Raises:
        EpisodeError: The clip is too short.
    """
    least, most = (round(seconds * clip.fps) for seconds in _STAYS_S)
    stays = rng.integers(least, most + 1, hops)
    margin = round(_MARGIN_S * clip.fps)
    room = len(clip) - margin - int(stays.sum())
    if room < 1:
        raise EpisodeError(f"a clip of {clip.length_s:.1f} s has no room for {hops} hops")
    start = margin + int(rng.integers(0, room))
    return [start, *(start + int(after) for after in np.cumsum(stays)[:-1])]


def _alone(take: Take, name: str, start: int) -> bool:
    """Tell whether a thing is seen when it hops, and nothing lies on it or is put there later."""
    here, room = take.trace.positions[name][start], _reach(take, name)
    others = (take.trace.positions[other][start:] for other in take.things if other != name)
    near = any(np.linalg.norm(other - here, axis=1).min() < room for other in others)
    return not near and seen_whole(take, name, (start - 1,))


def _places(
    take: Take, name: str, turns: Sequence[int], rng: np.random.Generator
) -> tuple[Floats, ...]:
    """Return how a thing lies after each hop, place and turn, (7,) each.

    Raises:
        EpisodeError: There is no room for it, or it would not be seen there.
    """
    found = [take.poses[turns[0]][take.place(name)].copy()]
    ends = [*turns[1:], len(take)]
    least = _WHOLE * float(take.mask(turns[0] - 1, name).mean())
    for start, stop in zip(turns, ends, strict=True):
        for _ in range(_TRIES):
            lying = _turned(found[-1], rng.uniform(0.4, np.pi - 0.4))
            lying[:2] = free_spot(take, start, rng, found[-1], _FAR_M)
            if _clear(take, name, (start, stop), lying, found[-1], least):
                break
        else:
            raise EpisodeError("it can't be seen at its other place, away from the robot")
        found.append(lying)
    return tuple(found[1:])


def _turned(lying: Floats, angle: float) -> Floats:
    """Return a place with the thing turned about the vertical [rad]."""
    w, x, y, z = lying[3:]
    c, s = np.cos(angle / 2), np.sin(angle / 2)
    return np.array([*lying[:3], c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w])


def _clear(
    take: Take, name: str, span: tuple[int, int], lying: Floats, before: Floats, least: float
) -> bool:
    """Tell whether a thing lies free at a place for a while, and is seen to have hopped there."""
    start, stop = span
    gap = np.subtract(take.pixel(lying[:3]), take.pixel(before[:3]))
    if np.hypot(*gap) < _APART * take.renderer.size:
        return False
    things = (take.trace.positions[other] for other in take.things if other != name)
    room = _reach(take, name)
    for way in (*things, *take.trace.tools.values()):
        if np.linalg.norm(way[start:stop] - lying[:3], axis=1).min() < room:
            return False
    if in_fixture(take, start, lying, take.world.state.extent(name)):
        return False
    numbers = (start, min(start + 3, stop - 1), stop - 1)
    shown = (take.mask(n, name, with_pose(take, n, name, lying)).mean() for n in numbers)
    return bool(min(shown) >= least)


def _reach(take: Take, name: str) -> float:
    """Return how far from its middle nothing else may be [m]."""
    return _ROOM_M + take.world.state.extent(name)
