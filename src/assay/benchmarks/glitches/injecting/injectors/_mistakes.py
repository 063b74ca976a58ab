"""Attempts in which somebody does something wrong, and when that is to be seen."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors.base import Level, Needs, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared
from assay.benchmarks.glitches.injecting.take import Take
from assay.errors import EpisodeError
from assay.worlds.policies._scripted import ScriptedActor
from assay.worlds.tasks.base import Aim, Task, Wrong

__all__ = [
    "Mistaken",
    "OfActing",
    "first_touch",
    "last_move",
    "marked",
    "named",
    "odd_moves",
    "touched_from",
    "under_way",
]

_BEFORE_S = 0.3  # a hand is seen to go for a thing so long before it touches it
_LEAST_S = 0.3


class OfActing:
    """An injector that lets somebody else act than the expert; there is one way to do so."""

    needs: ClassVar[Needs] = "acting"
    which: ClassVar[Which] = "first"


class Mistaken(OfActing):
    """An injector whose actor has a script with something wrong from the start.

    Attributes:
        wrong: What is wrong.
    """

    wrong: ClassVar[Wrong]

    def suits(self, task: Task) -> bool:
        """Say yes if the task can be done wrong in this way."""
        return self.wrong in task.wrongs

    def actor(self, task: Task, seed: int, level: Level) -> ScriptedActor:  # noqa: ARG002 - a wrong thing is wrong
        """Return an actor that makes the mistake."""
        return ScriptedActor(task, Aim(wrong=self.wrong))


def odd_moves(take: Take, wrong: Wrong) -> set[str]:
    """Return the moves that the script with a mistake has, and the expert's has not."""
    task = take.world.task
    right = {move.name for move in task.script(Aim())}
    return {move.name for move in task.script(Aim(wrong=wrong))} - right


def under_way(take: Take, names: set[str]) -> list[int]:
    """Return the frames in which one of some moves is under way."""
    return [int(n) for n in np.flatnonzero(np.isin(take.trace.moves, sorted(names)))]


def last_move(take: Take, begins: str) -> list[int]:
    """Return the frames of the last move of that kind, such as "let go", whoever's hand does it."""
    kinds = [name for name in dict.fromkeys(take.trace.moves.tolist()) if begins in name]
    return under_way(take, {kinds[-1]}) if kinds else []


def first_touch(clip: Prepared, after: int = 0, name: str = "") -> int:
    """Return the frame in which a hand begins to go for what it touches first.

    Args:
        clip: The attempt.
        after: The first frame that counts.
        name: What is touched; empty for anything.

    Raises:
        EpisodeError: It touches nothing.
    """
    found = clip.attempt.trace.touched
    touched = found[name] if name else np.any(list(found.values()), axis=0)
    frames = np.flatnonzero(touched[after:])
    if not len(frames):
        raise EpisodeError("nothing is touched")
    return max(int(frames[0]) + after - round(_BEFORE_S * clip.fps), after)


def touched_from(clip: Prepared, start: int, name: str = "") -> tuple[str, int]:
    """Return what a hand touches first from a frame on, and one past the last frame that it does.

    Args:
        clip: The attempt.
        start: The first frame that counts.
        name: What is touched; empty for anything.

    Raises:
        EpisodeError: It touches nothing.
    """
    found = clip.attempt.trace.touched
    frames = {n: np.flatnonzero(found[n][start:]) for n in ([name] if name else found)}
    first = min((n for n in frames if len(frames[n])), key=lambda n: frames[n][0], default=None)
    if first is None:
        raise EpisodeError("nothing is touched")
    return first, start + int(frames[first][-1]) + 1


def named(take: Take, name: str) -> str:
    """Return how a person names a thing, or a part of a fixture, or what a move is about."""
    last = name.rpartition(" ")[2]
    return take.words(last) if last in take.world.state.things else last.replace("-", " ")


def marked(clip: Prepared, start: int, stop: int, said: str, *, failed: bool = True) -> Injected:
    """Return the attempt as it is, with what is wrong in it.

    Args:
        clip: The attempt.
        start: The first frame that shows the mistake.
        stop: One past the last.
        said: What is to be seen.
        failed: Whether the attempt must have failed.

    Raises:
        EpisodeError: The attempt was a success after all, or the mistake is hardly to be seen.
    """
    if failed and clip.attempt.trace.success:
        raise EpisodeError("the attempt was a success after all")
    if stop - start < round(_LEAST_S * clip.fps):
        raise EpisodeError("the mistake is hardly to be seen")
    return Injected(clip.frames, start, min(stop, len(clip)), said)
