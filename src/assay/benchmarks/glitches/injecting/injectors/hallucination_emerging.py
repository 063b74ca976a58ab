"""A thing that was not there: it takes shape out of nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfAnyScene
from assay.benchmarks.glitches.injecting.injectors._pixels import mixed
from assay.benchmarks.glitches.injecting.injectors._things import free_spot, rising
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.benchmarks.glitches.injecting.take import Take
from assay.errors import EpisodeError
from assay.records import Floats, Image
from assay.worlds.look import COLOURS

__all__ = ["HallucinationEmerging"]

_TIMES = (0.85, 1.1, 1.45)  # as large as the bottle below
_LASTS_S = (0.9, 1.8)
_COMES_S = 0.33  # from a glimmer to a solid thing, and back
_CLEAR_M = 0.12  # how far hands stay away from it
_NOTICED = 20  # grey levels by which a pixel must change to show it
_LEAST = 0.003  # of the picture shows it and its shadow
_CAP = (0.2, 0.2, 0.22)
# Of what waits under the floor: the height of the middle, and the size [m].
_BOTTLE = {
    "extra-1": (0.045, (0.02, 0.045, 0.0)),  # a cylinder: radius, half the height
    "extra-3": (0.09, (0.02, 0.0, 0.0)),  # a ball: its shoulders
    "extra-2": (0.116, (0.0075, 0.0075, 0.012)),  # a block: its cap
}


@dataclass(frozen=True)
class HallucinationEmerging(OfAnyScene):
    """Let a bottle show through on the table, grow solid with its shadow, and fade again."""

    type: ClassVar[str] = "object_hallucination"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Mix a stretch of the clip with the same scene in which the bottle stands."""
        take = clip.attempt
        start, stop = stretch(clip, rng, *_LASTS_S)
        colour, slope = str(rng.choice(list(COLOURS))), round(_COMES_S * clip.fps)
        bottle = _Bottle(_clear_spot(take, start, stop, rng), _TIMES[level], COLOURS[colour])
        middle = (start + stop) // 2
        gap = np.abs(bottle.drawn(take, middle).astype(np.int16) - clip.frames[middle])
        if (gap.max(axis=-1) >= _NOTICED).mean() < _LEAST:
            raise EpisodeError("the robot hides it")

        def emerging(number: int, picture: Image) -> Image:
            share = np.full(picture.shape[:2], rising(number, start, stop, slope))
            return mixed(picture, bottle.drawn(take, number), share)

        said = (
            f"A {colour} bottle takes shape on the table, transparent at first, and fades again "
            "later; nothing brought it, as of a generator that makes things up."
        )
        return Injected(edited(clip, start, stop, emerging), start, stop, said)


@dataclass(frozen=True, eq=False)
class _Bottle:
    """A bottle on the table.

    Attributes:
        spot: Where it stands, x and y [m].
        times: How many times as large as `_BOTTLE` it is.
        colour: Red, green and blue in 0..1.
    """

    spot: Floats
    times: float
    colour: tuple[float, float, float]

    def drawn(self, take: Take, number: int) -> Image:
        """Return a frame in which it stands, solid, with its shadow."""
        pose = take.poses[number].copy()
        with take.scene() as model:
            for name, (high, size) in _BOTTLE.items():
                geoms = take.geoms_of(name)
                pose[take.place(name)] = (*self.spot, self.times * high, 1.0, 0.0, 0.0, 0.0)
                model.geom_size[geoms] = self.times * np.array(size)
                model.geom_rgba[geoms, :3] = _CAP if name == "extra-2" else self.colour
            return take.draw(number, pose)


def _clear_spot(take: Take, start: int, stop: int, rng: np.random.Generator) -> Floats:
    """Return a place on the table, x and y [m], that no hand comes near in a stretch.

    Raises:
        EpisodeError: The hand is where there would be room.
    """
    spot = free_spot(take, (start + stop) // 2, rng)
    tools = (tool[start:stop, :2] for tool in take.trace.tools.values())
    if any(float(np.linalg.norm(tool - spot, axis=1).min()) < _CLEAR_M for tool in tools):
        raise EpisodeError("a hand would go through it")
    return spot
