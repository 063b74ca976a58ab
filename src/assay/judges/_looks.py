"""What judges that compare pictures share: which views, which moments, and how far apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

import numpy as np

from assay.episodes import sampling
from assay.episodes.shrinking import shrink
from assay.episodes.video import VideoFrames
from assay.errors import EpisodeError, UnknownNameError, UsageError
from assay.judges._curves import DEFAULT_FPS
from assay.records import Episode, Floats, Image, View

__all__ = ["check_size", "distances", "moments", "pixels", "still_views", "walk"]

_TOGETHER = 32  # moments held at once: a batch for a network, and little memory


def still_views(episode: Episode, view: str = "") -> dict[str, View]:
    """Return the views to look at: the one named `view`, or all that don't move.

    A camera on the wrist changes its whole picture whenever the arm moves, so moving views count
    only where there are no others.
    """
    if not episode.views:
        raise EpisodeError(f"{episode.id} has no view to look at.")
    if view and view not in episode.views:
        raise EpisodeError(str(UnknownNameError(f"view in {episode.id}", view, episode.views)))
    if view:
        return {view: episode.views[view]}
    still = {name: seen for name, seen in episode.views.items() if not seen.moves}
    return still or dict(episode.views)


def moments(views: Mapping[str, View], fps: float | None) -> Floats:
    """Return the grid over the longest of `views` [s], at `fps` or 5 a second."""
    end = max(float(view.frames.clock()[-1]) for view in views.values())
    return sampling.grid(end, fps or DEFAULT_FPS)


def walk(views: Mapping[str, View], times: Floats, size: int) -> Iterator[dict[str, Image]]:
    """Yield the views' pictures, small and some moments at once: uint8 (n, size, size, 3) each.

    The very first picture is the start of the episode, whatever `times`, of shape (T,), begin
    with; those at `times` follow.
    """
    late = max(float(view.frames.clock()[0]) for view in views.values())
    made = {name: _smaller(view, size) for name, view in views.items()}
    shown = sampling.synced(made, np.concatenate([np.minimum(times[:1], late), times]))
    small = ({name: shrink(image, size) for name, image in each.items()} for each in shown)
    while batch := list(islice(small, _TOGETHER)):
        yield {name: np.stack([each[name] for each in batch]) for name in views}


def _smaller(view: View, size: int) -> View:
    """Return a view whose frames come small from the decoder, if it has one."""
    if not isinstance(view.frames, VideoFrames):
        return view
    return replace(view, frames=replace(view.frames, side=size))


def pixels(images: Image) -> Floats:
    """Return pictures, uint8 (n, H, W, 3), as rows whose Euclidean distance is an RMS in 0..1."""
    rows: Floats = images.reshape(len(images), -1) / (255.0 * math.sqrt(images[0].size))
    return rows


def distances(rows: Floats, others: Floats) -> Floats:
    """Return the Euclidean distance of each of `rows` (n, D) to each of `others` (m, D): (n, m)."""
    # One at a time: (n, m, D) would be large, and the shortcut by dot products loses small ones.
    return np.stack([np.linalg.norm(rows - other, axis=1) for other in others], axis=1)


def check_size(judge: str, size: int) -> None:
    """Refuse a side of the small pictures [px] that is too little or too much to compare."""
    if not 8 <= size <= 512:
        raise UsageError(f"Option size of {judge} must be from 8 to 512 pixels, not {size}.")
