"""Record an attempt at a Gymnasium environment, sampled at an even rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from assay.records import Episode, Floats, Series
from assay.worlds.gym.session import GymSession

__all__ = ["GYMNASIUM", "record", "scene_of"]

GYMNASIUM: Final = "gymnasium"
"""What episodes call the world."""


def scene_of(task: str, seed: int) -> str:
    """Return what two policies share when they are compared pair by pair."""
    return f"{GYMNASIUM}/{task}/{seed}/plain"


def record(session: GymSession, policy: str, on_sample: Callable[[], None]) -> Episode:
    """Let a session that has begun run to its end and return the episode, without views.

    The first sample is taken before the first step. The action beside a sample is the one that
    follows it; the last one repeats the one before. Rewards and success are those of the step that
    led to the sample. When the environment ends an attempt between two samples, what it has come to
    is held until the next one is due.

    Args:
        session: Who acts where.
        policy: What the episode calls the policy.
        on_sample: Called at every sample, to film it.
    """
    columns: dict[str, list[Any]] = {}
    actions: list[Floats] = []
    while True:
        for name, value in _sample(session).items():
            columns.setdefault(name, []).append(value)
        on_sample()
        if session.finished:
            return _episode(session, policy, columns, actions)
        for nth in range(session.reading.stride):
            action = session.step()
            if nth == 0:
                actions.append(action)
            if session.over:
                break


def _sample(session: GymSession) -> dict[str, Any]:
    """Return the present moment."""
    found: dict[str, Any] = {
        "reward": session.reward,
        "return": session.total,
        "success": bool(session.success),
    }
    if session.reading.options.full_reward is not None:
        found["reward_share"] = session.reward / session.reading.options.full_reward
    if session.reading.observes:
        found["state"] = session.observed()
    return found


def _episode(
    session: GymSession, policy: str, columns: dict[str, list[Any]], actions: list[Floats]
) -> Episode:
    reading, count = session.reading, len(columns["success"])
    times = np.arange(count) / reading.fps
    values = {name: np.array(column) for name, column in columns.items()}
    values["action"] = np.array([*actions, *actions[-1:]])
    return Episode(
        id=f"{policy}/{reading.task}-{session.seed:04d}",
        task=reading.task,
        instruction=reading.options.instruction,
        signals={name: Series(times, column) for name, column in values.items()},
        outcome=session.outcome(),
        policy=policy,
        world=GYMNASIUM,
        # What a seed does not bring back can't be shared.
        scene=scene_of(reading.task, session.seed) if reading.repeats else None,
        perturbation="none",
        seed=session.seed,
    )
