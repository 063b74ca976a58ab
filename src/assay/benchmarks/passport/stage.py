"""Where scenes are played: worlds and renderers, made once, and pictures held in memory."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import numpy as np

from assay import plugins
from assay.benchmarks.passport.frames import StoredFrames
from assay.records import Episode, Floats, Image, View
from assay.worlds.perturbations.base import Perturbation
from assay.worlds.policies._making import make_policy
from assay.worlds.recording import record
from assay.worlds.rendering import Renderer
from assay.worlds.session import Session
from assay.worlds.world import World

__all__ = ["FPS", "SIZE", "Shot", "Stage"]

FPS = 5
SIZE = 128
QUALITY = "good"

_HIGH_M = 0.12
_SETTLE_STEPS = 12
_FLAT_RAD = 0.2  # a thing that is tilted more has toppled


@dataclass(frozen=True, eq=False)
class Shot:
    """An attempt without pictures.

    Attributes:
        episode: Signals, subtasks and outcome.
        times: Its moments [s], of shape (T,).
        poses: The joint positions of everything at each of them, of shape (T, nq).
    """

    episode: Episode
    times: Floats
    poses: Floats


class Stage:
    """Play attempts and take pictures of them; worlds and renderers are made once a task."""

    def __init__(self) -> None:
        self._worlds: dict[str, World] = {}
        self._renderers: dict[str, Renderer] = {}
        self._stack = ExitStack()
        weakref.finalize(self, self._stack.close).atexit = False

    def act(self, task: str, policy: str, seed: int) -> Shot:
        """Let a policy try a task; one with a flaw shows it as much as it can."""
        world = self._world(task)
        chosen = make_policy(policy, {} if policy == "expert" else {"strength": 1.0})
        poses: list[Floats] = []
        session = Session(world, chosen.actor(world.task, seed), policy)
        session.reset(seed)
        episode = record(session, FPS, policy, lambda: poses.append(np.array(world.data.qpos)))
        return Shot(episode, episode.signals["progress"].times, np.array(poses))

    def film(
        self,
        shot: Shot,
        poses: Floats,
        views: Sequence[str],
        *,
        times: Floats | None = None,
        look: tuple[Perturbation, ...] = (),
    ) -> dict[str, View]:
        """Return pictures of `poses` of a shot.

        Args:
            shot: The attempt.
            poses: Joint positions, of shape (T, nq).
            views: The cameras.
            times: When each pose is shown [s]; None for the shot's own times.
            look: What is changed in the scene; nothing that moves anything.
        """
        world, renderer = self._dressed(shot, look)
        pictures: dict[str, list[Image]] = {view: [] for view in views}
        for pose in poses:
            renderer.follow(pose)
            for view in views:
                pictures[view].append(renderer.rgb(view))
        name = f"{world.scene}/{shot.episode.policy}"
        shown = shot.times if times is None else times
        return {
            view: View(StoredFrames(shown, np.stack(images), f"{name}/{view}"))
            for view, images in pictures.items()
        }

    def visible(self, shot: Shot, pose: Floats, thing: str, views: Sequence[str]) -> int:
        """Return how many pixels of a thing the views see together."""
        _, renderer = self._dressed(shot, ())
        renderer.follow(pose)
        number = renderer.names.index(thing)
        return sum(int(np.sum(renderer.segmentation(view) == number)) for view in views)

    @contextmanager
    def high_walls(self, shot: Shot, fixture: str) -> Iterator[None]:
        """Draw the walls of a fixture so high that they hide what lies between them."""
        model = self._world(shot.episode.task).model
        body = int(model.body(fixture).id)
        geoms = [
            g for g in np.flatnonzero(model.geom_bodyid == body) if model.geom_pos[g, 2] > 0.01
        ]
        sizes, places = np.array(model.geom_size), np.array(model.geom_pos)
        for geom in geoms:
            model.geom_size[geom, 2] = model.geom_pos[geom, 2] = _HIGH_M / 2
        try:
            yield
        finally:
            model.geom_size[:], model.geom_pos[:] = sizes, places

    def other_ends(self, shot: Shot, thing: str, count: int, tries: int, shift_m: float) -> Floats:
        """Return up to `count` poses in which the task is done as well, of shape (n, nq).

        The thing is shifted and turned; physics decides where it comes to rest, and the world
        whether that is a success.
        """
        world = self._world(shot.episode.task)
        seed = int(shot.episode.seed or 0)
        rng = np.random.default_rng([seed, 0xE2D5])
        found: list[Floats] = []
        for _ in range(tries):
            world.reset(seed)
            pose = _moved(world, shot.poses[-1], thing, rng, shift_m)
            if pose is not None:
                found.append(pose)
            if len(found) == count:
                break
        return np.array(found).reshape(len(found), shot.poses.shape[1])

    def _world(self, task: str) -> World:
        if task not in self._worlds:
            self._worlds[task] = World(plugins.find("assay.worlds.tasks", task)())
        return self._worlds[task]

    def _dressed(self, shot: Shot, look: tuple[Perturbation, ...]) -> tuple[World, Renderer]:
        """Return the world of a shot in that look, and its renderer."""
        task, seed = shot.episode.task, int(shot.episode.seed or 0)
        world = self._world(task)
        if (world.seed, world.perturbations) != (seed, look):
            world.reset(seed, look)
        if task not in self._renderers:
            made = Renderer(world, SIZE, QUALITY)
            self._renderers[task] = self._stack.enter_context(made)
        return world, self._renderers[task]


def _moved(
    world: World, pose: Floats, thing: str, rng: np.random.Generator, shift_m: float
) -> Floats | None:
    """Return where things come to rest after one was moved; None when the task is not done."""
    world.data.qpos[:] = pose
    world.data.qvel[:] = 0.0
    joint = world.data.joint(thing)
    joint.qpos[:2] += rng.uniform(-shift_m, shift_m, 2)
    yaw = rng.uniform(-np.pi, np.pi)
    joint.qpos[3:] = (np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2))
    hands = [world.state.hand(arm.side) for arm in world.robot.arms]
    # Stay there, with open hands.
    action = np.array([number for hand in hands for number in (*hand.joint_position, 1.0)])
    for _ in range(_SETTLE_STEPS):
        world.step(action)
    level = float(world.state.matrix(thing)[2, 2]) > np.cos(_FLAT_RAD)
    return np.array(world.data.qpos) if world.success() and level else None
