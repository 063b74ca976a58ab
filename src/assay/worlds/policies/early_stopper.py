"""Early-stopper: gives up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.records import Floats
from assay.worlds.policies._flawed import FlawedActor, chance, check_strength
from assay.worlds.policies.base import Observation
from assay.worlds.progress import potential, spans
from assay.worlds.tasks.base import Task

__all__ = ["EarlyStopper"]


@dataclass(frozen=True)
class EarlyStopper:
    """Begin as the expert does, then give up and stay where it is.

    Attributes:
        strength: The share of the task that it leaves undone, up to a tenth less; 0 is the expert.
    """

    strength: float = 0.85

    def __post_init__(self) -> None:
        check_strength(self, self.strength)

    def actor(self, task: Task, seed: int) -> FlawedActor[_Effort]:
        """Return an actor that gives up."""
        return _EarlyStopperActor(task, chance(self, task, seed), self.strength)


@dataclass(frozen=True, slots=True)
class _Effort:
    """What is remembered: every subgoal's distance at the start, and whether it has given up."""

    whole: tuple[float, ...] = ()
    over: bool = False


class _EarlyStopperActor(FlawedActor[_Effort]):
    """Hold the last action for good once Phi* has come to a drawn level."""

    def __init__(self, task: Task, rng: np.random.Generator, strength: float) -> None:
        super().__init__(task, _Effort())
        self._subgoals = task.subgoals
        self._level = 1.0 - strength * float(rng.uniform(0.9, 1.0))

    @property
    def finished(self) -> bool:
        """Tell whether it has given up, or is done."""
        return self.own.over or self.expert.finished

    def act(self, observation: Observation) -> Floats:
        """Act as the expert does until it gives up."""
        state = observation.truth
        whole = self.own.whole or spans(self._subgoals, state)
        enough = self._level < 1.0 and potential(self._subgoals, whole, state) >= self._level
        self.own = _Effort(whole, over=self.own.over or enough)
        return self.expert.stay(state) if self.own.over else self.expert.act(observation)
