"""Material for checks of judges: drawn episodes, and a judge that sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from assay.benchmarks.passport.frames import StoredFrames
from assay.benchmarks.passport.lines import EPISODES
from assay.benchmarks.passport.material import Material
from assay.judges._curves import curve
from assay.records import Episode, Judged, Series, View


def drawn_episode(grey, fps=5.0, **changes):
    """Return an episode whose frame k has the grey level `grey[k]`, and progress grey / 255."""
    times = np.arange(len(grey)) / fps
    images = np.repeat(np.array(grey, dtype=np.uint8), 8 * 8 * 3).reshape(-1, 8, 8, 3)
    progress = Series(times, np.array(grey) / 255.0)
    fields = {
        "id": "drawn",
        "task": "lift-block",
        "instruction": "lift the red block",
        "views": {"front": View(StoredFrames(times, images, "drawn"))},
        "signals": {"progress": progress},
        "world": "drawn",
        "outcome": True,
    }
    return Episode(**{**fields, **changes})


def material_of(grey, domain=EPISODES, **changes):
    """Return a drawn episode as material."""
    episode = drawn_episode(grey, **changes)
    times = next(iter(episode.signals.values())).times
    return Material("episode", domain, episode, times, episode)


@dataclass(frozen=True)
class Sees:
    """A judge of pixels: progress is brightness. Its hops add up and can be biased.

    Attributes:
        weights: The folder of its weights, as a trained judge has one.
        bias: What is added to every hop.
        goal: Taken, as judges with goals do.
    """

    weights: Path | None = None
    bias: float = 0.0
    goal: Path | None = None

    bound: ClassVar[str] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset({"frames"})
    noise: ClassVar[None] = None

    def clock(self, episode, fps):
        return next(iter(episode.views.values())).frames.clock()

    def progress(self, episode, times):
        views = [[i.mean() / 255 for i in v.frames.at(times)] for v in episode.views.values()]
        return curve(times, np.mean(views, axis=0))

    def hop(self, task, before, after, start, goal):
        if goal is not None:  # one that heeds its goal: no progress away from it
            return Judged(-abs(_level(after) - _level(goal)) + abs(_level(before) - _level(goal)))
        return Judged(_level(after) - _level(before) + self.bias)


def _level(pictures: Mapping[str, np.ndarray]) -> float:
    return float(np.mean([image.mean() / 255 for image in pictures.values()]))
