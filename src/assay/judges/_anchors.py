"""The picture of the finished task that a model is shown, and whether it tells a way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from assay.episodes.shrinking import shrink
from assay.errors import InputError
from assay.judges._goals import LEAST_WAY, Goals, no_way
from assay.judges._looks import distances, pixels
from assay.records import Episode, Image

__all__ = ["Anchor", "find_anchor"]

_SMALL = 64  # side at which two pictures are compared [px]


@dataclass(frozen=True, eq=False)
class Anchor:
    """The goal of a task, by view.

    Attributes:
        images: A picture per view, in the shape of the episode's own; empty without a goal.
        fault: Why there is none, or why it is of no use; empty when all is well.
    """

    images: Mapping[str, Image] = field(default_factory=dict)
    fault: str = ""

    def checked(self, start: Mapping[str, Image] | None) -> Anchor:
        """Return the anchor, at fault if the goal looks like `start` in every view."""
        shared = [view for view in self.images if start and view in start]
        if self.fault or not start or not shared:
            return self
        if any(_apart(start[view], self.images[view]) > LEAST_WAY for view in shared):
            return self
        return Anchor({}, no_way(shared))


def find_anchor(
    path: Path | None,
    tasks: Sequence[str],
    like: Mapping[str, Image],
    side: int,
    but: Episode | None = None,
) -> Anchor:
    """Return the goal at `path` for a task, shaped as the pictures `like` are.

    Of several goals of the task the first is taken: a model is shown one.

    Args:
        path: An image, a folder of images or a dataset of demonstrations.
        tasks: Names and instruction of the task.
        like: A picture of every view that is judged.
        side: Longest side of the goal's picture [px].
        but: The judged episode, which is no goal of its own.
    """
    if path is None:
        return Anchor()
    try:
        goals = Goals.load(path, side)
        found = goals.named(frozenset(tasks) - {""}, tuple(like), but)
    except InputError as error:
        return Anchor({}, str(error))
    if not found:
        return Anchor({}, goals.lacking(tasks, tuple(like)))
    return Anchor({view: _stretched(images[0], like[view]) for view, images in found.items()})


def _stretched(square: Image, like: Image) -> Image:
    """Return a picture that was squeezed into a square in the proportions of `like` again."""
    import av

    height, width = like.shape[:2]
    scale = min(square.shape[0] / max(height, width), 1.0)
    high, wide = max(round(height * scale), 1), max(round(width * scale), 1)
    frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(square), format="rgb24")
    shaped = frame.reformat(wide, high, "rgb24", interpolation="AREA", threads=1)
    return np.asarray(shaped.to_ndarray(), dtype=np.uint8)


def _apart(one: Image, other: Image) -> float:
    small = pixels(np.stack([shrink(one, _SMALL), shrink(other, _SMALL)]))
    return float(distances(small[:1], small[1:])[0, 0])
