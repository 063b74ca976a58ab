"""Roll out policies in a simulated world and keep the attempts as a LeRobot dataset."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from assay import plugins
from assay.episodes.lerobot.writing.clip import clip_path
from assay.errors import RunError, UnknownNameError, UsageError
from assay.jobs._attempts import Attempts
from assay.jobs._described import described
from assay.jobs._log import logged
from assay.jobs._rolling import Rolling, Shared, require_files
from assay.jobs._rundir import RunDirectory, disk_faults, read_document
from assay.jobs._seeds import seeds_asked, seeds_in_words
from assay.worlds.gl import choose, require_mujoco
from assay.worlds.look import LOOK, QUALITY, VIEWS, views_of
from assay.worlds.perturbations.base import Perturbation
from assay.worlds.policies._making import make_policy
from assay.worlds.policies.base import Checked, Policy
from assay.worlds.recording import stride_of
from assay.worlds.robots._choosing import make_robot, require_hands, robot_for
from assay.worlds.robots._from_file import FileArm
from assay.worlds.robots.base import Robot
from assay.worlds.session import ACT_LIMIT_S
from assay.worlds.tasks._checks import check_task
from assay.worlds.tasks.base import Task

__all__ = [
    "RolloutResult",
    "RolloutSettings",
    "carry_out",
    "make_perturbation",
    "make_task",
    "rollout",
]

_MOST_PIXELS = 1024
_LONGEST_S = 86_400.0


@dataclass(frozen=True)
class RolloutSettings:
    """What to roll out and how.

    Attributes:
        out: The run directory; the dataset is in it.
        task: A task, or the name of one.
        policies: Policies by the name that episodes give them; a list of names will do.
        seeds: One attempt for each and every policy; text such as "0:50" will do.
        perturbations: What is changed in every scene.
        fps: Samples and frames a second; divides 20.
        views: What is filmed; empty films nothing and needs no GL library. With two arms `wrist`
            is both `wrist.left` and `wrist.right`.
        size: Width and height of the pictures [pixels].
        quality: "fast", "good" or "fine".
        act_timeout: The most that a policy may take for one answer [s].
        jobs: Workers; None takes one a core.
        robot: A robot, or the name of one; None: Panda, or two arms where the task takes two.
    """

    out: Path
    task: str | Task
    policies: Mapping[str, str | Policy] | Sequence[str] = ("expert",)
    seeds: str | Sequence[int] = "0:50"
    perturbations: Sequence[Perturbation] = ()
    fps: int = 10
    views: tuple[str, ...] = VIEWS
    size: int = 256
    quality: str = "good"
    act_timeout: float = field(default=ACT_LIMIT_S)
    jobs: int | None = None
    robot: str | Robot | None = None

    def __post_init__(self) -> None:
        """Refuse what can't be meant, before anything is made."""
        stride_of(self.fps)
        if len(set(self.views)) < len(self.views):
            raise UsageError(f"--views names a view twice: {','.join(self.views)}.")
        if not 16 <= self.size <= _MOST_PIXELS:
            raise UsageError(f"--size must be 16 to {_MOST_PIXELS} pixels, not {self.size}.")
        if self.quality not in QUALITY:
            raise UnknownNameError("quality", self.quality, QUALITY)
        if not 0 < self.act_timeout <= _LONGEST_S:
            raise UsageError(
                f"--act-timeout must be above 0 s and at most a day, not {self.act_timeout:g}."
            )
        kinds = [type(perturbation) for perturbation in self.perturbations]
        if len(set(kinds)) < len(kinds):
            raise UsageError("--perturb names a perturbation twice: each can be given once.")
        if self.jobs is not None and self.jobs < 1:
            raise UsageError(f"--jobs must be at least 1, not {self.jobs}.")
        if not self.policies:
            raise UsageError("A rollout needs at least one policy.")


@dataclass(frozen=True)
class RolloutResult:
    """A finished rollout.

    Attributes:
        out: The run directory, which is the dataset too.
        document: What `rollout.json` holds.
    """

    out: Path
    document: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Return `rollout.json` to the letter."""
        return (self.out / "rollout.json").read_text(encoding="utf-8")

    @property
    def ok(self) -> bool:
        """Tell whether every attempt was carried to its end, with success or without."""
        return not self.document["failures"]

    def problems(self) -> list[str]:
        """Return a sentence for each kind of trouble: how many attempts, and the first of them."""
        found: dict[str, list[str]] = {}
        for failure in self.document["failures"]:
            found.setdefault(failure["status"], []).append(failure["detail"])
        total = sum(cell["n"] for cell in self.document["policies"])
        return [
            f"Not carried to the end, {status}: {len(details)} of {total} attempts, the first: "
            f"{details[0]}"
            for status, details in sorted(found.items())
        ]


def rollout(settings: RolloutSettings) -> RolloutResult:
    """Let every policy try the task on every seed, and write the run directory.

    Takes up an unfinished run in the same directory: attempts that are done are not repeated, and
    those that failed are tried again. Does nothing if the run is finished.
    """
    require_mujoco()
    task = make_task(settings.task) if isinstance(settings.task, str) else settings.task
    check_task(task)
    robot = _robot(settings.robot, task)
    views = views_of(robot, settings.views)
    if views:
        choose()
    policies = _policies(settings.policies)
    seeds = seeds_asked(settings.seeds)
    shared = Attempts(
        root=Path(settings.out).absolute(),  # a policy may change the folder it is in
        task=task,
        robot=robot,
        policies=policies,
        perturbations=tuple(settings.perturbations),
        fps=settings.fps,
        views=views,
        size=settings.size,
        quality=settings.quality,
        act_limit_s=settings.act_timeout,
    )
    _try_arranging(shared)
    if not _ended(shared.root):
        _check_policies(shared)
    prints = {"look": LOOK, "mujoco": version("mujoco"), "mink": version("mink")}
    document = {
        "verb": "rollout",
        "seed": None,
        "settings": _record(shared, seeds),
        "fingerprints": prints,
    }
    return carry_out(shared, shared.root, seeds, document, settings.jobs)


def carry_out(
    shared: Shared,
    root: Path,
    seeds: Sequence[int],
    document: Mapping[str, Any],
    jobs: int | None,
) -> RolloutResult:
    """Do all attempts that are left of a rollout, in a new run directory or an unfinished one.

    Args:
        shared: What the attempts share.
        root: The run directory.
        seeds: One attempt for each and every policy.
        document: `verb`, `seed`, `settings` and `fingerprints` of the run.
        jobs: Workers; None takes one a core.
    """
    with logged() as log:
        run = RunDirectory.open(root, document, frozenset(document["settings"]))
        if run.finished:
            found = _finished(run)
            if not found["failures"]:
                return RolloutResult(run.path, found)
        with disk_faults(run.path):
            log.open(run.path)
            return RolloutResult(run.path, Rolling(run, shared, seeds).do(jobs))


def _finished(run: RunDirectory) -> dict[str, Any]:
    """Return the result of a finished run.

    Raises:
        RunError: A file of it is gone or is not what was written.
    """
    document = read_document(run.result)
    if not {"policies", "failures", "dataset"} <= document.keys():
        raise RunError(f"{run.result} is no result of a rollout: give a new --out.")
    views = document["dataset"]["views"] if document["dataset"]["episodes"] else ()
    wanted = [run.path / "meta" / "info.json"] if document["dataset"]["episodes"] else []
    for number in range(sum(cell["n"] for cell in document["policies"])):
        wanted += [clip_path(run.path, view, number) for view in views]
    if not document["failures"]:
        require_files(wanted)
    return document


def make_task(name: str) -> Task:
    """Return the task of that name."""
    task: Task = plugins.configure(plugins.find("assay.worlds.tasks", name), {})
    return task


def _robot(asked: str | Robot | None, task: Task) -> Robot:
    """Return the robot that was asked for, if it has the hands that the task takes."""
    if asked is None:
        return robot_for(task)
    robot = make_robot(asked) if isinstance(asked, str) else asked
    require_hands(task, robot)
    return robot


def _robot_in_words(robot: Robot) -> str | dict[str, Any]:
    """Return what run.json says of a robot: the name of ours, else its parts and a hash, too."""
    if not isinstance(robot, FileArm):
        return robot.name
    code = hashlib.sha256(robot.path.read_bytes()).hexdigest()
    return {"name": robot.name, "settings": described(robot)["settings"], "code": code}


def make_perturbation(text: str) -> Perturbation:
    """Return the perturbation that `NAME` or `NAME=LEVEL` names; the level is its first field."""
    name, equals, level = text.partition("=")
    found = plugins.find("assay.worlds.perturbations", name)
    options = {dataclasses.fields(found)[0].name: level} if equals else {}
    made: Perturbation = plugins.configure(found, options)
    return made


def _policies(asked: Mapping[str, str | Policy] | Sequence[str]) -> dict[str, Policy]:
    named = asked if isinstance(asked, Mapping) else {name: name for name in asked}
    if len(named) < len(asked):
        raise UsageError(f"A policy was asked for twice: {', '.join(asked)}.")
    return {
        name: make_policy(policy) if isinstance(policy, str) else policy
        for name, policy in named.items()
    }


def _ended(root: Path) -> bool:
    """Tell whether a run stands there that has nothing left to do."""
    return (root / "rollout.json").is_file() and not (root / "journal.sqlite").exists()


def _check_policies(shared: Attempts) -> None:
    """Let every policy refuse now, and not once in every attempt."""
    for policy in shared.policies.values():
        if isinstance(policy, Checked):
            policy.check(shared.task, shared.views, shared.act_limit_s)


def _try_arranging(shared: Attempts) -> None:
    """Let every perturbation refuse the task now, and not once in every attempt."""
    rng = np.random.default_rng(0)
    layout = shared.task.arrange(rng)
    for perturbation in shared.perturbations:
        layout = perturbation.arrange(shared.task, layout, rng)


def _record(shared: Attempts, seeds: Sequence[int]) -> dict[str, Any]:
    """Return the settings that decide the result, as plain data for run.json."""
    return {
        "task": described(shared.task) | {"name": shared.task.name},
        "robot": _robot_in_words(shared.robot),
        "policies": {name: described(policy) for name, policy in shared.policies.items()},
        "seeds": seeds_in_words(seeds),
        "perturbations": [described(p) | {"label": p.label} for p in shared.perturbations],
        "fps": shared.fps,
        "views": list(shared.views),
        "size": shared.size if shared.views else None,
        "quality": shared.quality if shared.views else None,
        "act_timeout": shared.act_limit_s,
    }
