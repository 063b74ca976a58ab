"""Scenes of the simulated worlds to check a judge on: each a recipe that is carried out late."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np

from assay import plugins
from assay.benchmarks.footage.draws import MISTAKES
from assay.benchmarks.passport.lines import WORLDS
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.stage import Shot, Stage
from assay.benchmarks.splits import SPLITS
from assay.errors import EpisodeError
from assay.records import Episode, Floats, Series, View
from assay.worlds.perturbations.background import Background
from assay.worlds.perturbations.base import Perturbation
from assay.worlds.perturbations.camera import CameraJitter
from assay.worlds.perturbations.lighting import Lighting

__all__ = [
    "SEEDS",
    "TASKS",
    "VIEWS",
    "Attempt",
    "Goals",
    "Hidden",
    "Looks",
    "Scene",
    "make_material",
    "scenes",
]

SEEDS: Final = SPLITS["passport"]
"""Seeds that no judge of ours learns from, and on which nothing was chosen."""

TASKS: Final = (
    "lift-block",
    "open-drawer",
    "place-in-basket",
    "push-to-zone",
    "rank-blocks",
    "stack-blocks",
)
"""What judges that have learned no tasks of the worlds are asked about, so that their passports can
be compared. By name, not by what is installed: further tasks must not change passports."""

VIEWS: Final = ("front", "side", "overhead")
FLAWED: Final = ("wrong-object", "backtracker", "near-miss", "dropper")
LOOKS: Final[dict[str, Perturbation]] = {
    "other cameras": CameraJitter(3.0),
    "another background": Background(3),
    "other light": Lighting(2),
}
MOVED: Final = {"place-in-basket": "block", "push-to-zone": "puck", "stack-blocks": "upper"}
"""Tasks with many good ends, and what may lie otherwise in them."""

BASKET: Final = "place-in-basket"
_MOMENTS = 8
_ENDS = 3
_TRIES = 40
_SHIFT_M = 0.03
_SEEN = 0.1  # of the object's pixels may still be seen when it counts as hidden
_SIGNALS = frozenset({"progress", "success"})


@dataclass(frozen=True, slots=True)
class Attempt:
    """A policy on a seed, filmed from its start to its end."""

    task: str
    policy: str
    seed: int


@dataclass(frozen=True, slots=True)
class Looks:
    """States of an expert's attempt, seen by other cameras, before other walls, in other light."""

    task: str
    seed: int


@dataclass(frozen=True, slots=True)
class Goals:
    """An expert's attempt with several good ends."""

    task: str
    seed: int


@dataclass(frozen=True, slots=True)
class Hidden:
    """A block that is put into a basket, whose walls are low or hide it."""

    seed: int
    task: str = BASKET


Scene: TypeAlias = Attempt | Looks | Goals | Hidden


def scenes(tasks: Sequence[str], seeds: int) -> list[Scene]:
    """Return the scenes of these tasks, `seeds` of each kind.

    Every task has as many attempts of the expert as of policies with a flaw. Scenes of few tasks
    get more seeds, so that there are enough for an interval.
    """
    found: list[Scene] = []
    for number, task in enumerate(tasks):
        for k in range(seeds):
            flawed = _flaw(task, number + k)
            found += [Attempt(task, "expert", SEEDS[k]), Attempt(task, flawed, SEEDS[k])]
            found.append(Looks(task, SEEDS[k]))
    movable = [task for task in tasks if task in MOVED]
    found += [Goals(task, SEEDS[k]) for task in movable for k in range(seeds)]
    if BASKET in tasks:
        found += [Hidden(SEEDS[k]) for k in range(3 * seeds)]
    return found


def _flaw(task: str, number: int) -> str:
    """Return a flawed policy; where a task has no wrong object, its first other mistake counts."""
    flaw = FLAWED[number % len(FLAWED)]
    wrongs = plugins.find("assay.worlds.tasks", task)().wrongs
    return MISTAKES[wrongs[0]] if flaw == MISTAKES["object"] and "object" not in wrongs else flaw


def make_material(scene: Scene, stage: Stage) -> Material:
    """Carry a recipe out.

    Raises:
        EpisodeError: The scene does not show what it is for.
    """
    if isinstance(scene, Attempt):
        shot = stage.act(scene.task, scene.policy, scene.seed)
        return _material("episode", shot, stage.film(shot, shot.poses, VIEWS), shot.times)
    shot = stage.act(scene.task, "expert", scene.seed)
    if not shot.episode.outcome:
        raise EpisodeError(f"the expert fails at {scene.task} on seed {scene.seed}")
    places = np.linspace(0, len(shot.times) - 1, _MOMENTS).astype(int)
    times, poses = shot.times[places], shot.poses[places]
    if isinstance(scene, Looks):
        return _looks(stage, shot, times, poses)
    return (
        _goals(stage, shot, times, poses)
        if isinstance(scene, Goals)
        else _hidden(stage, shot, times, poses)
    )


def _looks(stage: Stage, shot: Shot, times: Floats, poses: Floats) -> Material:
    others = {
        look: stage.film(shot, poses, VIEWS, times=times, look=(change,))
        for look, change in LOOKS.items()
    }
    plain = stage.film(shot, poses, VIEWS, times=times)
    return _material("looks", shot, plain, times, others)


def _goals(stage: Stage, shot: Shot, times: Floats, poses: Floats) -> Material:
    ends = stage.other_ends(shot, MOVED[shot.episode.task], _ENDS, _TRIES, _SHIFT_M)
    plain = stage.film(shot, poses, VIEWS, times=times)
    others = {
        f"end {k}": stage.film(shot, np.concatenate([poses[:-1], end[None]]), VIEWS, times=times)
        for k, end in enumerate(ends, start=1)
    }
    if not others:
        raise EpisodeError("no other good end was found")
    return _material("goals", shot, plain, times, others)


def _hidden(stage: Stage, shot: Shot, times: Floats, poses: Floats) -> Material:
    views = VIEWS[:2]  # from above nothing hides it
    plain = stage.film(shot, poses, views, times=times)
    seen = stage.visible(shot, poses[-1], "block", views)
    with stage.high_walls(shot, "basket"):
        hidden = stage.film(shot, poses, views, times=times)
        left = stage.visible(shot, poses[-1], "block", views)
    if left > _SEEN * seen:
        raise EpisodeError("the walls don't hide the block")
    return _material("hidden", shot, plain, times, {"hidden": hidden})


def _material(
    kind: str,
    shot: Shot,
    views: dict[str, View],
    times: Floats,
    others: dict[str, dict[str, View]] | None = None,
) -> Material:
    """Return the attempt with its pictures; all its versions have the same truth."""
    base = _episode(shot, views, times)
    shown = {name: replace(base, views=own) for name, own in (others or {}).items()}
    return Material(kind, WORLDS, base, times, base, shown)  # type: ignore[arg-type]  # one of Kind


def _episode(shot: Shot, views: dict[str, View], times: Floats) -> Episode:
    signals = {
        name: Series(times, shot.episode.at(name, times, "nearest")) for name in sorted(_SIGNALS)
    }
    return replace(shot.episode, views=views, signals=signals, extra={})
