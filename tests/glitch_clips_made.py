"""Clips to spoil: attempts of the worlds, a recorded one, and a folder of recorded ones."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from assay import plugins
from assay.benchmarks.glitches.injecting.injectors.base import Injector, Level
from assay.benchmarks.glitches.injecting.making import made_frames
from assay.benchmarks.glitches.injecting.orders import INJECTORS
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared
from assay.benchmarks.glitches.injecting.stage import Stage
from assay.errors import EpisodeError
from assay.worlds.policies._scripted import ScriptedActor
from assay.worlds.tasks.base import Aim
from clips import write_clip

SIZE = 96


@cache
def stage() -> Stage:
    return Stage(SIZE)


@cache
def other_stage() -> Stage:
    """For attempts that are looked at once: a world shows one attempt at a time."""
    return Stage(SIZE)


@cache
def attempt(task: str, seed: int = 4, view: str = "front") -> Prepared:
    """An expert's attempt, filmed; a world shows one attempt at a time, so each task has one."""
    actor = ScriptedActor(stage().task(task), Aim())
    clip = stage().prepare(task, actor, seed, view, pace=1.0, noise=0)
    assert len(clip.frames) == len(clip)
    return clip


@cache
def recorded() -> Prepared:
    """Three seconds in which a white square crosses a wall; a red one lies still below."""
    rng = np.random.default_rng(5)
    wall = rng.integers(95, 125, (SIZE, SIZE, 3)).astype(np.uint8)
    wall[66:76, 14:24] = (200, 30, 30)
    frames = np.stack([wall] * 45)
    for number, frame in enumerate(frames):
        frame[20:40, 2 * number : 2 * number + 12] = 255
    return Prepared(15.0, "Push the square to the right.", pictures=frames)


def injected(injector: Injector, clip: Prepared, level: Level) -> Injected:
    """The clip with a glitch, by the first chance that shows one."""
    for chance in range(20):
        try:
            found = injector.inject(clip, level, np.random.default_rng(chance))
            return made_frames(injector, clip, found)
        except EpisodeError:
            continue
    raise AssertionError("no chance in 20 shows the glitch")


def stacking() -> Prepared:
    """An attempt at stack-blocks, whose hand carries `upper`."""
    return attempt("stack-blocks")


def made(name: str, level: Level) -> Injected:
    """That attempt with a glitch."""
    return injected(plugins.find(INJECTORS, name)(), stacking(), level)


def write_recorded(root: Path) -> Path:
    """Two recorded clips of 3 s, one of which moves with the robot, and one that is too short."""
    root.mkdir()
    for name, frames in (("a", 45), ("b", 45), ("c", 5)):
        write_clip(root / f"{name}.mp4", frames=frames, fps=15, size=(128, 96), draw=_crossing)
    (root / "manifest.csv").write_text(
        "file,instruction,moves\na.mp4,Open the box.,no\nb.mp4,Close it.,yes\nc.mp4,Wait.,no\n"
    )
    return root


def _crossing(number: int, size: tuple[int, int]) -> np.ndarray:
    """A white square that crosses a wall from left to right; a dark one lies still below."""
    columns, rows = np.meshgrid(np.arange(size[0]), np.arange(size[1]))
    picture = np.repeat((100 + (7 * columns + 13 * rows) % 24)[..., None], 3, -1).astype(np.uint8)
    picture[66:76, 20:30] = 10
    picture[20:40, 2 * number : 2 * number + 16] = 255
    return picture
