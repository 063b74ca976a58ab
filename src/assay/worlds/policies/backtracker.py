"""Backtracker: undoes what it has done."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assay.records import Floats
from assay.worlds.policies._flawed import LapsingActor, chance, check_strength, in_steps
from assay.worlds.policies.base import Observation
from assay.worlds.state import State
from assay.worlds.tasks.base import Task

__all__ = ["Backtracker"]

_LASTS_S = (1.5, 2.5)


@dataclass(frozen=True)
class Backtracker:
    """Do the task right, but go back the way it came, with what it carries, and begin again.

    Attributes:
        strength: How likely it is to go back, each time that it carries, pulls or pushes
            something; 0 is the expert.
    """

    strength: float = 0.9

    def __post_init__(self) -> None:
        check_strength(self, self.strength)

    def actor(self, task: Task, seed: int) -> LapsingActor:
        """Return an actor that undoes its own work."""
        return _BacktrackerActor(task, chance(self, task, seed), self.strength, _LASTS_S)


class _BacktrackerActor(LapsingActor):
    """In a lapse, play the latest commands backwards; the expert goes on from where that ends."""

    def act(self, observation: Observation) -> Floats:
        """Act, and remember what the expert did."""
        action = super().act(observation)
        if not self.own.left:
            kept = (*self.own.past, self.expert.save())[-in_steps(_LASTS_S[1]) :]
            self.own = replace(self.own, past=kept)
        return action

    def lapse(self, state: State) -> Floats:
        """Return the command before the latest one."""
        *earlier, last = self.own.past
        self.expert.restore(last)
        self.own = replace(self.own, past=tuple(earlier) or (last,))
        return self.expert.stay(state)
