"""Make policies by name, those of other packages too."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from assay import plugins
from assay.errors import UsageError
from assay.worlds.policies._cloned.card import is_cloned
from assay.worlds.policies.base import Actor, Policy
from assay.worlds.tasks.base import Task

__all__ = ["OutsidePolicy", "forget", "make_policy"]

_FOLDER = "assay.worlds.policies"


def make_policy(
    name: str, options: Mapping[str, Any] | None = None, *, outside: bool = False
) -> Policy:
    """Make a policy by name.

    Args:
        name: The name of a policy, or the folder of one that `assay train policy` made; one on a
            server may be followed by its address, as in `websocket@ws://localhost:8000`.
        options: Its options, as text or values.
        outside: Whether `module:Class` is imported. Only for what a person typed, never for what a
            file or a web request says.
    """
    chosen = dict(options or {})
    if outside and is_cloned(Path(name)):
        name, chosen = "cloned", {"path": name, **chosen}
    name, at, url = name.partition("@")
    found = plugins.find(_FOLDER, name, outside=outside)
    if at:
        chosen["url"] = _address_for(name, found, url)
    if inspect.isclass(found) and dataclasses.is_dataclass(found) and hasattr(found, "actor"):
        policy: Policy = plugins.configure(found, chosen)
        return policy
    if not all(callable(getattr(found, method, None)) for method in ("reset", "act")):
        raise UsageError(f"{name} is no policy: it needs the methods `reset` and `act`.")
    if chosen and not inspect.isclass(found):
        raise UsageError(f"{name} is an object, made already: --set can't change it.")
    return OutsidePolicy(name, tuple(sorted(chosen.items())))


def _address_for(name: str, found: object, url: str) -> str:
    """Return `url`, unless the policy is on no server."""
    if not hasattr(found, "url"):
        raise UsageError(f"{name} is on no server: it takes no address, such as {url!r}.")
    return url


@dataclass(frozen=True)
class OutsidePolicy:
    """A class with `reset` and `act` in another package; each process makes one object of it.

    Attributes:
        target: `module:Class`, or `module:object` for one that is made already.
        options: What the class is called with, as text.
    """

    target: str
    options: tuple[tuple[str, Any], ...] = field(default=())

    def actor(self, task: Task, seed: int) -> Actor:  # noqa: ARG002 - it is told by `reset` and `act`
        """Return the object of this process: weights are loaded once, `reset` begins an attempt."""
        actor: Actor = self.made()
        return actor

    def made(self) -> Any:  # noqa: ANN401 - whatever the other package has
        """Return the object of this process."""
        return _made(self.target, self.options)


def forget() -> None:
    """Drop the objects of this process: a call that was given up may still be busy in one."""
    _made.cache_clear()


@lru_cache(maxsize=8)
def _made(target: str, options: tuple[tuple[str, Any], ...]) -> Any:  # noqa: ANN401 - see `made`
    actor: Any = plugins.find(_FOLDER, target, outside=True)
    return actor(**dict(options)) if inspect.isclass(actor) else actor
