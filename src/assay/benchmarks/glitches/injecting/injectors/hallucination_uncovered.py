"""A thing that was not there: it lies where the robot hid an empty table a moment before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from assay.benchmarks.glitches.injecting.injectors._kinds import OfAnyScene
from assay.benchmarks.glitches.injecting.injectors._things import free_spot, in_fixture, new_colour
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.benchmarks.glitches.injecting.take import Take
from assay.errors import EpisodeError
from assay.records import Floats, Image
from assay.worlds.look import COLOURS
from assay.worlds.scene import EXTRAS, rest_height
from assay.worlds.tasks.base import Thing

__all__ = ["HallucinationUncovered"]

_TIMES = (1.2, 1.45, 1.7)  # as large as the thing is made
_LASTS_S = ((0.5, 0.8), (0.9, 1.4), (0.6, 0.6))  # from when it is clear, at least
_STAYS: Final = 2  # the level at which it is there up to the end
_KNOWN_S = 0.27  # the empty place is seen so long before, and after if it is seen again
_COVERED, _CLEAR = 0.7, 0.25  # of its outline is behind the robot, at least and at most
_SHOWN = 0.65  # of it is in sight when it is clear, whatever else is before it
_LEAST = 0.0025  # of the picture shows it when it is clear
_ROOM_M = 0.04  # between its rim and whatever comes by
_OPENS_S = 0.5  # in which it comes into sight, at most
_SPOTS = 400


@dataclass(frozen=True)
class HallucinationUncovered(OfAnyScene):
    """Let the robot cover an empty place and leave a thing there; a strong one stays to the end."""

    type: ClassVar[str] = "object_hallucination"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw a thing from when the robot covers its place."""
        take, stays = clip.attempt, level == _STAYS
        least = round(rng.uniform(*_LASTS_S[level]) * clip.fps)
        shape = EXTRAS[int(rng.integers(len(EXTRAS)))]
        colour = new_colour(take, rng)
        robot = _robot(take)
        for spot in _spots(take, robot, rng):
            made = _Made(shape, spot, _TIMES[level], colour)
            found = list(made.passes(clip, robot, least, stays=stays))
            if found:
                break
        else:
            raise EpisodeError("the robot covers no empty place that is seen before and after")
        start, stop = found[int(rng.integers(len(found)))]

        def uncovered(number: int, _: Image) -> Image:
            return made.drawn(take, number)

        noun = take.words(shape.name).split()[-1]
        after = "stays there" if stays else "is gone again later"
        said = (
            f"A {colour} {noun} lies where the robot covered an empty place of the table, and "
            f"{after}; nothing brought it, as of a generator that makes up what it did not see."
        )
        return Injected(edited(clip, start, stop, uncovered), start, stop, said)


@dataclass(frozen=True, eq=False)
class _Made:
    """A thing that is made up.

    Attributes:
        shape: Which of those that wait under the floor.
        spot: Where it lies, x and y [m].
        times: How many times as large as it is made.
        colour: Its name.
    """

    shape: Thing
    spot: Floats
    times: float
    colour: str

    def drawn(self, take: Take, number: int) -> Image:
        """Return a frame in which it lies there, with its shadow."""
        with take.scene() as model:
            return take.draw(number, self._posed(take, number, model))

    def mask(self, take: Take, number: int, *, bare: bool = False) -> npt.NDArray[np.bool_]:
        """Return where a frame would show it, (H, W); `bare`: if there were no robot."""
        with take.scene() as model:
            if bare:
                model.geom_rgba[take.geoms_of("robot"), 3] = 0.0
            return take.mask(number, self.shape.name, self._posed(take, number, model))

    def passes(
        self, clip: Prepared, robot: npt.NDArray[np.bool_], least: int, *, stays: bool
    ) -> Iterator[tuple[int, int]]:
        """Yield from when to when it can be there, each time that the robot uncovers its place.

        Args:
            clip: The clip.
            robot: Where each frame shows the robot, of shape (T, H, W).
            least: In how many frames it must be clear, one after the other.
            stays: Whether it is there up to the end.
        """
        take = clip.attempt
        known, opens = (round(seconds * clip.fps) for seconds in (_KNOWN_S, _OPENS_S))
        whole = self.mask(take, 0, bare=True)
        if whole.mean() < _LEAST or in_fixture(take, 0, self.spot, self._reach()):
            return
        hidden = robot[:, whole].mean(axis=1)  # (T,)
        for start, again in _covers(hidden, known):
            stop = len(clip) if stays else again + least
            fits = again - start <= opens and again + least + (0 if stays else known) <= len(clip)
            clear = fits and hidden[again : again + least].max() <= _CLEAR
            clear = clear and hidden[stop - 1] <= _CLEAR
            numbers = (*np.linspace(again, again + least - 1, 4).astype(int), stop - 1)
            if clear and self._lies_well(take, (start, stop), numbers, whole):
                yield start, stop

    def _lies_well(
        self,
        take: Take,
        span: tuple[int, int],
        numbers: Sequence[int],
        whole: npt.NDArray[np.bool_],
    ) -> bool:
        """Tell whether nothing comes to it, and it is hidden first and in sight in some frames."""
        start, stop = span
        place = np.array([*self.spot, self._high()])
        ways = (*(take.trace.positions[name] for name in take.things), *take.trace.tools.values())
        if any(np.linalg.norm(w[start:stop] - place, axis=1).min() < self._reach() for w in ways):
            return False
        seen = (self.mask(take, number).sum() / whole.sum() for number in (start, *numbers))
        return bool(next(seen) <= 1.0 - _COVERED and min(seen) >= _SHOWN)

    def _posed(self, take: Take, number: int, model: Any) -> Floats:  # noqa: ANN401 - MjModel
        """Give the thing its size and colour; return the pose with it at its place."""
        pose: Floats = take.poses[number].copy()
        pose[take.place(self.shape.name)] = (*self.spot, self._high(), 1.0, 0.0, 0.0, 0.0)
        geoms = take.geoms_of(self.shape.name)
        model.geom_size[geoms] *= self.times
        model.geom_rgba[geoms, :3] = COLOURS[self.colour]
        return pose

    def _high(self) -> float:
        """Return how high its middle is [m]."""
        return self.times * rest_height(self.shape)

    def _reach(self) -> float:
        """Return how far from its middle nothing else may be [m]."""
        return _ROOM_M + self.times * self.shape.size[1]


def _robot(take: Take) -> npt.NDArray[np.bool_]:
    """Return where each frame shows the robot, of shape (T, H, W)."""
    return np.stack([take.mask(number, "robot") for number in range(len(take))])


def _spots(take: Take, robot: npt.NDArray[np.bool_], rng: np.random.Generator) -> Iterator[Floats]:
    """Yield empty places of the table, x and y [m], that the robot covers for a while only."""
    for _ in range(_SPOTS):
        spot = free_spot(take, 0, rng)
        column, row = (int(value) for value in take.pixel(np.array([*spot, 0.02])))
        if np.count_nonzero(np.diff(robot[:, row, column])) > 1:
            yield spot


def _covers(hidden: Floats, known: int) -> Iterator[tuple[int, int]]:
    """Yield when a place is well covered last and when it is clear, each time it is uncovered.

    Args:
        hidden: How much of it the robot hides in every frame, of shape (T,).
        known: In how many frames it must be clear before.
    """
    clear = hidden <= _CLEAR
    turns = np.flatnonzero(np.diff(clear.astype(int), prepend=1, append=1))
    for first, again in zip(turns[::2], turns[1::2], strict=True):
        # The last moment: from then on the thing comes into sight, and does not before.
        most = float(hidden[first:again].max(initial=0.0))
        start = int(first + np.flatnonzero(hidden[first:again] >= 0.95 * most)[-1])
        if most >= _COVERED and clear[:first].sum() >= known:
            yield start, int(again)
