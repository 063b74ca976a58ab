"""What the policies with known flaws share: an expert inside, and chance drawn at the start."""

from __future__ import annotations

import math
import zlib
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from assay.errors import UsageError
from assay.records import Floats
from assay.worlds.moves import Move, never
from assay.worlds.policies._scripted import Memory, ScriptedActor
from assay.worlds.policies.base import Observation
from assay.worlds.state import State
from assay.worlds.tasks.base import Aim, Task
from assay.worlds.world import CONTROL_HZ

__all__ = ["Carrying", "FlawedActor", "LapsingActor", "chance", "check_strength", "in_steps"]

Own = TypeVar("Own")

_CARRIES = 64  # more than any attempt has time for
_SOONEST_S = 0.15
_MEAN_S = 0.3


def check_strength(policy: object, strength: float) -> None:
    """Refuse a strength outside 0..1."""
    if not 0.0 <= strength <= 1.0:
        raise UsageError(
            f"The strength of {type(policy).__name__} must lie between 0 (as the expert) and 1, "
            f"not {strength:g}."
        )


def chance(policy: object, task: Task, seed: int) -> np.random.Generator:
    """Return the generator of one attempt; policies and tasks with the same seed draw apart."""
    words = (type(policy).__name__, task.name)
    return np.random.default_rng([seed, *(zlib.crc32(word.encode()) for word in words)])


def in_steps(seconds: float) -> int:
    """Return the number of control steps that last about so long, at least 1."""
    return max(round(seconds * CONTROL_HZ), 1)


class FlawedActor(ABC, Generic[Own]):
    """An expert with something wrong.

    All chance is drawn before the first step. So the whole memory is the expert's and `own`, a
    value that never changes in place.

    Attributes:
        expert: Who acts when the flaw does not.
        own: What the flaw remembers.
    """

    def __init__(self, task: Task, start: Own) -> None:
        self.expert = ScriptedActor(task, Aim())
        self.own = self._start = start

    def reset(self, instruction: str) -> None:
        """Begin anew, with the same chance."""
        self.expert.reset(instruction)
        self.own = self._start

    def save(self) -> tuple[Memory, Own]:
        """Return the whole memory."""
        return self.expert.save(), self.own

    def restore(self, saved: tuple[Memory, Own]) -> None:
        """Put it back."""
        memory, self.own = saved
        self.expert.restore(memory)

    @property
    def finished(self) -> bool:
        """Tell whether nothing more will be done."""
        return self.expert.finished

    @abstractmethod
    def act(self, observation: Observation) -> Floats:
        """Return one action, of shape (1, A)."""


@dataclass(frozen=True, slots=True)
class Carrying:
    """What is remembered of carries and of the lapses in them.

    Attributes:
        number: How many carries are over.
        steps: Control steps since the present one began.
        left: Control steps that the present lapse still lasts.
        past: Where the expert was at its latest steps, oldest first; kept by who goes back there.
    """

    number: int = 0
    steps: int = 0
    left: int = 0
    past: tuple[Memory, ...] = ()


class LapsingActor(FlawedActor[Carrying]):
    """An expert that has lapses while it carries, pulls or pushes something.

    A carry is a stretch of moves that rely on what the closed hand holds or touches. It has a lapse
    with the probability `strength`, 0.15 s after it began or later, 0.45 s on average; many a carry
    is over before that.

    Args:
        task: What to do.
        rng: Where chance comes from.
        strength: How likely a carry is to have a lapse.
        lasts_s: The least and the greatest duration of a lapse [s].
    """

    def __init__(
        self,
        task: Task,
        rng: np.random.Generator,
        strength: float,
        lasts_s: tuple[float, float],
    ) -> None:
        super().__init__(task, Carrying())
        fails = rng.random(_CARRIES) < strength
        after = _SOONEST_S + rng.exponential(_MEAN_S, _CARRIES)
        self._after_s = [float(s) if f else math.inf for s, f in zip(after, fails, strict=True)]
        self._lasts = [in_steps(s) for s in rng.uniform(*lasts_s, _CARRIES)]

    def act(self, observation: Observation) -> Floats:
        """Act as the expert does, or go on with the lapse."""
        self._watch()
        if not self.own.left:
            return self.expert.act(observation)
        self.own = replace(self.own, left=self.own.left - 1)
        return self.lapse(observation.truth)

    @abstractmethod
    def lapse(self, state: State) -> Floats:
        """Return one action of a lapse, of shape (1, A)."""

    def _watch(self) -> None:
        """Count carries, and begin a lapse when its time has come."""
        own = self.own
        if own.left:
            return
        if not self.carried():
            if own.steps:
                self.own = replace(own, number=own.number + 1, steps=0)
            return
        steps, number = own.steps + 1, min(own.number, _CARRIES - 1)
        if steps >= self._after_s[number] * CONTROL_HZ:
            # What is left of the carry afterwards, if anything, is one of its own.
            self.own = replace(own, number=own.number + 1, steps=0, left=self._lasts[number])
        else:
            self.own = replace(own, steps=steps)

    def carried(self) -> tuple[Move, ...]:
        """Return what closed hands do in the present move that can fail."""
        move = self.expert.move
        parts = () if move is None else move.parts
        return tuple(part for part in parts if part.lost is not never and part.opening < 0.5)
