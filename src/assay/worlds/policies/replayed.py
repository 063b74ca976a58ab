"""Replayed: plays the actions of a recorded episode, whatever happens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from assay.episodes import catalogue
from assay.errors import EpisodeError, InputError, UsageError
from assay.records import Episode, Floats
from assay.worlds.policies._cloned.lessons import rate_of
from assay.worlds.policies.base import Observation
from assay.worlds.tasks.base import Task
from assay.worlds.world import CONTROL_HZ

__all__ = ["Replayed"]


@dataclass(frozen=True)
class Replayed:
    """Play the actions of a dataset's first episode and look at nothing, as a null.

    Attributes:
        path: A dataset whose actions are joint targets, such as a rollout.
    """

    path: str = ""

    needs: ClassVar[frozenset[str]] = frozenset({"demonstration"})

    def check(self, task: Task, views: Sequence[str], limit_s: float) -> None:  # noqa: ARG002 - it looks at nothing
        """Raise what would end every attempt: no recording."""
        self._recorded()

    def actor(self, task: Task, seed: int) -> _ReplayedActor:
        """Return an actor that plays the recording."""
        del task, seed  # it looks at nothing, and nothing is left to chance
        return _ReplayedActor(self._recorded())

    def _recorded(self) -> Floats:
        if not self.path:
            raise UsageError("The policy replayed plays a recording: --set path=DATASET names it.")
        return _actions(Path(self.path))


class _ReplayedActor:
    """Play actions of shape (N, A), then hold the last one; the memory counts them."""

    def __init__(self, actions: Floats) -> None:
        self._actions, self._done = actions, 0

    @property
    def finished(self) -> bool:
        """Tell whether the recording is over."""
        return self._done >= len(self._actions)

    def reset(self, instruction: str) -> None:  # noqa: ARG002 - the recording knows what to do
        """Begin anew."""
        self._done = 0

    def save(self) -> int:
        """Return how much was played."""
        return self._done

    def restore(self, saved: int) -> None:
        """Go back to there."""
        self._done = saved

    def act(self, observation: Observation) -> Floats:  # noqa: ARG002 - it does not look
        """Return one action, of shape (1, A)."""
        row = min(self._done, len(self._actions) - 1)
        self._done += 1
        return self._actions[row : row + 1].copy()


@lru_cache(maxsize=4)
def _actions(path: Path) -> Floats:
    """Return the actions of the first episode, one for each control step, of shape (N, A)."""
    found = [one for _, one in catalogue.read_all([catalogue.Source(path)], limit=1)]
    episode = found[0] if found else None
    if not isinstance(episode, Episode) or "action" not in episode.signals:
        raise InputError("its first episode holds no actions to play.", path)
    try:
        hold = CONTROL_HZ // rate_of(episode)
    except EpisodeError as error:
        raise InputError(f"can't be played: {error}.", path) from error
    return np.repeat(np.asarray(episode.signals["action"].values, np.float64), hold, axis=0)
