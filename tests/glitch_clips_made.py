"""Clips to spoil, made once: an attempt with one arm, one with two, and a recorded one."""

from __future__ import annotations

from functools import cache

import numpy as np

from assay.benchmarks.glitches.injecting.prepared import Prepared
from assay.benchmarks.glitches.injecting.stage import Stage
from assay.worlds.policies._scripted import ScriptedActor
from assay.worlds.tasks.base import Aim

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
    made = stage().prepare(task, actor, seed, view, pace=1.0, noise=0)
    assert len(made.frames) == len(made)
    return made


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
