"""Make policies for Gymnasium environments by name, those of other packages too."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay import plugins
from assay.errors import UnknownNameError, UsageError
from assay.worlds.gym.base import GymActor, GymPolicy
from assay.worlds.gym.random import RandomActions
from assay.worlds.policies._making import OutsidePolicy

if TYPE_CHECKING:
    from gymnasium import Space

__all__ = ["RANDOM", "OutsideActions", "make_gym_policy"]

RANDOM = "random"


def make_gym_policy(
    name: str, options: Mapping[str, str] | None = None, *, outside: bool = False
) -> GymPolicy:
    """Make a policy by name.

    Args:
        name: "random", or `module:object`.
        options: Its options, as text.
        outside: Whether `module:object` is imported. Only for what a person typed.
    """
    chosen = dict(options or {})
    if name == RANDOM:
        drawing: GymPolicy = plugins.configure(RandomActions, chosen)
        return drawing
    if ":" not in name or not outside:
        raise UnknownNameError(
            "policy for a Gymnasium environment", name, [RANDOM, "module:Class", "module:function"]
        )
    found = plugins.find("assay.worlds.policies", name, outside=True)
    if not _acts(found) and not (callable(found) and not inspect.isclass(found)):
        raise UsageError(
            f"{name} is no policy: it needs the methods `reset` and `act`, or is a function from "
            "observation to action."
        )
    if chosen and not inspect.isclass(found):
        raise UsageError(f"{name} is made already: --set can't change it.")
    return OutsideActions(OutsidePolicy(name, tuple(sorted(chosen.items()))))


@dataclass(frozen=True)
class OutsideActions:
    """A class with `reset` and `act`, or a function, in another package.

    Attributes:
        outside: Where it is and what it is made with; each process makes one object of it.
    """

    outside: OutsidePolicy

    def actor(self, space: Space[Any], seed: int) -> GymActor:  # noqa: ARG002 - it is told by `reset` and `act`
        """Return the object of this process."""
        made: Any = self.outside.made()
        return made if _acts(made) else _Calling(made)


@dataclass(frozen=True)
class _Calling:
    """A function from observation to action as an actor."""

    function: Callable[[Any], Any]

    def reset(self, instruction: str) -> None:
        """Do nothing: a function has no memory."""

    def act(self, observation: Any) -> Any:  # noqa: ANN401 - as the environment's spaces say
        return self.function(observation)


def _acts(found: Any) -> bool:  # noqa: ANN401 - whatever a module holds
    return all(callable(getattr(found, method, None)) for method in ("reset", "act"))
