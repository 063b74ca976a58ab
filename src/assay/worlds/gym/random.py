"""The null policy: actions drawn from the environment's action space."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.worlds.gym.base import GymActor

if TYPE_CHECKING:
    from gymnasium import Space

__all__ = ["RandomActions"]


@dataclass(frozen=True)
class RandomActions:
    """Draw every action from the action space, whatever is seen."""

    def actor(self, space: Space[Any], seed: int) -> GymActor:
        """Return an actor whose draws depend on `seed` alone."""
        return _Drawing(copy.deepcopy(space), seed)


@dataclass(frozen=True)
class _Drawing:
    space: Space[Any]
    seed: int

    def reset(self, instruction: str) -> None:  # noqa: ARG002 - it does not listen
        self.space.seed(self.seed)

    def act(self, observation: object) -> Any:  # noqa: ANN401, ARG002 - any action, whatever is seen
        return self.space.sample()
