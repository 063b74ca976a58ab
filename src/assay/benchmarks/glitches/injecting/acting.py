"""Actors for the benchmark: experts whose script is changed in one place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from assay.errors import EpisodeError
from assay.worlds.moves import Move, Pose, never
from assay.worlds.policies._scripted import ScriptedActor
from assay.worlds.policies.base import Actor
from assay.worlds.policies.frozen import Frozen
from assay.worlds.state import State
from assay.worlds.tasks.base import Aim, Task

__all__ = ["beside_grasp", "cut_after", "first_step", "following", "regrasping", "resting"]


@dataclass(frozen=True)
class _Told:
    """Just enough of a task for a scripted actor: its script."""

    moves: tuple[Move, ...]

    def script(self, aim: Aim) -> tuple[Move, ...]:  # noqa: ARG002 - the moves are chosen already
        return self.moves


def following(moves: tuple[Move, ...]) -> ScriptedActor:
    """Return an actor that follows these moves."""
    return ScriptedActor(cast("Task", _Told(moves)), Aim())


def regrasping(task: Task) -> ScriptedActor:
    """Return an expert that opens its hand again after the first grasp, and takes hold anew."""
    moves = list(task.script(Aim()))
    grasp = next((n for n, move in enumerate(moves) if "close on" in move.name), None)
    if grasp is not None:
        close = moves[grasp]
        again = (
            replace(close, name=f"open at {close.name}", opening=1.0, hold_s=0.35),
            replace(close, name=f"{close.name} again"),
        )
        moves[grasp + 1 : grasp + 1] = again
    return following(tuple(moves))


def beside_grasp(task: Task, far_m: float) -> ScriptedActor:
    """Return an actor that closes its hand so far beside the first thing, lifts it and stops."""
    above, down, close, lift = task.script(Aim())[:4]
    aside = [replace(move, where=_aside(move.where, far_m)) for move in (above, down, close)]
    rise = replace(lift, where=_higher(aside[2].where), lost=never)
    return following((*aside, rise))


def cut_after(task: Task, kind: str) -> ScriptedActor:
    """Return an expert that stops for good after its first move of a kind, such as "lift".

    Raises:
        EpisodeError: The task has no such move.
    """
    moves = task.script(Aim())
    found = [number for number, move in enumerate(moves) if kind in move.name]
    if not found:
        raise EpisodeError(f"the expert of {task.name} has no move {kind!r}")
    return following(moves[: found[0] + 1])


def first_step(task: Task) -> ScriptedActor:
    """Return an expert that stops for good when its hand leaves what it has done first."""
    return cut_after(task, "leave")


def resting(task: Task, seed: int) -> Actor:
    """Return an actor that does not move, for as long as the task may take."""
    return Frozen(1.0).actor(task, seed)


def _aside(where: Callable[[State], Pose], far_m: float) -> Callable[[State], Pose]:
    """Return a target so far beside another one, across the fingers, so that they touch nothing."""

    def target(state: State) -> Pose:
        pose = where(state)
        x, y = far_m * np.cos(pose.yaw), far_m * np.sin(pose.yaw)
        return replace(pose, x=pose.x + float(x), y=pose.y + float(y))

    return target


def _higher(where: Callable[[State], Pose]) -> Callable[[State], Pose]:
    """Return a target straight above another one."""

    def target(state: State) -> Pose:
        pose = where(state)
        return replace(pose, z=pose.z + 0.12)

    return target
