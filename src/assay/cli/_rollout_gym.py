"""The options of `assay rollout gym:...`: what is meant for the environment, what for a policy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay import plugins
from assay.errors import UsageError
from assay.worlds.gym.making import PREFIX

if TYPE_CHECKING:
    from assay.jobs.rollout import RolloutResult

__all__ = ["notes", "refuse_own", "roll_out"]

_ENV = "env"


def refuse_own(options: Mapping[str, object]) -> None:
    """Refuse what only the tabletop world has."""
    for name, value in options.items():
        if value:
            raise UsageError(
                f"{name} is for Assay's own world: how a Gymnasium environment looks is said by "
                "what it is made with, --set env.KEY=value."
            )


def roll_out(
    task: str,
    policies: Mapping[str, str],
    options: Mapping[str, str],
    **settings: Any,  # noqa: ANN401 - those of GymRolloutSettings that need no parsing
) -> RolloutResult:
    """Roll policies out in an environment.

    Args:
        task: "gym:" and what names the environment.
        policies: Their names by label.
        options: What `--set` says: `field` of the environment's reading, `env.KEY` for what it is
            made with, `LABEL.field` for a policy.
        settings: Further settings of the job.
    """
    from assay.jobs.rollout_gym import GymRolloutSettings, rollout_gym
    from assay.worlds.gym.policies import make_gym_policy
    from assay.worlds.gym.reading import GymOptions

    if _ENV in policies:
        raise UsageError(f"No policy can be called {_ENV!r}: --set {_ENV}.KEY=value is taken.")
    own: dict[str, dict[str, str]] = {label: {} for label in policies}
    keywords: dict[str, Any] = {}
    reading: dict[str, str] = {}
    for name, value in options.items():
        label, dot, rest = name.rpartition(".")
        if not dot:
            reading[name] = value
        elif label == _ENV:
            keywords[rest] = _value(value)
        elif label in own:
            own[label][rest] = value
        else:
            raise UsageError(f"--set {name}: no policy {label!r} was asked for.")
    made = {
        label: make_gym_policy(name, own[label], outside=True) for label, name in policies.items()
    }
    return rollout_gym(
        GymRolloutSettings(
            environment=task.removeprefix(PREFIX),
            policies=made,
            keywords=keywords,
            options=plugins.configure(GymOptions, reading),
            **settings,
        )
    )


def notes(document: Mapping[str, Any]) -> list[str]:
    """Return what a reader has to know of the environment; nothing of Assay's own world."""
    task = document["settings"]["task"]
    if "environment" not in task:
        return []
    told = [f"Success is {task['success']} of {task['environment']} after the last step."]
    if not task["repeats"]:
        told.append(
            "The same seed gave two different beginnings: scenes are not shared, so policies can't "
            "be compared pair by pair."
        )
    return told


def _value(text: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return a number, true, false, null or a list that JSON can read; else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text
