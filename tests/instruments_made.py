"""Drawn clips for the instruments: a standing room, an arm that passes, a thing that lies there."""

from dataclasses import dataclass

import numpy as np

from assay.judges import make_judge
from assay.judges.instruments._footage import Footage
from assay.records import Episode, View

FPS = 15.0
SIDE = 96
RED = (200, 40, 40)
SPAN = slice(20, 40)  # frames at fault: 20/15 s to 40/15 s


@dataclass(frozen=True, eq=False)
class Drawn:
    """Frames held in memory: `pictures` of shape (T, H, W, 3), shown at `times`."""

    pictures: np.ndarray
    times: np.ndarray

    def key(self):
        return f"drawn:{id(self)}"

    def clock(self):
        return self.times

    def at(self, times):
        shown = np.searchsorted(self.times, np.asarray(times) + 1e-6, side="right") - 1
        for number in np.maximum(shown, 0):
            yield self.pictures[number].copy()


def room(seed=0, frames=60, noise=1.0, arm=True, thing=(60, 60)):
    """Return a clip: patches of a room, an arm that goes down at the left, a red thing."""
    rng = np.random.default_rng(seed)
    patches = rng.integers(60, 200, (12, 12, 1)) + rng.integers(-8, 8, (12, 12, 3))
    wall = np.kron(patches, np.ones((8, 8, 1)))
    wall[48:] = (150, 120, 90)  # a plain table in front
    wall[88:] = wall[:8]
    clip = np.repeat(wall[None], frames, axis=0)
    if thing:
        paint(clip, slice(None), thing, RED)
    if arm:
        for k in range(frames):
            down = 4 + k * 40 // frames
            clip[k, :down, 10:22] = (230, 230, 235)
            clip[k, down - 4 : down, 6:26] = (40, 40, 45)
    if noise:
        clip = clip + rng.normal(0, noise, clip.shape)
    return np.clip(np.rint(clip), 0, 255).astype(np.uint8)


def paint(clip, when, place, colour, size=10):
    """Draw a square thing into some frames of a clip."""
    row, column = place
    clip[when, row : row + size, column : column + size] = colour
    return clip


def bare(clip, when, place, size=10):
    """Take a square thing out of some frames: there is table instead."""
    return paint(clip, when, place, (150, 120, 90), size)


def footage(clip, fps=FPS, moves=False):
    times = np.arange(len(clip)) / fps
    return Footage("front", times, clip, moves, len(clip) / fps)


def episode(clip, fps=FPS, view="front", **fields):
    frames = Drawn(clip, np.arange(len(clip)) / fps)
    return Episode(id="drawn", task="t", views={view: View(frames)}, **fields)


def diagnosed(clip, **options):
    return make_judge("instruments").diagnose(episode(clip, **options))


def found(clip, **options):
    """Return type, first frame and the one after the last of every fault."""
    events = diagnosed(clip, **options).value
    return [(e.type, round(e.start_s * FPS), round(e.end_s * FPS)) for e in events]
