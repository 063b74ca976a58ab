"""Actors for the benchmark: experts whose script is changed in one place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from assay.worlds.moves import Move
from assay.worlds.policies._scripted import ScriptedActor
from assay.worlds.tasks.base import Aim, Task

__all__ = ["following", "regrasping"]


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
