"""Where attempts are played for the benchmark: worlds and renderers, made once a task."""

from __future__ import annotations

import weakref
from contextlib import ExitStack
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from assay import plugins
from assay.benchmarks.glitches.injecting.prepared import Prepared
from assay.benchmarks.glitches.injecting.take import Take, Trace, camera_noise
from assay.errors import EpisodeError
from assay.records import Floats
from assay.worlds.look import moves
from assay.worlds.policies.base import Actor
from assay.worlds.rendering import Renderer
from assay.worlds.session import ACT_LIMIT_S, Session
from assay.worlds.state import gripper_of
from assay.worlds.tasks.base import Task
from assay.worlds.watch import Watch
from assay.worlds.world import CONTROL_HZ, World

__all__ = ["FPS", "Stage"]

FPS: Final = 15
LONGEST_S: Final = 6.5
"""What takes longer is played faster, at an even pace: a clip shows an attempt to its end."""

_SHORTEST_S = 2.0
_QUALITY = "good"


class Stage:
    """Play attempts and prepare clips of them.

    Args:
        size: Width and height of the pictures [pixels].
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._tasks: dict[str, Task] = {}
        self._worlds: dict[str, World] = {}
        self._renderers: dict[str, Renderer] = {}
        self._watch = Watch(ACT_LIMIT_S)
        self._stack = ExitStack()
        # The engine drops a worker without a word.
        weakref.finalize(self, self._stack.close).atexit = False

    def task(self, name: str) -> Task:
        """Return the task of that name; no world is made for it yet."""
        if name not in self._tasks:
            self._tasks[name] = plugins.find("assay.worlds.tasks", name)()
        return self._tasks[name]

    def prepare(
        self, task: str, actor: Actor, seed: int, view: str, *, pace: float, noise: int
    ) -> Prepared:
        """Let an actor try a task; it is filmed when the pictures are wanted.

        Args:
            task: What is to be done.
            actor: Who tries.
            seed: Of the scene.
            view: The camera.
            pace: How many times faster than in truth it is shown, at least; a long attempt is shown
                faster still.
            noise: The seed of the camera's noise.

        Raises:
            EpisodeError: The attempt is too short for a clip.
        """
        world = self._world(task)
        rows, poses, success = _acted(Session(world, actor, watch=self._watch), seed)
        seconds = (len(poses) - 1) / CONTROL_HZ
        pace = max(pace, seconds / LONGEST_S)
        if seconds / pace < _SHORTEST_S:
            raise EpisodeError(f"an attempt of {seconds:g} s is too short")
        moments = np.arange(0.0, len(poses) - 1, CONTROL_HZ * pace / FPS)
        rng = np.random.default_rng([noise, 0x6117])
        field, shifts = camera_noise(rng, self._size, len(moments))
        take = Take(
            world=world,
            renderer=self._renderer(task, world),
            view=view,
            poses=_between(poses, moments),
            trace=_trace(rows, moments, success=success),
            noise=field,
            shifts=shifts,
        )
        return Prepared(float(FPS), world.task.instruction, moves(view), take)

    def _world(self, name: str) -> World:
        if name not in self._worlds:
            self._worlds[name] = World(self.task(name))
        return self._worlds[name]

    def _renderer(self, name: str, world: World) -> Renderer:
        if name not in self._renderers:
            made = Renderer(world, self._size, _QUALITY)
            self._renderers[name] = self._stack.enter_context(made)
        return self._renderers[name]


def _acted(session: Session, seed: int) -> tuple[list[dict[Any, Any]], Floats, bool]:
    """Let an actor act to the end; return what was known and where all was at every step."""
    session.reset(seed)
    world = session.world
    rows, poses = [_row(session)], [np.array(world.data.qpos)]
    while not session.finished:
        session.step()
        rows.append(_row(session))
        poses.append(np.array(world.data.qpos))
    return rows, np.array(poses), session.success


def _row(session: Session) -> dict[Any, Any]:
    """Return what the simulator knows of the present moment."""
    world, state = session.world, session.world.state
    hands = {arm.side: state.hand(arm.side) for arm in world.robot.arms}
    names = (*state.things, *world.task.fixtures)
    expert = getattr(session.actor, "expert", session.actor)
    move = getattr(expert, "move", None)
    return {
        **{("position", name): state.position(name) for name in names},
        **{("held", name): state.held(name) for name in state.things},
        **{("touched", name): state.touching("gripper", name) for name in names},
        **{
            ("by", gripper_of(arm), name): state.touching(gripper_of(arm), name)
            for arm in world.robot.arms
            for name in names
        },
        **{("tool", side): hand.position("tool") for side, hand in hands.items()},
        **{("opening", side): hand.opening for side, hand in hands.items()},
        "move": move.name if move is not None else "",
        "done": session.done,
        "progress": world.progress(),
    }


def _trace(rows: list[dict[Any, Any]], moments: Floats, *, success: bool) -> Trace:
    nearest = np.rint(moments).astype(int)

    def column(key: Any) -> npt.NDArray[Any]:  # noqa: ANN401 - a key of a row
        return np.array([rows[number][key] for number in nearest])

    def columns(kind: str) -> dict[Any, npt.NDArray[Any]]:
        keys = [key for key in rows[0] if isinstance(key, tuple) and key[0] == kind]
        return {key[1] if len(key) == 2 else key[1:]: column(key) for key in keys}

    return Trace(
        positions=columns("position"),
        held=columns("held"),
        touched=columns("touched"),
        touched_by=columns("by"),
        tools=columns("tool"),
        opening=columns("opening"),
        moves=column("move"),
        done=column("done"),
        progress=column("progress"),
        success=success,
    )


def _between(poses: Floats, moments: Floats) -> Floats:
    """Return the poses at fractional steps; MuJoCo makes the rotations whole again."""
    before = np.floor(moments).astype(int)
    after = np.minimum(before + 1, len(poses) - 1)
    share = (moments - before)[:, None]
    return np.asarray((1.0 - share) * poses[before] + share * poses[after])
