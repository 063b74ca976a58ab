"""Film attempts at chosen moments only: physics first, then the pictures that are wanted."""

from __future__ import annotations

import io
import json
import weakref
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from assay.benchmarks.footage.draws import TASKS, Draw, draw
from assay.episodes.lerobot.writing.clip import LIVE
from assay.episodes.recoding import recoded
from assay.episodes.shrinking import shrink
from assay.judges.prm_mini._clips import POINTS, STEPS
from assay.records import Camera, Floats, Image
from assay.worlds.rendering import Renderer
from assay.worlds.robots.base import Robot
from assay.worlds.session import Session
from assay.worlds.tasks.base import Task
from assay.worlds.world import CONTROL_HZ, Snapshot, World

__all__ = ["MOMENTS", "Film", "Filmer", "telling_moments"]

MOMENTS: Final = 20
_AIMS: Final = frozenset(  # fixtures that an instruction means
    (
        "basket",
        "box",
        "pad",
        "pad-left",
        "pad-middle",
        "pad-right",
        "post",
        "red-button",
        "red-handle",
        "red-knob",
        "socket",
        "zone",
    )
)
_PLACE_UNIT: Final = 0.1  # [m]
_TELLING: Final = 6.0  # a change of progress by 1 counts as much as so many episode lengths


@dataclass(frozen=True)
class Film:
    """How to film.

    Attributes:
        folder: Where the pictures go, one file an attempt.
        size: Width and height of a picture [pixels].
        tasks: The tasks to draw from.
        robot: Who acts; empty: the usual robots, and a second one now and then.
        every_s: Time between two pictures [s] of attempts that look as rollouts do; None takes a
            few telling moments of attempts in many colours.
    """

    folder: Path
    size: int
    tasks: tuple[str, ...] = TASKS
    robot: str = ""
    every_s: float | None = None

    @property
    def kind(self) -> str:
        """Return what tells this kind of footage from others."""
        return "footage" if self.every_s is None else f"footage, every {self.every_s} s"


@dataclass(frozen=True, eq=False)
class _Trace:
    """An attempt without pictures: joint positions, progress and state of every control step."""

    poses: Floats
    progress: Floats
    states: list[Snapshot]
    success: bool


class Filmer:
    """Do and film one attempt after the other; worlds and renderers are made once.

    Args:
        film: How to film.
    """

    def __init__(self, film: Film) -> None:
        self._film = film
        self._worlds: dict[tuple[str, str], World] = {}
        self._renderers: dict[tuple[str, str, str, int], Renderer] = {}
        self._stack = ExitStack()
        weakref.finalize(self, self._stack.close).atexit = False

    def __call__(self, seed: int) -> bytes:
        """Return what is to know of the attempt of `seed` as JSON; its pictures are in a file."""
        film = self._film
        drawn = draw(seed, film.tasks, usual=film.every_s is not None, robot=film.robot)
        world = self._world(drawn.task, drawn.robot)
        trace = _acted(world, drawn)
        moments = self._moments(seed, trace.progress)
        pictures, points, places = self._pictures(world, drawn, trace.poses[moments])
        facts = [
            _facts(world, trace.states[at], own) for at, own in zip(moments, places, strict=True)
        ]
        _store(film.folder / f"{seed}.npy", pictures)
        about: dict[str, Any] = {
            "seed": seed,
            "task": drawn.task.name,
            "instructions": [drawn.task.instruction, *drawn.task.paraphrases],
            "robot": drawn.robot.name,
            "policy": drawn.policy,
            "perturbation": world.perturbation,
            "views": drawn.views,
            "success": trace.success,
            "moments": moments.tolist(),
            "values": np.round(trace.progress[moments], 6).tolist(),
            "points": np.round(points, 4).tolist(),
            "facts": np.round(facts, 4).tolist(),
        }
        return json.dumps(about).encode()

    def _moments(self, seed: int, progress: Floats) -> Any:  # noqa: ANN401 - integers (T,)
        if self._film.every_s is None:
            return telling_moments(progress, np.random.default_rng([seed, 0xF17A]))
        return np.arange(0, len(progress), round(self._film.every_s * CONTROL_HZ))

    def _world(self, task: Task, robot: Robot) -> World:
        key = (task.name, robot.name)
        if key not in self._worlds:
            self._worlds[key] = World(task, robot)
        world = self._worlds[key]
        world.task = task  # the same in other colours, which a reset paints
        return world

    def _renderer(self, world: World, drawn: Draw) -> Renderer:
        size = round(drawn.finer * self._film.size)
        key = (world.task.name, world.robot.name, drawn.quality, size)
        if key not in self._renderers:
            made = Renderer(world, size, drawn.quality)
            self._renderers[key] = self._stack.enter_context(made)
        return self._renderers[key]

    def _pictures(self, world: World, drawn: Draw, poses: Floats) -> tuple[Image, Floats, Floats]:
        """Return pictures, points in them and the places of these in the world.

        Of shape (V, T, S, S, 3), (V, T, P, 2) in -1..1 or beyond, and (T, P, 3).
        """
        renderer = self._renderer(world, drawn)
        side = renderer.size
        pictures = np.empty((len(drawn.views), len(poses), side, side, 3), dtype=np.uint8)
        points = np.full((*pictures.shape[:2], POINTS, 2), np.nan)
        places = np.full((len(poses), POINTS, 3), np.nan)
        bodies = [*_tools(world), *(_body(world, name) for name in _named(world.task))][:POINTS]
        for moment, pose in enumerate(poses):
            renderer.follow(pose)
            spots = np.array([spot(renderer.data) for spot in bodies])
            places[moment, : len(spots)] = spots / _PLACE_UNIT
            for number, view in enumerate(drawn.views):
                pictures[number, moment] = renderer.rgb(view)
                seen = _project(renderer.camera(view), spots, renderer.size)
                points[number, moment, : len(seen)] = seen
        return np.stack([self._kept(own, drawn.crf) for own in pictures]), points, places

    def _kept(self, pictures: Image, crf: int | None) -> Image:
        """Return the pictures of a view as small as they are kept, most often out of a video.

        What a judge sees comes out of one, too: fingers that open by a pixel or two look otherwise
        there, and all is a little darker.
        """
        if crf is None:
            return np.stack([shrink(own, self._film.size) for own in pictures])
        name, options = LIVE
        return recoded(pictures, (name, {**options, "crf": str(crf)}), self._film.size)


def _acted(world: World, drawn: Draw) -> _Trace:
    """Let the policy act to the end."""
    session = Session(world, drawn.actor.actor(drawn.task, drawn.seed), drawn.policy)
    session.reset(drawn.seed, drawn.perturbations)
    poses, progress, states = [np.array(world.data.qpos)], [world.progress()], [world.save()]
    while not session.finished:
        session.step()
        poses.append(np.array(world.data.qpos))
        progress.append(world.progress(session.done))
        states.append(world.save())
    return _Trace(np.array(poses), np.array(progress), states, session.success)


def _facts(world: World, state: Snapshot, places: Floats) -> Floats:
    """Return the facts of a moment, of shape (FACTS,); `places`, of shape (P, 3), are the first."""
    world.restore(state)
    hands = np.full(2, np.nan)
    hands[: len(world.robot.arms)] = [world.state.hand(a.side).opening for a in world.robot.arms]
    steps = np.full((2, STEPS), np.nan)
    for row, own in zip(steps, world.subgoals(), strict=True):
        row[: len(own)] = own
    return np.concatenate([places.flatten(), hands, steps.flatten()])


def telling_moments(progress: Floats, rng: np.random.Generator, count: int = MOMENTS) -> Any:  # noqa: ANN401 - integers (count,)
    """Return moments to look at, first and last among them, more where progress changes.

    They are spread evenly over time plus change: a drop that takes a tenth of a second has moments
    of its own, before and after.
    """
    change = np.abs(np.diff(progress))
    whole = np.concatenate([[0.0], np.cumsum(1.0 / max(len(change), 1) + _TELLING * change)])
    inner = (np.arange(count - 2) + rng.random(count - 2)) / (count - 2) * whole[-1]
    moments = np.searchsorted(whole, inner, side="left")
    return np.concatenate([[0], np.clip(moments, 0, len(progress) - 1), [len(progress) - 1]])


def _tools(world: World) -> list[Any]:
    """Return the functions that tell where the hands are, of the renderer's own data."""
    sites = [int(world.model.site(arm.part("tool")).id) for arm in world.robot.arms]
    return [partial(_site, site) for site in sites]


def _site(number: int, data: Any) -> Floats:  # noqa: ANN401 - mujoco.MjData
    return np.array(data.site_xpos[number])


def _named(task: Task) -> list[str]:
    """Return the things that the task is about, and where they go or what is moved."""
    things = [thing.name for thing in task.things if not thing.distractor]
    return things + [name for name in task.fixtures if name in _AIMS]


def _body(world: World, name: str) -> Any:  # noqa: ANN401 - a function of mujoco.MjData
    """Return the function that tells where something is, of the renderer's own data."""
    number = int(world.model.body(name).id)
    return lambda data: np.array(data.xpos[number])


def _project(camera: Camera, spots: Floats, size: int) -> Floats:
    """Return where `spots`, of shape (P, 3), are in the picture, the middle being (0, 0)."""
    pose = camera.world_from_camera
    local = (spots - pose[:3, 3]) @ pose[:3, :3]
    pixels = local @ camera.intrinsics.T
    flat = pixels[:, :2] / np.where(np.abs(pixels[:, 2:]) > 1e-6, pixels[:, 2:], 1e-6)
    return np.asarray(np.clip((flat + 0.5) / size * 2 - 1, -2.0, 2.0))


def _store(path: Path, pictures: Image) -> None:
    """Write a file that is either whole or not there."""
    body = io.BytesIO()
    np.save(body, pictures, allow_pickle=False)
    part = path.with_suffix(".part")
    part.write_bytes(body.getvalue())
    part.replace(path)
