"""Clips with nothing wrong in them, some of which look as if there were."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from assay.benchmarks.glitches.injecting.acting import regrasping
from assay.benchmarks.glitches.injecting.prepared import Prepared
from assay.errors import EpisodeError
from assay.worlds.policies._scripted import ScriptedActor
from assay.worlds.tasks.base import Aim, Task

__all__ = ["CLEAN", "check", "clean_actor", "pace_of"]

CLEAN: Final[Mapping[str, float]] = {
    "clean": 0.55,
    "clean-fast": 0.15,
    "clean-passing": 0.15,
    "clean-regrasp": 0.15,
}
"""Kinds of clean clips and their shares: an expert; one that is shown fast; one whose arm passes
before a thing; one that takes hold a second time."""

_FAST = 1.9
_SEEN = 0.0022  # of the picture shows a thing at the start
_HIDDEN, _BACK = 0.35, 0.7  # of what is seen at first


def pace_of(kind: str) -> float:
    """Return how many times faster than in truth a kind of clean clip is shown, at least."""
    return _FAST if kind == "clean-fast" else 1.0


def clean_actor(kind: str, task: Task) -> ScriptedActor:
    """Return who acts in a kind of clean clip."""
    return regrasping(task) if kind == "clean-regrasp" else ScriptedActor(task, Aim())


def check(kind: str, clip: Prepared) -> None:
    """Raise if a clip is not what its kind promises.

    Raises:
        EpisodeError: The task was not done, or nothing is hidden for a while.
    """
    take = clip.attempt
    if not take.trace.success:
        raise EpisodeError("the expert failed")
    if kind != "clean-passing":
        return
    names = [name for name in take.things if not take.trace.touched[name].any()]
    owned = {name: take.geoms_of(name) for name in names}
    shown = [take.geoms(number) for number in range(0, len(take), 4)]
    for name in names:
        areas = np.array([float(np.isin(geoms, owned[name]).mean()) for geoms in shown])
        low = int(np.argmin(areas))
        first, after = areas[0], areas[low:].max()
        if first >= _SEEN and areas[low] < _HIDDEN * first and after > _BACK * first:
            return
    raise EpisodeError("the arm passes before nothing")
