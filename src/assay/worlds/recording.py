"""Record an attempt: every signal of the data model, sampled at an even rate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import UsageError
from assay.records import Episode, Floats, Segment, Series
from assay.worlds.labels import phase, primitive
from assay.worlds.session import Session
from assay.worlds.state import GRIPPER, TABLE, State, gripper_of
from assay.worlds.world import CONTROL_HZ, World

__all__ = ["contact_pairs", "most_samples", "movable", "record", "stride_of"]

STILL_RAD_S = 0.005  # no joint is faster, and
STILL_M_S = 0.001  # no object is, for
STILL_S = 0.5  # at least so long: a still stretch


def stride_of(fps: int) -> int:
    """Return how many control steps lie between two samples.

    Raises:
        UsageError: The rate does not divide the rate of control.
    """
    if fps < 1 or CONTROL_HZ % fps:
        allowed = ", ".join(str(n) for n in range(1, CONTROL_HZ + 1) if CONTROL_HZ % n == 0)
        raise UsageError(f"--fps must divide {CONTROL_HZ}: one of {allowed}, not {fps}.")
    return CONTROL_HZ // fps


def most_samples(limit_s: float, fps: float) -> int:
    """Return how many samples an attempt of at most `limit_s` can have."""
    return int(np.ceil(limit_s * fps - 1e-9)) + 1


def contact_pairs(world: World) -> tuple[tuple[str, str], ...]:
    """Return the pairs whose force is recorded: the same for every episode of a task.

    The grippers with everything, things with each other, with fixtures and with the table. What a
    perturbation adds is left out, since other episodes have no such columns. Of two arms the
    grippers are "gripper-left" and "gripper-right".
    """
    things = [thing.name for thing in world.task.things]
    others = [*things, *world.task.fixtures, TABLE]
    return (
        *((gripper_of(arm), other) for arm in world.robot.arms for other in others),
        *combinations(things, 2),
        *((thing, other) for thing in things for other in (*world.task.fixtures, TABLE)),
    )


def record(session: Session, fps: int, policy: str, on_sample: Callable[[], None]) -> Episode:
    """Let a session that was reset run to its end and return the episode, without views.

    The first sample is taken before anything moves and the last one when the attempt is over,
    which is looked at when a sample is due. The action beside a sample is the one that follows it;
    the last one repeats the one before.

    Args:
        session: Who acts where.
        fps: Samples a second; divides the rate of control.
        policy: What the episode calls the policy.
        on_sample: Called at every sample, to film it.
    """
    stride, recorder = stride_of(fps), _Recorder(session)
    while True:
        recorder.sample()
        on_sample()
        if session.finished:
            return recorder.episode(fps, policy)
        for step in range(stride):
            action = session.step()
            recorder.passed()
            if step == 0:
                recorder.actions.append(action)


class _Recorder:
    """What was seen so far."""

    def __init__(self, session: Session) -> None:
        self._session, self._world = session, session.world
        self._pairs = contact_pairs(self._world)
        self._movable = movable(self._world)
        self._objects = [t.name for t in self._world.task.things] + [*self._world.task.fixtures]
        self._columns: dict[str, list[Any]] = {}
        self._counts: list[int] = []
        self._ends: list[float] = []
        self.actions: list[Floats] = []
        self.passed()

    def passed(self) -> None:
        """Note the subgoals that hold for the first time."""
        while len(self._ends) < self._session.done:
            self._ends.append(self._session.time)

    def sample(self) -> None:
        """Take down the present moment."""
        state, session = self._world.state, self._session
        found: dict[str, Any] = {
            "progress": self._world.progress(session.done),
            "success": session.success,
        }
        for arm in self._world.robot.arms:
            seen = self._arm(state.hand(arm.side))
            found |= {arm.signal(name): value for name, value in seen.items()}
        for name in self._objects:
            found[f"object.{name}.position"] = state.position(name)
            found[f"object.{name}.rotation"] = state.rotation(name)
        for one, other in self._pairs:
            found[f"contact.{one}.{other}"] = state.force(one, other)
        for name, value in found.items():
            self._columns.setdefault(name, []).append(value)
        self._counts.append(session.done)

    def _arm(self, state: State) -> dict[str, Any]:
        """Return the signals of the arm that sees `state`."""
        position, rotation = state.tool_in_base()
        force, torque = state.wrench()
        return {
            "joint_position": state.joint_position,
            "joint_velocity": state.joint_velocity,
            "joint_torque": state.joint_torque,
            "ee_position": position,
            "ee_rotation": rotation,
            "gripper_opening": state.opening,
            "force": force,
            "torque": torque,
            "contact": any(state.touching(GRIPPER, name) for name in self._movable),
            "phase": phase(state, self._movable),
            "primitive": primitive(state, self._movable),
        }

    def episode(self, fps: int, policy: str) -> Episode:
        """Return all of it as an episode."""
        world, task = self._world, self._world.task
        count = len(self._columns["progress"])
        times = np.arange(count) / fps
        actions = [*self.actions, *self.actions[-1:]][:count]
        columns: dict[str, npt.NDArray[Any]] = {
            name: np.array(values) for name, values in self._columns.items()
        }
        columns["action"] = np.array(actions)
        return Episode(
            id=_id(policy, world),
            task=task.name,
            instruction=self._session.instruction,
            signals={name: Series(times, values) for name, values in columns.items()},
            segments=(*self._segments(), *_stills(columns, times, np.array(self._counts))),
            plan=tuple(subgoal.name for subgoal in task.subgoals),
            outcome=self._session.success,
            policy=policy,
            world=world.name,
            scene=world.scene,
            perturbation=world.perturbation or "none",
            seed=world.seed,
        )

    def _segments(self) -> tuple[Segment, ...]:
        """Return the subtasks that were done, each from the end of the one before."""
        names = [subgoal.name for subgoal in self._world.task.subgoals]
        starts = [0.0, *self._ends]
        return tuple(
            Segment(name, start, end)
            for name, start, end in zip(names, starts, self._ends, strict=False)
        )


def _stills(
    columns: dict[str, npt.NDArray[Any]], times: Floats, counts: npt.NDArray[np.int64]
) -> Iterator[Segment]:
    """Yield the stretches in which nothing moves: they tell how much the potential trembles.

    A subgoal that is done or undone ends a stretch: the potential jumps there, and rightly so.
    """
    slow = np.ones(len(times), dtype=bool)
    for name, values in columns.items():
        if name.partition(".")[0] == "joint_velocity":
            slow &= np.abs(values).max(axis=1) < STILL_RAD_S
        if name.startswith("object.") and name.endswith(".position"):
            gaps = np.linalg.norm(np.diff(values, axis=0, prepend=values[:1]), axis=1)
            slow &= gaps < STILL_M_S * (times[1] if len(times) > 1 else 1.0)
    kinds = np.where(slow, counts, -1)
    edges = np.flatnonzero(np.diff(kinds, prepend=-2, append=-2))
    for first, past in pairwise(edges):
        start, end = float(times[first]), float(times[past - 1])
        if slow[first] and end - start >= STILL_S:
            yield Segment("still", start, end, "still")


def _id(policy: str, world: World) -> str:
    """Return a name that the attempt's matched control, without the perturbation, has not."""
    changed = f"@{world.perturbation}" if world.perturbation else ""
    return f"{policy}/{world.task.name}-{world.seed:04d}{changed}"


def movable(world: World) -> list[str]:
    """Return the things, those of a perturbation too, and the fixtures that move, like a drawer."""
    names = [*world.state.things, *world.task.fixtures]
    welded = world.model.body_weldid  # 0: fixed to the room
    return [name for name in names if int(welded[int(world.model.body(name).id)])]
