"""What the network learns from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from assay.records import Floats, Image

__all__ = ["FACTS", "PLACES", "POINTS", "SIZE", "STEPS", "Clip", "Take", "takes"]

SIZE: Final = 96
"""Width and height of the pictures that the network sees [pixels]."""

POINTS: Final = 7
"""Places in a picture that may be told beside it: the hands, the named things, where to."""

STEPS: Final = 13
"""Steps of a task that may be told of: whether each is done, and how far it is covered."""

PLACES: Final = 3 * POINTS
"""The first of the facts: where the points are in the world, [0.1 m]. All others are in 0..1."""

FACTS: Final = PLACES + 2 + 2 * STEPS
"""Facts of a moment: places, how far two hands are open, steps done, steps covered."""

Numbers32 = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Clip:
    """One view of one episode, made small.

    Attributes:
        frames: Pictures of shape (T, SIZE, SIZE, 3), the first one being the start.
        values: Progress in 0..1, of shape (T,); NaN is not learned from.
        instructions: Ways to say what is to be done.
        task: The task's name.
        episode: Which episode; views of one episode share it.
        view: The view's name.
        success: Whether the episode ended well, if that is known.
        points: Where named things are in the picture, of shape (T, P, 2) in -1..1, NaN where
            there are none; None when nobody knows.
        facts: What is so at each moment beside progress, of shape (T, FACTS), NaN where it is not
            known or there is no such thing; None when nobody knows.
        policy: Who acted.
        moves: Whether the camera moves with the robot.
        times: When the pictures were taken, of shape (T,) [s]; None when nobody knows.
    """

    frames: Image
    values: Numbers32
    instructions: tuple[str, ...]
    task: str
    episode: str
    view: str
    success: bool | None = None
    points: Numbers32 | None = None
    facts: Numbers32 | None = None
    policy: str = ""
    moves: bool = False
    times: Floats | None = None


@dataclass(frozen=True, eq=False)
class Take:
    """An episode: all its clips, and what they share."""

    clips: tuple[Clip, ...]

    @property
    def first(self) -> Clip:
        """Return the clip to ask for what all share."""
        return self.clips[0]

    @property
    def fixed(self) -> tuple[Clip, ...]:
        """Return the clips of cameras that stand still; all when none does."""
        return tuple(clip for clip in self.clips if not clip.moves) or self.clips


def takes(clips: Iterable[Clip]) -> list[Take]:
    """Return the clips by episode, in the order in which episodes first appear."""
    found: dict[str, list[Clip]] = {}
    for clip in clips:
        found.setdefault(clip.episode, []).append(clip)
    return [Take(tuple(group)) for group in found.values()]
