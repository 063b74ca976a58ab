"""One attempt: an actor in a world, step by step, until it is over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from assay.errors import HarnessFault, PolicyFault, UsageError
from assay.records import Floats
from assay.worlds.asking import ask
from assay.worlds.perturbations.base import Perturbation
from assay.worlds.policies.base import Actor, Leaving, Observation, Restorable
from assay.worlds.robots.base import width
from assay.worlds.watch import Watch
from assay.worlds.world import CONTROL_HZ, Snapshot, World

__all__ = ["ACT_LIMIT_S", "Moment", "Session"]

ACT_LIMIT_S: Final = 30.0
_GREATEST: Final = float(np.finfo(np.float32).max)  # datasets keep actions as float32
HELD_STEPS: Final = CONTROL_HZ // 2
"""An attempt is over when success has held for so many steps after the first one: 0.5 s."""

IDLE_STEPS: Final = CONTROL_HZ
"""An actor that has said it is finished for longer than this, 1 s, has given up."""


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """A moment of a session, enough to go on from bit by bit; can be pickled.

    Attributes:
        world: The moment of the world.
        actor: The actor's memory.
        pending: Actions it has decided on that are not done yet, of shape (n, A).
        steps: Control steps since the start.
        held: Steps for which success has held, the first one included.
        idle: Steps for which the actor has called itself finished.
        over: Whether it did so when it last acted.
    """

    world: Snapshot
    actor: Any
    pending: Floats
    steps: int
    held: int
    idle: int
    over: bool


class Session:
    """An actor in a world.

    Attributes:
        world: Where it acts.
        actor: Who acts.
        instruction: What the actor was told.
        steps: Control steps since the start.
        done: How many subgoals hold, from the first on.

    Args:
        world: Where to act.
        actor: Who acts.
        name: What faults call the policy.
        watch: Watches over the actor's calls; None for one of 30 s.
    """

    def __init__(
        self, world: World, actor: Actor, name: str = "policy", watch: Watch | None = None
    ) -> None:
        self.world, self.actor, self.name = world, actor, name
        self._watch = watch or Watch(ACT_LIMIT_S)
        self._width = width(world.robot)
        self._pending: Floats = np.empty((0, self._width))
        self.instruction = world.task.instruction
        self.steps = self.done = self._held = self._idle = 0
        self._over = False

    def reset(
        self,
        seed: int,
        perturbations: Sequence[Perturbation] = (),
        instruction: str | None = None,
    ) -> None:
        """Draw the scene of `seed` and tell the actor what to do: the task's own instruction."""
        self.world.reset(seed, perturbations)
        self._pending = self._pending[:0]
        self.steps = self._held = self._idle = 0
        self._over = False
        self.instruction = self.world.task.instruction if instruction is None else instruction
        self._ask("reset", self.actor.reset, self.instruction)
        self._look()

    def step(self) -> Floats:
        """Do one control step and return the action, of shape (A,), as the actor sent it.

        Raises:
            PolicyFault: The actor raised, took too long, or returned no action.
            HarnessFault: The simulator lost the thread.
        """
        if not len(self._pending):
            answer, self._over = self._ask("act", self._act, self.world.observe())
            self._pending = self._checked(answer)
        action: Floats = self._pending[0]
        self._pending = self._pending[1:]
        self.world.step(action)
        self.steps += 1
        if self.world.diverged():
            raise HarnessFault(f"The physics of {self.world.scene} diverged {self._when()}.")
        self._look()
        self._held = self._held + 1 if self.success else 0
        self._idle = self._idle + 1 if self._over else 0
        return action

    @property
    def time(self) -> float:
        """Return the time since the start [s]."""
        return self.steps / CONTROL_HZ

    @property
    def success(self) -> bool:
        """Tell whether the task is done at this moment."""
        return self.done == len(self.world.task.subgoals)

    @property
    def finished(self) -> bool:
        """Tell whether the attempt is over: success has held, time is up, or it was given up."""
        return (
            self._held > HELD_STEPS
            or self.time >= self.world.task.limit_s
            or self._idle > IDLE_STEPS
        )

    def save(self) -> Moment:
        """Return this moment.

        Raises:
            UsageError: The actor's memory can't be saved.
        """
        memory = self._restorable().save()
        return Moment(
            world=self.world.save(),
            actor=memory,
            pending=self._pending.copy(),
            steps=self.steps,
            held=self._held,
            idle=self._idle,
            over=self._over,
        )

    def restore(self, moment: Moment) -> None:
        """Go back to a moment that this session, or one like it, has saved.

        Like it: of the same task, with an actor that the same policy made for the same seed. What
        a policy draws when it makes an actor is not part of the actor's memory.
        """
        actor = self._restorable()
        self.world.restore(moment.world)
        actor.restore(moment.actor)
        self._pending = moment.pending.copy()
        self.steps, self._held, self._idle = moment.steps, moment.held, moment.idle
        self._over = moment.over
        self._look()

    def close(self) -> None:
        """Let the actor end what it holds open for the attempt."""
        if isinstance(self.actor, Leaving):
            self.actor.end_attempt()

    def _look(self) -> None:
        self.done = self.world.subgoals_done()

    def _restorable(self) -> Restorable:
        if not isinstance(self.actor, Restorable):
            raise UsageError(
                f"The policy {self.name!r} can't be saved or restored: it has no methods `save` "
                "and `restore`."
            )
        return self.actor

    def _when(self) -> str:
        return f"with {self.name!r} on seed {self.world.seed} at {self.time:g} s"

    def _ask(self, what: str, call: Callable[..., Any], given: object) -> Any:  # noqa: ANN401 - checked by the caller
        return ask(self._watch, what, self._when(), call, given)

    def _act(self, observation: Observation) -> tuple[Any, bool]:
        """Return what the actor does, and whether it calls itself finished; under the watch."""
        chunk, told = self.actor.act(observation), getattr(self.actor, "finished", False)
        return chunk, isinstance(told, bool | np.bool_) and bool(told)

    def _checked(self, answer: Any) -> Floats:  # noqa: ANN401 - whatever an actor returns
        """Return the chunk of actions, of shape (n, A), n >= 1."""
        try:
            given = np.array(answer, ndmin=2)
            if given.dtype.kind not in "iuf" or np.ma.isMaskedArray(answer):
                raise TypeError
            chunk = given.astype(np.float64)
        except Exception:  # noqa: BLE001 - a lazy array can raise anything
            raise PolicyFault(
                f"The policy returned {type(answer).__name__}, which is no array of numbers, "
                f"{self._when()}.",
                "shape",
            ) from None
        if chunk.ndim != 2 or chunk.shape[1] != self._width or not len(chunk):
            raise PolicyFault(
                f"The policy returned actions of shape {np.shape(answer)} {self._when()}; "
                f"({self._width},) or (n, {self._width}) with n >= 1 is needed.",
                "shape",
            )
        if not (np.abs(chunk) < _GREATEST).all():  # a NaN is not below it either
            raise PolicyFault(
                f"The policy returned an action that is not finite {self._when()}.", "not_finite"
            )
        return chunk
