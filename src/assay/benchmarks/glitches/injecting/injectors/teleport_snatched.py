"""A thing is somewhere else from one frame to the next: out of the hand that carries it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfCarrying
from assay.benchmarks.glitches.injecting.injectors._things import free_spot, in_hand, with_pose
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.benchmarks.glitches.injecting.take import Take
from assay.errors import EpisodeError
from assay.records import Floats, Image

__all__ = ["TeleportSnatched"]

_FAR_M = (0.09, 0.13, 0.18)  # from what is below the hand
_LASTS_S = ((0.4, 0.6), (0.6, 0.9), (0.9, 1.5))
_ROOM_M = 0.06  # between its rim and the middle of whatever else is on the table
_LEAST = 0.0022  # of the picture shows it there
_WHOLE = 0.8  # of what the first frame shows of it
_APART = 0.14  # from where it should be, in sides of the picture: it is not beside the hand
_TRIES = 12


@dataclass(frozen=True)
class TeleportSnatched(OfCarrying):
    """Lay what a hand carries on the table, and later put it back between the closed fingers."""

    type: ClassVar[str] = "object_teleportation"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw a stretch of the way with the thing on the table, as it lay there at first."""
        take = clip.attempt
        name, start, stop = in_hand(clip, rng, *_LASTS_S[level])
        here = take.trace.positions[name][start]
        lying = take.poses[0][take.place(name)].copy()
        for _ in range(_TRIES):
            lying[:2] = free_spot(take, start, rng, here, _FAR_M[level])
            if _clear(take, name, start, stop, lying):
                break
        else:
            raise EpisodeError("it can't be seen at its other place, away from the hand")

        def elsewhere(number: int, _: Image) -> Image:
            return take.draw(number, with_pose(take, number, name, lying))

        far = round(100 * float(np.linalg.norm(lying[:3] - here)))
        said = (
            f"The {take.words(name)} is suddenly not in the hand that carries it but on the table, "
            f"{far} cm away, and later in the hand again, as of a generator that loses track of it."
        )
        return Injected(edited(clip, start, stop, elsewhere), start, stop, said)


def _clear(take: Take, name: str, start: int, stop: int, lying: Floats) -> bool:
    """Tell whether a thing would lie free, and be seen to be elsewhere in a whole stretch."""
    others = [at[start, :2] for other, at in take.trace.positions.items() if other != name]
    room = _ROOM_M + take.thing(name).size[1]
    if any(float(np.linalg.norm(lying[:2] - other)) < room for other in others):
        return False
    way = np.array([take.pixel(here) for here in take.trace.positions[name][start:stop]])
    gap = np.linalg.norm(way - take.pixel(lying[:3]), axis=1).min()
    least = max(_LEAST, _WHOLE * float(take.mask(0, name).mean()))
    shown = (take.mask(n, name, with_pose(take, n, name, lying)).mean() for n in (start, stop - 1))
    return bool(gap >= _APART * take.renderer.size and min(shown) >= least)
