"""A thing is gone: it goes out and comes back in quick turns, as a lamp with a loose wire does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import bears, seen_whole
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.benchmarks.glitches.injecting.take import Take
from assay.errors import EpisodeError
from assay.records import Image

__all__ = ["DisappearanceFlickering"]

_TIMES = (2, 3, 4)  # it goes out
_GONE_S = (0.13, 0.27)  # each time
_BACK_S = (0.13, 0.2)  # in between
_FOR_GOOD: Final = 2  # the level at which it stays out the last time
_REST_S = 0.5  # of the clip is left then, at least
_MARGIN_S = 0.35  # before, and after what comes back
_TRIES = 10


@dataclass(frozen=True)
class DisappearanceFlickering(OfScene):
    """Let a thing, in a hand or not, go out and come back in turns; a strong one stays out."""

    type: ClassVar[str] = "object_disappearance"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Leave a thing out of some frames of a stretch, and in between not."""
        take, for_good = clip.attempt, level == _FOR_GOOD
        gone = _turns(clip, level, rng)
        name, start = _chosen(clip, gone, rng, for_good=for_good)
        stop = len(clip) if for_good else start + len(gone)

        def flickering(number: int, picture: Image) -> Image:
            turn = min(number - start, len(gone) - 1)
            return take.without(number, take.geoms_of(name)) if gone[turn] else picture

        after = "stays away the last time" if for_good else "is whole again after that"
        said = (
            f"The {take.words(name)} is gone and back and gone again within moments, "
            f"{_TIMES[level]} times, and {after}, though nothing took it or hides it, as of a "
            "generator that is not sure that it is there."
        )
        return Injected(edited(clip, start, stop, flickering), start, stop, said)


def _turns(clip: Prepared, level: Level, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Return in which frames of a stretch the thing is gone, (T,); in the first and the last."""
    spells: list[bool] = []
    for turn in range(2 * _TIMES[level] - 1):
        out = turn % 2 == 0
        least, most = (round(seconds * clip.fps) for seconds in (_GONE_S if out else _BACK_S))
        spells += [out] * int(rng.integers(least, most + 1))
    return np.array(spells)


def _chosen(
    clip: Prepared, gone: npt.NDArray[np.bool_], rng: np.random.Generator, *, for_good: bool
) -> tuple[str, int]:
    """Return a thing that is in sight whenever it is to be gone, and the first frame of that.

    Raises:
        EpisodeError: There is none.
    """
    take, margin = clip.attempt, round(_MARGIN_S * clip.fps)
    after = round(_REST_S * clip.fps) if for_good else margin
    room = len(clip) - margin - after - len(gone)
    if room < 0:
        raise EpisodeError(f"a clip of {clip.length_s:.1f} s is too short for that")
    for _ in range(_TRIES):
        start = margin + int(rng.integers(0, room + 1))
        stop = len(clip) if for_good else start + len(gone)
        for name in map(str, rng.permutation(list(take.things))):
            if _missed(take, name, start, stop) and not bears(take, name, start, stop):
                return name, start
    raise EpisodeError("no thing is in sight for long enough")


def _missed(take: Take, name: str, start: int, stop: int) -> bool:
    """Tell whether a thing is seen from before a stretch up to its end."""
    numbers = np.linspace(start - 1, stop - 1, 6).astype(int)
    return seen_whole(take, name, map(int, numbers))
