"""Recorded clips, read by any of our readers, made ready to be spoilt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from assay.benchmarks.glitches.injecting.prepared import Prepared
from assay.errors import EpisodeError
from assay.records import Episode, Floats, Image, View

__all__ = ["Recorded"]

_LONGEST_S: Final = 6.0
_SHORTEST_S: Final = 2.0
_FASTEST: Final = 15.0


@dataclass(frozen=True, eq=False)
class Recorded:
    """Clips that somebody recorded. Can be pickled.

    Attributes:
        episodes: What was read.
        size: The shorter side of the pictures, at most [pixels].
    """

    episodes: tuple[Episode, ...]
    size: int

    def prepare(self, number: int, rng: np.random.Generator) -> tuple[Prepared, dict[str, Any]]:
        """Return a stretch of one of the clips.

        Args:
            number: Which one; counts on through all of them again and again.
            rng: Decides the view and the stretch.

        Raises:
            EpisodeError: The clip is too short or can't be decoded.
        """
        episode = self.episodes[number % len(self.episodes)]
        if not episode.views:
            raise EpisodeError(f"{episode.id} has no pictures")
        name = str(rng.choice(sorted(episode.views)))
        view = episode.views[name]
        times, fps = _moments(view, rng)
        frames = _small(np.stack(list(view.frames.at(times))), self.size)
        clip = Prepared(fps, episode.instruction, view.moves, pictures=frames)
        about = {
            "task": episode.task,
            "seed": episode.seed,
            "view": name,
            "source": episode.id,
            "from_s": round(float(times[0]), 3),
        }
        return clip, about


def _moments(view: View, rng: np.random.Generator) -> tuple[Floats, float]:
    """Return when to look, evenly, and how often a second."""
    clock = view.frames.clock()
    whole = float(clock[-1] - clock[0]) if len(clock) > 1 else 0.0
    if whole < _SHORTEST_S:
        raise EpisodeError(f"a clip of {whole:.1f} s is too short")
    fps = round(min((len(clock) - 1) / whole, _FASTEST), 3)
    length = min(whole, _LONGEST_S)
    start = float(clock[0] + rng.uniform(0.0, whole - length))
    return start + np.arange(0.0, length, 1.0 / fps), fps


def _small(frames: Image, size: int) -> Image:
    """Return pictures whose shorter side is at most `size`, sides even."""
    import av

    height, width = frames.shape[1:3]
    scale = min(size / min(height, width), 1.0)
    tall, wide = (2 * max(round(scale * side / 2), 1) for side in (height, width))
    if (tall, wide) == (height, width):
        return frames
    made = [
        av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")
        .reformat(wide, tall, "rgb24", interpolation="AREA", threads=1)
        .to_ndarray()
        for frame in frames
    ]
    return np.stack(made)
