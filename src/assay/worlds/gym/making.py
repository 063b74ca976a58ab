"""Make an environment by its id, or by a factory of one's own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay import plugins
from assay.errors import AssayError, MissingExtraError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from gymnasium import Env

__all__ = ["PREFIX", "Maker", "require_gymnasium"]

PREFIX = "gym:"
_MODE = "rgb_array"


def require_gymnasium() -> None:
    """Import Gymnasium.

    Raises:
        MissingExtraError: It is not installed.
    """
    try:
        import gymnasium  # noqa: F401 - only to see that it is there
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            "A Gymnasium environment", error.name or "gymnasium", "gym"
        ) from error


@dataclass(frozen=True)
class Maker:
    """Make environments, all alike. Can be pickled if `source` can.

    Attributes:
        source: `ENV_ID`, `module:ENV_ID` for one that importing the module registers,
            `module:factory`, or the factory itself. Only a person may type a name.
        keywords: What the environment is made with.
        films: Whether it is to be drawn.
    """

    source: str | Callable[..., Any]
    keywords: tuple[tuple[str, Any], ...] = ()
    films: bool = True

    @property
    def label(self) -> str:
        """Return what messages call the environment."""
        if isinstance(self.source, str):
            return f"{PREFIX}{self.source}"
        module, name = (getattr(self.source, a, "?") for a in ("__module__", "__qualname__"))
        return f"{PREFIX}{module}:{name}"

    @property
    def module(self) -> str:
        """Return the module that a name or a factory comes from; empty for a plain id."""
        return self.label.removeprefix(PREFIX).rpartition(":")[0]

    def __call__(self) -> Env[Any, Any]:
        """Return a new environment.

        Raises:
            UsageError: It can't be made, or can't be drawn though it is to be.
        """
        import gymnasium

        try:
            env = self._made()
        except AssayError:
            raise
        except (Exception, SystemExit) as error:
            what = f"{type(error).__name__}: {error}"
            hint = "" if "render_mode" not in what else "; --views none does without pictures"
            raise UsageError(f"{self.label} can't be made ({what}){hint}.") from error
        if not isinstance(env, gymnasium.Env):
            raise UsageError(f"{self.label} made {type(env).__name__}, which is no gymnasium.Env.")
        if self.films and env.render_mode != _MODE:
            raise UsageError(
                f"{self.label} can't be drawn: its render_mode is {env.render_mode!r}, and "
                f"{_MODE!r} is needed. A factory takes `render_mode` and hands it on; --views none "
                "does without pictures."
            )
        return env

    def _made(self) -> Env[Any, Any]:
        import gymnasium

        keywords = dict(self.keywords)
        factory = _factory(self.source)
        if self.films and (factory is None or _takes_mode(factory)):
            keywords = {"render_mode": _MODE, **keywords}
        if factory is not None:
            made: Env[Any, Any] = factory(**keywords)
            return made
        # Gymnasium's checker would warn of habits that are no trouble here.
        return gymnasium.make(str(self.source), disable_env_checker=True, **keywords)


def _factory(source: str | Callable[..., Any]) -> Callable[..., Any] | None:
    """Return the factory, or None for an id that Gymnasium is to look up."""
    if not isinstance(source, str):
        return source
    if ":" not in source:
        return None
    try:
        found: Callable[..., Any] = plugins.find("assay.worlds", source, outside=True)
    except UnknownNameError:  # the module is there, and has registered ids of its own
        return None
    if not callable(found):
        raise UsageError(f"{PREFIX}{source} is no factory: it can't be called.")
    return found


def _takes_mode(factory: Callable[..., Any]) -> bool:
    """Tell whether a factory has a parameter `render_mode`, or takes any."""
    parameters = inspect.signature(factory).parameters.values()
    return any(p.name == "render_mode" or p.kind is p.VAR_KEYWORD for p in parameters)
