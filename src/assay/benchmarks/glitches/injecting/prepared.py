"""A clip that is ready to be spoilt, and what comes out of that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.benchmarks.glitches.injecting.take import Take
from assay.errors import EpisodeError
from assay.records import Image

__all__ = ["Injected", "Prepared", "edited", "seen_change", "stretch"]

NOTICED = 20  # grey levels by which a pixel must change for an eye to see it
SHARE = 0.0008  # of a picture's pixels must change so
_MARGIN_S = 0.35  # before and after an edit, at least


@dataclass(frozen=True, eq=False)
class Prepared:
    """A clip before an injector gets it.

    Attributes:
        fps: Pictures a second.
        instruction: What the robot was told.
        moves: Whether the camera goes along with the robot.
        take: The simulated attempt behind it; None of a recorded clip.
        pictures: Those of a recorded clip, of shape (T, H, W, 3).
    """

    fps: float
    instruction: str
    moves: bool = False
    take: Take | None = None
    pictures: Image | None = None

    @cached_property
    def frames(self) -> Image:
        """Return the pictures, of shape (T, H, W, 3); an attempt is filmed when they are wanted."""
        return self.attempt.film() if self.pictures is None else self.pictures

    def __len__(self) -> int:
        return len(self.attempt if self.pictures is None else self.pictures)

    @property
    def length_s(self) -> float:
        """Return the length [s]; the last frame lasts as long as the others."""
        return len(self) / self.fps

    @property
    def size(self) -> int:
        """Return the shorter side [pixels]; what an injector does is measured in it."""
        return int(min(self.frames.shape[1:3]))

    @property
    def attempt(self) -> Take:
        """Return the simulated attempt.

        Raises:
            EpisodeError: The clip was recorded.
        """
        if self.take is None:
            raise EpisodeError("a recorded clip has no scene that could be edited")
        return self.take


@dataclass(frozen=True, eq=False)
class Injected:
    """A clip with a glitch.

    Attributes:
        frames: Its pictures, of the shape they had.
        start: The first frame that shows the glitch.
        stop: One past the last.
        description: What is to be seen, and what may be the cause.
        secondary: Further dimensions that it belongs to.
    """

    frames: Image
    start: int
    stop: int
    description: str
    secondary: tuple[str, ...] = ()


def stretch(
    clip: Prepared, rng: np.random.Generator, least_s: float = 0.8, most_s: float = 1.8
) -> tuple[int, int]:
    """Draw a stretch of frames, first and one past the last, with room before and after.

    Raises:
        EpisodeError: The clip is too short.
    """
    margin = max(round(_MARGIN_S * clip.fps), 2)
    room = len(clip) - 2 * margin
    least, most = round(least_s * clip.fps), round(most_s * clip.fps)
    if room < max(least, 2):
        raise EpisodeError(f"a clip of {clip.length_s:.1f} s has no room for a glitch")
    count = int(rng.integers(least, min(most, room) + 1))
    start = margin + int(rng.integers(0, room - count + 1))
    return start, start + count


def edited(clip: Prepared, start: int, stop: int, edit: Callable[[int, Image], Image]) -> Image:
    """Return all pictures, those from `start` to before `stop` put through `edit`."""
    frames = clip.frames.copy()
    for number in range(start, stop):
        frames[number] = edit(number, clip.frames[number])
    return frames


def seen_change(before: Image, after: Image) -> tuple[int, int]:
    """Return the first frame that visibly differs, and one past the last.

    Raises:
        EpisodeError: None does: the glitch can't be seen.
    """
    least = SHARE * before.shape[1] * before.shape[2]
    differs = [
        not np.array_equal(one, other) and _changed(one, other) >= least
        for one, other in zip(before, after, strict=True)
    ]
    found = np.flatnonzero(differs)
    if not len(found):
        raise EpisodeError("the glitch can't be seen")
    return int(found[0]), int(found[-1]) + 1


def _changed(one: Image, other: Image) -> int:
    """Return how many pixels differ by what an eye sees."""
    gap = np.maximum(one, other) - np.minimum(one, other)
    return int(np.sum(gap.max(axis=-1) >= NOTICED))
