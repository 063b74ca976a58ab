"""Do one attempt at a Gymnasium environment: the unit of work of such a rollout."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.episodes.lerobot.writing.clip import ClipWriter
from assay.errors import HarnessFault
from assay.jobs._attempts import Attempt, Attempting, Done, with_views
from assay.worlds.asking import make_actor
from assay.worlds.gym.base import GymActor, GymPolicy
from assay.worlds.gym.making import Maker
from assay.worlds.gym.reading import Reading
from assay.worlds.gym.recording import record
from assay.worlds.gym.session import GymSession
from assay.worlds.recording import most_samples
from assay.worlds.watch import Watch

if TYPE_CHECKING:
    from gymnasium import Env

__all__ = ["GymAttempts"]


@dataclass(frozen=True)
class GymAttempts:
    """What all attempts of a rollout share. Can be pickled.

    Attributes:
        root: The dataset's folder.
        maker: Makes the environment, once a process.
        reading: How it is read.
        policies: Who tries, by name.
        act_limit_s: The most that a policy may take for one answer [s].
    """

    root: Path
    maker: Maker
    reading: Reading
    policies: Mapping[str, GymPolicy]
    act_limit_s: float

    @property
    def fps(self) -> float:
        """Return the samples a second."""
        return self.reading.fps

    @property
    def views(self) -> tuple[str, ...]:
        """Return what is filmed."""
        return self.reading.views

    @property
    def robot_type(self) -> str:
        """Return what the dataset calls the robot."""
        return self.reading.options.robot

    @property
    def has_subtasks(self) -> bool:
        """Tell that nothing is known of parts of the task."""
        return False

    @property
    def title(self) -> dict[str, Any]:
        """Return what all attempts are about."""
        told = {"task": self.reading.task, "instruction": self.reading.options.instruction}
        return {**told, "perturbation": None}

    def attempter(self) -> Attempting:
        """Return who does attempts, in the process that calls this."""
        return _GymAttempter(self)


class _GymAttempter(Attempting):
    """Do attempts in one environment, which is made anew after a fault of its own."""

    def __init__(self, shared: GymAttempts) -> None:
        super().__init__(shared.root)
        self._shared = shared
        self._watch = Watch(shared.act_limit_s)
        self._env: Env[Any, Any] | None = None

    def _done(self, attempt: Attempt) -> Done:
        shared = self._shared
        env = self._environment()
        session = GymSession(
            env, shared.reading, self._actor(attempt, env), attempt.policy, self._watch
        )
        most = most_samples(shared.reading.options.limit_s, shared.fps)
        writers = {
            view: ClipWriter(shared.root, view, attempt.number, shared.fps, most)
            for view in shared.views
        }
        try:
            session.begin(attempt.seed)
            with _filming(session, writers) as film:
                episode = record(session, attempt.policy, film)
                clips = {view: writer.close() for view, writer in writers.items()}
        except HarnessFault:
            self._env = None  # it may be out of order
            raise
        return Done(with_views(episode, shared.root, clips, {}), clips)

    def _environment(self) -> Env[Any, Any]:
        if self._env is None:
            self._env = self._shared.maker()
            # The engine drops a worker without a word.
            weakref.finalize(self, self._env.close).atexit = False
        return self._env

    def _actor(self, attempt: Attempt, env: Env[Any, Any]) -> GymActor:
        policy = self._shared.policies[attempt.policy]
        return make_actor(
            attempt.policy, attempt.seed, lambda: policy.actor(env.action_space, attempt.seed)
        )


@contextmanager
def _filming(
    session: GymSession, writers: Mapping[str, ClipWriter]
) -> Iterator[Callable[[], None]]:
    """Give a function that films the present moment; leave nothing half done behind."""

    def film() -> None:
        if writers:
            for view, picture in session.pictures().items():
                writers[view].add(picture)

    try:
        yield film
    finally:
        for writer in writers.values():
            writer.discard()
