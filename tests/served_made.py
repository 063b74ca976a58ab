"""What tests of policies on a server share: a world without pictures, and attempts in it."""

from __future__ import annotations

import functools
from types import SimpleNamespace

import numpy as np

from assay import plugins
from assay.worlds.policies.base import Observation
from assay.worlds.robots.panda import Panda
from assay.worlds.session import Session
from assay.worlds.tasks.lift_block import LiftBlock
from assay.worlds.watch import Watch
from assay.worlds.world import World

TASK = LiftBlock()
BARE = {"images": ""}  # nothing is drawn in these worlds


@functools.cache
def world() -> World:
    return World(TASK)


def of(name: str, url: str, **options):
    return plugins.find("assay.worlds.policies", name)(url=url, **{**BARE, **options})


def session(policy, limit_s: float = 30.0) -> Session:
    return Session(world(), policy.actor(world().task, 3), "pi0", Watch(limit_s))


def rolled(policy, steps: int, limit_s: float = 30.0) -> np.ndarray:
    """Return the actions of an attempt, of shape (steps, A)."""
    made = session(policy, limit_s)
    try:
        made.reset(3)
        return np.array([made.step() for _ in range(steps)])
    finally:
        made.close()


def observed(**changes) -> Observation:
    """Return an observation with pictures: grey 100 in front, and 200 at the wrist."""
    pictures = {
        "front": np.full((64, 64, 3), 100, np.uint8),
        "wrist": np.full((64, 64, 3), 200, np.uint8),
    }
    given = {
        "time": 0.0,
        "joint_position": np.arange(7.0),
        "joint_velocity": np.zeros(7),
        "gripper_opening": 0.25,
        "ee_position": np.zeros(3),
        "ee_rotation": np.array([1.0, 0, 0, 0]),
        "images": pictures,
        "truth": SimpleNamespace(robot=Panda()),  # all that a server's policy asks of it
    }
    return Observation(**{**given, **changes})
