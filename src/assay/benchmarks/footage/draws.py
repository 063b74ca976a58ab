"""Draw what an attempt of the footage is: task, policy, look, and the words that name the task."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from assay import plugins
from assay.worlds.look import COLOURS, views_of
from assay.worlds.perturbations.base import Perturbation
from assay.worlds.perturbations.objects import Objects
from assay.worlds.policies.base import Policy
from assay.worlds.robots._choosing import make_robot, robot_for
from assay.worlds.robots.base import Robot
from assay.worlds.tasks.base import Task, Wrong

__all__ = [
    "EDITION",
    "FINER",
    "HARD",
    "MISTAKES",
    "POLICIES",
    "QUALITIES",
    "TASKS",
    "Draw",
    "draw",
    "recoloured",
]

EDITION: Final = 11
"""Another number whenever a seed comes to mean another attempt: older footage is not taken up."""

TASKS: Final = (
    "clear-table",
    "close-drawer",
    "cover-box",
    "handover",
    "hold-and-insert",
    "lift-block",
    "lift-tray",
    "open-drawer",
    "peg-in-hole",
    "place-in-basket",
    "press-button",
    "push-to-zone",
    "put-in-drawer",
    "rank-blocks",
    "ring-on-post",
    "stack-blocks",
    "stack-three",
    "turn-knob",
)
"""By name, not by what is installed: a further task must not change what the others' seeds are."""

HARD: Final = (
    "handover",
    "hold-and-insert",
    "peg-in-hole",
    "press-button",
    "push-to-zone",
    "ring-on-post",
    "stack-blocks",
    "turn-knob",
)
"""Tasks drawn twice as often as the others: those in which a judge that saw all alike erred most.

That was measured on held-out attempts. The tasks with many steps are not among them: they last
long, and each of their attempts shows much.
"""

MISTAKES: Final[Mapping[Wrong, str]] = {
    "object": "wrong-object",
    "target": "wrong-target",
    "order": "wrong-order",
    "constraint": "ignored-constraint",
    "effector": "wrong-effector",
}
"""The policy that makes each mistake."""

# What a clock can't tell is what there must be much of: drops, ways back, mistakes, and ends that
# look much like a success. The share of wrong-object is that of all mistakes: of those that the
# task has, one is drawn.
POLICIES: Final[Mapping[str, float]] = {
    "expert": 0.12,
    "hesitant": 0.04,
    "jittery": 0.11,
    "dropper": 0.15,
    "backtracker": 0.14,
    "early-stopper": 0.05,
    "near-miss": 0.14,
    "wrong-object": 0.24,
    "frozen": 0.01,
}
_STRENGTHS: Final[Mapping[str, tuple[float, float]]] = {
    "hesitant": (0.2, 0.9),
    "jittery": (0.1, 0.6),
    "dropper": (0.7, 1.0),
    "backtracker": (0.7, 1.0),
    "early-stopper": (0.4, 1.0),
    "near-miss": (0.5, 1.0),
    **dict.fromkeys(MISTAKES.values(), (1.0, 1.0)),
    "frozen": (0.8, 1.0),
}
PLAIN: Final = 0.4  # share of attempts that nothing is changed in
CHANGED: Final = 0.4  # of the others, the chance of each perturbation
RECOLOURED: Final = 0.35  # share of attempts whose things have other colours, and other names
SHADOWS: Final = 1 / 2  # share of attempts that are drawn with shadows, which takes longer
FINER: Final = (4 / 3, 2.0)  # pictures are drawn so much larger than they are kept: edges differ
QUALITIES: Final = (None, 18, 18, 18, 24)  # x264's crf; None: pictures as they were drawn
WRIST: Final = 1 / 4  # share of attempts that the wrist cameras see, too
FIXED_VIEWS: Final = ("front", "side", "overhead")
SECOND: Final = "desk-arm"  # the robot of some attempts at what it can reach
SECOND_SHARE: Final = 1 / 5
SECOND_TASKS: Final = tuple(
    task for task in TASKS if task not in ("handover", "hold-and-insert", "lift-tray")
)  # what one arm can do


@dataclass(frozen=True)
class Draw:
    """One attempt of the footage.

    Attributes:
        seed: Of the scene and of the policy's chances.
        task: The task, in the colours of this attempt.
        robot: Who acts.
        policy: The policy's name.
        actor: The policy.
        perturbations: What is changed in the scene.
        views: What is filmed.
        quality: How it is drawn.
        finer: How much larger pictures are drawn than they are kept.
        crf: How coarse the video is whose pictures are kept; None: they come from no video.
    """

    seed: int
    task: Task
    robot: Robot
    policy: str
    actor: Policy
    perturbations: tuple[Perturbation, ...]
    views: tuple[str, ...]
    quality: str
    finer: float
    crf: int | None


def draw(
    seed: int, tasks: tuple[str, ...] = TASKS, *, usual: bool = False, robot: str = ""
) -> Draw:
    """Return the attempt of a seed: every one is another mixture, the same whenever it is drawn.

    With `usual` it looks as a rollout may: the task's own colours, the fixed views. A `robot` that
    is named acts in every attempt; by itself some are those of a second one.
    """
    rng = np.random.default_rng([seed, 0xF007])
    turns = (*tasks, *(name for name in HARD if name in tasks))
    task: Task = plugins.find("assay.worlds.tasks", turns[seed % len(turns)])()
    name = str(rng.choice(list(POLICIES), p=list(POLICIES.values())))
    if name in MISTAKES.values():
        name = str(rng.choice([MISTAKES[wrong] for wrong in task.wrongs if wrong in MISTAKES]))
    options = {"strength": rng.uniform(*_STRENGTHS[name])} if name in _STRENGTHS else {}
    actor = plugins.configure(plugins.find("assay.worlds.policies", name), options)
    changes = _perturbations(task, rng) if rng.random() > PLAIN else ()
    if rng.random() < RECOLOURED and not usual:
        task = recoloured(task, rng)
    wrist = ("wrist",) if rng.random() < WRIST and not usual else ()
    quality = "good" if rng.random() < SHADOWS else "fast"
    second = rng.random() < SECOND_SHARE and task.name in SECOND_TASKS
    who = make_robot(robot or SECOND) if robot or second else robot_for(task)
    views = views_of(who, (*FIXED_VIEWS, *wrist))
    finer = float(rng.choice(FINER))
    crf = QUALITIES[int(rng.integers(len(QUALITIES)))]
    return Draw(seed, task, who, name, actor, changes, views, quality, finer, crf)


def _perturbations(task: Task, rng: np.random.Generator) -> tuple[Perturbation, ...]:
    """Return some perturbations, at least one, each at a level of its own."""
    orders = Objects.orders(task)
    levels = {
        "background": int(rng.integers(1, 6)),
        "colour": float(rng.choice((0.33, 0.66, 1.0))),
        "objects": int(rng.integers(1, max(orders, 2))),
        "lighting": int(rng.integers(1, 4)),
        "camera": float(rng.uniform(0.3, 1.0)),
        "distractors": int(rng.integers(1, 4)),
    }
    if orders == 1:
        del levels["objects"]
    chosen = [name for name in levels if rng.random() < CHANGED]
    chosen = chosen or [str(rng.choice(list(levels)))]
    return tuple(_make(name, levels[name]) for name in chosen)


def _make(name: str, level: float) -> Perturbation:
    kind = plugins.find("assay.worlds.perturbations", name)
    made: Perturbation = kind(level)
    return made


def recoloured(task: Task, rng: np.random.Generator) -> Task:
    """Return the task with other colours for the things it names, in the instructions as well.

    A colour that the instruction gives to something else, such as a zone, stays with that.
    """
    named = [thing.colour for thing in task.things if thing.colour]
    if not named:
        return task
    told = {colour for colour in COLOURS if colour in task.instruction}
    free = [colour for colour in COLOURS if colour not in told - set(named)]
    new = dict(zip(named, map(str, rng.permutation(free)), strict=False))

    def said(text: str) -> str:
        return re.sub("|".join(new), lambda found: new[found.group()], text)

    changes: dict[str, Any] = {
        "instruction": said(task.instruction),
        "paraphrases": tuple(map(said, task.paraphrases)),
        "things": tuple(
            dataclasses.replace(thing, colour=new[thing.colour]) if thing.colour else thing
            for thing in task.things
        ),
    }
    return dataclasses.replace(task, **changes)  # type: ignore[type-var]  # tasks are dataclasses
