"""One attempt at a Gymnasium environment, step by step, until it is over."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import AssayError, HarnessFault, PolicyFault
from assay.records import Floats, Image
from assay.worlds.asking import ask
from assay.worlds.gym.base import GymActor
from assay.worlds.gym.numbers import numbers_of
from assay.worlds.gym.pictures import pictures_of
from assay.worlds.gym.reading import Reading
from assay.worlds.watch import Watch

if TYPE_CHECKING:
    from gymnasium import Env

__all__ = ["GymSession"]


class GymSession:
    """An actor in an environment.

    Attributes:
        reading: How the environment is read.
        seed: What the scene was drawn from.
        steps: Steps since the start.
        reward: What the last step gave; 0 before the first.
        total: The sum of all rewards so far.
        success: What the environment said after the last step; None when it said nothing.
        over: Whether the environment has ended the attempt.

    Args:
        env: Where to act.
        reading: How it is read.
        actor: Who acts.
        name: What faults call the policy.
        watch: Watches over the actor's calls.
    """

    def __init__(
        self, env: Env[Any, Any], reading: Reading, actor: GymActor, name: str, watch: Watch
    ) -> None:
        self._env, self.reading, self._actor = env, reading, actor
        self._name, self._watch = name, watch
        self.seed = self.steps = self._held = 0
        self.reward = self.total = 0.0
        self.success: bool | None = None
        self.over = False

    def begin(self, seed: int) -> None:
        """Draw the scene of `seed` and tell the actor what to do; once for each session."""
        self.seed = seed
        self._observed, self._info = self._call("reset", lambda: self._env.reset(seed=seed))
        self._ask("reset", self._actor.reset, self.reading.options.instruction)

    def step(self) -> Floats:
        """Do one step and return the action's numbers, of shape (A,), as the actor sent them.

        Raises:
            PolicyFault: The actor raised, took too long, or returned no action.
            HarnessFault: The environment raised, or its reward is no number.
        """
        # Some actors write into what they are given.
        action = self._ask("act", self._actor.act, copy.deepcopy(self._observed))
        action, numbers = self._checked(action)
        inside = self._env.action_space.contains(action)
        self._observed, reward, terminated, truncated, self._info = self._call(
            "step", lambda: self._env.step(action), inside=inside
        )
        self.steps += 1
        self.reward = self._number(reward)
        self.total += self.reward
        self.over = bool(terminated) or bool(truncated)
        self.success = self.reading.flag.read(
            reward=self.reward, terminated=bool(terminated), info=self._info
        )
        self._held = self._held + 1 if self.success else 0
        return numbers

    @property
    def time(self) -> float:
        """Return the time since the start [s]."""
        return self.steps / self.reading.hz

    @property
    def finished(self) -> bool:
        """Tell whether the attempt ends here: by the environment, by time, or by success held."""
        hold = self.reading.options.hold_s
        # The first step of a success has held for no time yet.
        held = hold is not None and self._held > hold * self.reading.hz
        return self.over or held or self.time >= self.reading.options.limit_s

    def outcome(self) -> bool:
        """Return what the environment said of success after the last step.

        Raises:
            HarnessFault: It said nothing.
        """
        if self.success is None:
            keys = ", ".join(repr(str(key)) for key in self._info) or "no keys"
            raise HarnessFault(
                f"The environment's last `info` {self._when()} has no {self.reading.flag.name!r}, "
                f"but {keys}: what tells success is named by --set success=..."
            )
        return self.success

    def observed(self) -> Floats:
        """Return the present observation as numbers, of shape (N,).

        Raises:
            HarnessFault: One of them is not finite.
        """
        found = self._call(
            "observe", lambda: numbers_of(self._env.observation_space, self._observed)
        )
        if not np.isfinite(found).all():
            raise HarnessFault(f"The environment's observation is not finite {self._when()}.")
        return np.asarray(found, dtype=np.float64)

    def pictures(self) -> dict[str, Image]:
        """Return what is seen now, by view."""
        return pictures_of(self._call("render", self._env.render), self.reading.views)

    def _when(self) -> str:
        return f"with {self._name!r} on seed {self.seed} at {self.time:g} s"

    def _ask(self, what: str, call: Callable[..., Any], given: object) -> Any:  # noqa: ANN401 - checked by the caller
        return ask(self._watch, what, self._when(), call, given)

    def _call(self, what: str, call: Callable[[], Any], *, inside: bool = True) -> Any:  # noqa: ANN401 - as the environment says
        """Call the environment and word what goes wrong: its own fault, if the action is one."""
        try:
            return call()
        except AssayError:
            raise
        except (Exception, SystemExit) as error:
            words = f"{type(error).__name__}: {error}"
            if not inside:
                raise PolicyFault(
                    f"The policy returned an action outside of the action space {self._when()}, "
                    f"and the environment raised {words}.",
                    "shape",
                ) from error
            raise HarnessFault(
                f"The environment raised {words} when asked to {what} {self._when()}."
            ) from error

    def _number(self, reward: Any) -> float:  # noqa: ANN401 - whatever the environment gave
        try:
            found = float(reward)
        except (TypeError, ValueError):
            found = math.nan
        if not math.isfinite(found):
            raise HarnessFault(f"The environment's reward is {reward!r} {self._when()}.")
        return found

    def _checked(self, answer: Any) -> tuple[Any, Floats]:  # noqa: ANN401 - whatever an actor returns
        """Return the action as the space wants it, and its numbers.

        A number beyond a bound is passed on: what it comes to is the environment's business.
        """
        from gymnasium import spaces

        space = self._env.action_space
        action = answer
        try:
            if isinstance(space, spaces.Box):
                action = np.asarray(answer, dtype=space.dtype)
                fits = action.shape == space.shape
            else:
                fits = space.contains(action)
            numbers = numbers_of(space, action) if fits else None
        except Exception:  # noqa: BLE001 - a lazy array can raise anything
            numbers = None
        if numbers is None:
            raise PolicyFault(
                f"The policy returned {_shown(answer)} {self._when()}; an action of {space} is "
                "needed.",
                "shape",
            )
        if not np.isfinite(numbers).all():
            raise PolicyFault(
                f"The policy returned an action that is not finite {self._when()}.", "not_finite"
            )
        return action, numbers


def _shown(answer: Any) -> str:  # noqa: ANN401 - whatever an actor returns
    """Return an answer in a few words."""
    shape = getattr(answer, "shape", None)
    return f"an array of shape {shape}" if shape else f"{answer!r:.40}"
