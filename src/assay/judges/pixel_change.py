"""A null judge with eyes: whatever changed is progress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.episodes.shrinking import shrink
from assay.errors import UsageError
from assay.judges._looks import check_size, moments, still_views, walk
from assay.judges._null import NullJudge
from assay.records import Episode, Floats, Image, Judged

__all__ = ["PixelChange"]


@dataclass(frozen=True)
class PixelChange(NullJudge):
    """Take the pixel distance from the start frame for progress: a null judge.

    With x the small picture and x_0 the first one, both in 0..1,

        progress = min(mean |x - x_0| / scale, 1), averaged over the views that don't move.

    It knows neither task nor goal, and an arm that waves about makes progress to it.

    Attributes:
        view: The view to look at; empty takes all that don't move.
        size: Side of the small picture [px].
        scale: The mean change that counts as done. An arm that works in a world of ours changes
            0.05 to 0.08, so nothing is cut off there. Any scale gives the same order of moments.
    """

    view: str = ""
    size: int = 32
    scale: float = 0.1

    needs: ClassVar[frozenset[str]] = frozenset({"frames"})

    def __post_init__(self) -> None:
        check_size("pixel-change", self.size)
        if not self.scale > 0:
            raise UsageError(f"Option scale of pixel-change must be above 0, not {self.scale:g}.")

    def clock(self, episode: Episode, fps: float | None) -> Floats:
        """Return the grid over the views: unlike other nulls it has frames to decode."""
        return moments(still_views(episode, self.view), fps)

    def guess(self, episode: Episode, times: Floats) -> Floats:
        """Return the scaled distance from the first frame."""
        views = still_views(episode, self.view)
        found: dict[str, list[Floats]] = {name: [] for name in views}
        start: dict[str, Image] = {}
        for batch in walk(views, times, self.size):
            start = start or {name: images[0] for name, images in batch.items()}
            for name, images in batch.items():
                found[name].append(_change(images, start[name]))
        by_view = [np.concatenate(parts)[1:] for parts in found.values()]
        change: Floats = np.mean(by_view, axis=0)
        return np.minimum(change / self.scale, 1.0)

    def hop(
        self,
        task: str,  # noqa: ARG002 - it knows no task
        before: Mapping[str, Image],
        after: Mapping[str, Image],
        start: Mapping[str, Image] | None,
        goal: Mapping[str, Image] | None,  # noqa: ARG002 - nor a goal
    ) -> Judged[float]:
        """Return how much further from `start` the pictures `after` are than those `before`."""
        wanted = [self.view] if self.view else list(before)
        anchors = start or {}
        shared = [name for name in wanted if name in before and name in after and name in anchors]
        if not shared:
            return Judged(
                None, "no_reference", "pixel-change compares with the start: pass its pictures"
            )
        grown = [
            np.diff(_change(self._small([before[v], after[v]]), self._small([anchors[v]])[0]))[0]
            for v in shared
        ]
        return Judged(float(np.clip(np.mean(grown) / self.scale, -1.0, 1.0)))

    def _small(self, images: list[Image]) -> Image:
        return np.stack([shrink(image, self.size) for image in images])


def _change(images: Image, start: Image) -> Floats:
    """Return the mean absolute difference of each picture to `start`, in 0..1, of shape (n,)."""
    apart = np.abs(images.astype(np.float64) - start.astype(np.float64))
    change: Floats = apart.mean(axis=(1, 2, 3)) / 255.0
    return change
