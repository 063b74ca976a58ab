"""Every policy by name, with what it needs: weights that know nothing, a demonstration to play."""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from pathlib import Path

import numpy as np
import torch

from assay import plugins
from assay.jobs.rollout import RolloutSettings, make_task, rollout
from assay.models.graphs import write_graph
from assay.worlds.policies._cloned.card import CARD, GRAPH, Card
from assay.worlds.policies._cloned.lessons import CHUNK
from assay.worlds.policies._cloned.network import Clone, Norms
from assay.worlds.policies._mistaken import suits
from assay.worlds.policies._reaching import joint_ranges
from assay.worlds.robots.panda import Panda
from assay.worlds.tasks.base import hands_of

FOLDER = "assay.worlds.policies"
OWN, EACH = 17, 18  # numbers of the robot, and of each thing: see `inputs.numbers`


def policy_of(name, task, **options):
    """Return the policy `name` for the task of that name, its needs supplied."""
    found = plugins.find(FOLDER, name)
    needs = getattr(found, "needs", frozenset())
    if "weights" in needs:
        options = {"path": str(untrained(task)), **options}
    if "demonstration" in needs:
        options = {"path": str(recorded()), **options}
    return found(**options)


@functools.cache
def fits(name, task):
    """Tell whether a policy can do a task: it has the mistake, and what is supplied fits it."""
    found, about = plugins.find(FOLDER, name), make_task(task)
    one_armed = bool(getattr(found, "needs", frozenset()))  # weights and demonstrations are Panda's
    return suits(found, about) and not (one_armed and hands_of(about) > 1)


@functools.cache
def place() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="assay-policies-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@functools.cache
def recorded() -> Path:
    """Return a dataset of one attempt of the expert."""
    out = place() / "recorded"
    rollout(RolloutSettings(out, "lift-block", seeds="0", views=(), jobs=1))
    return out


@functools.cache
def untrained(task: str) -> Path:
    """Return a cloned policy for a task whose weights were drawn and never taught."""
    made = make_task(task)
    things = tuple(sorted([thing.name for thing in made.things] + [*made.fixtures]))
    out = place() / task
    out.mkdir()
    return write_policy(out, card(task, things))


def card(task: str, things: tuple[str, ...] = (), **more) -> Card:
    ranges = joint_ranges(Panda())
    own = {
        "inputs": "state",
        "instruction": "",
        "robot": "panda",
        "joints": 7,
        "rate_hz": 10,
        "views": (),
        "size": None,
        "snaps": True,
    }
    return Card(
        name="untrained",
        task=task,
        things=things,
        chunk=CHUNK,
        done=CHUNK,
        low=tuple(ranges[:, 0].tolist()),
        high=tuple(ranges[:, 1].tolist()),
        **{**own, **more},
    )


def write_policy(out: Path, told: Card) -> Path:
    width = OWN + EACH * len(told.things)
    one = np.ones(width, np.float32)
    ways = np.full((CHUNK, told.joints), 0.02, np.float32)
    torch.manual_seed(0)
    network = Clone(Norms(0 * one, one, ways, one[:0], one[:0]), len(told.views)).eval()
    shown = [torch.zeros(2, told.size, told.size, 3, dtype=torch.uint8) for _ in told.views]
    write_graph(network, (torch.zeros(2, width), *shown), out / GRAPH)
    (out / CARD).write_text(told.text)
    return out
