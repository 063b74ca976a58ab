"""What a policy for a Gymnasium environment is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from gymnasium import Space

__all__ = ["GymActor", "GymPolicy"]


@runtime_checkable
class GymActor(Protocol):
    """Someone who acts. A class with these two methods can be named as `module:Class`.

    A plain function from observation to action, `module:function`, will do too.
    """

    def reset(self, instruction: str) -> None:
        """Begin an attempt."""
        ...

    def act(self, observation: Any) -> Any:  # noqa: ANN401 - as the environment's spaces say
        """Return the next action for a copy of the environment's own observation."""
        ...


class GymPolicy(Protocol):
    """Makes actors; can be pickled."""

    def actor(self, space: Space[Any], seed: int) -> GymActor:
        """Return the actor of one attempt; every random choice comes from `seed`."""
        ...
