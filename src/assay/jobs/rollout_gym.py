"""Roll out policies in a Gymnasium environment and keep the attempts as a LeRobot dataset."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from assay.errors import MissingLibraryError, UsageError
from assay.jobs._described import code_of, described, plain
from assay.jobs._gym_attempts import GymAttempts
from assay.jobs._seeds import seeds_asked, seeds_in_words
from assay.jobs.rollout import RolloutResult, carry_out
from assay.worlds.gl import choose
from assay.worlds.gym.base import GymPolicy
from assay.worlds.gym.making import Maker, require_gymnasium
from assay.worlds.gym.policies import RANDOM, OutsideActions, make_gym_policy
from assay.worlds.gym.reading import GymOptions, try_out
from assay.worlds.session import ACT_LIMIT_S

__all__ = ["GymRolloutSettings", "rollout_gym"]


@dataclass(frozen=True)
class GymRolloutSettings:
    """What to roll out and how.

    Attributes:
        out: The run directory; the dataset is in it.
        environment: `ENV_ID`, `module:ENV_ID`, `module:factory`, or a factory.
        policies: Policies by the name that episodes give them.
        keywords: What the environment is made with.
        options: How it is read.
        seeds: One attempt for each and every policy; text such as "0:50" will do.
        fps: Samples and frames a second; None takes one at every step.
        views: The pictures that are kept; None keeps all, and empty needs no rendering.
        act_timeout: The most that a policy may take for one answer [s].
        jobs: Workers; None takes one a core.
    """

    out: Path
    environment: str | Callable[..., Any]
    policies: Mapping[str, GymPolicy] = field(
        default_factory=lambda: {RANDOM: make_gym_policy(RANDOM)}
    )
    keywords: Mapping[str, Any] = field(default_factory=dict)
    options: GymOptions = field(default_factory=GymOptions)
    seeds: str | Sequence[int] = "0:50"
    fps: float | None = None
    views: tuple[str, ...] | None = None
    act_timeout: float = ACT_LIMIT_S
    jobs: int | None = None

    def __post_init__(self) -> None:
        """Refuse what can't be meant, before anything is made."""
        if self.fps is not None and not self.fps > 0:
            raise UsageError(f"--fps must be above 0, not {self.fps:g}.")
        if self.jobs is not None and self.jobs < 1:
            raise UsageError(f"--jobs must be at least 1, not {self.jobs}.")
        if not self.policies:
            raise UsageError("A rollout needs at least one policy.")


def rollout_gym(settings: GymRolloutSettings) -> RolloutResult:
    """Let every policy try the environment on every seed, and write the run directory.

    An unfinished run in the same directory is taken up, as by `rollout`.
    """
    require_gymnasium()
    seeds = seeds_asked(settings.seeds)
    films = settings.views is None or bool(settings.views)
    if films:
        _choose_gl()
    maker = Maker(settings.environment, tuple(settings.keywords.items()), films)
    shared = GymAttempts(
        root=Path(settings.out).absolute(),  # a policy may change the folder it is in
        maker=maker,
        reading=try_out(maker, settings.options, settings.fps, settings.views or (), seeds[0]),
        policies=dict(settings.policies),
        act_limit_s=settings.act_timeout,
    )
    document = {
        "verb": "rollout",
        "seed": None,
        "settings": _record(shared, seeds),
        "fingerprints": {
            "gymnasium": version("gymnasium"),
            "environment": code_of(shared.reading.module),
        },
    }
    return carry_out(shared, shared.root, seeds, document, settings.jobs)


def _choose_gl() -> None:
    """Let environments that draw with MuJoCo do so without a window, if that can be had."""
    if not os.environ.get("MUJOCO_GL") and importlib.util.find_spec("mujoco"):
        with suppress(MissingLibraryError):  # it may draw by other means
            choose()


def _record(shared: GymAttempts, seeds: Sequence[int]) -> dict[str, Any]:
    """Return the settings that decide the result, as plain data for run.json."""
    reading, maker = shared.reading, shared.maker
    return {
        "task": {
            "name": reading.task,
            "environment": maker.label,
            "made_with": {name: plain(value) for name, value in maker.keywords},
            "code": code_of(maker.module),
            "options": asdict(reading.options),
            "success": str(reading.flag),
            "hz": reading.hz,
            "observed": reading.observes,
            "repeats": reading.repeats,
        },
        "robot": reading.options.robot,
        "policies": {name: _policy(policy) for name, policy in shared.policies.items()},
        "seeds": seeds_in_words(seeds),
        "perturbations": [],
        "fps": reading.fps,
        "views": list(reading.views),
        "act_timeout": shared.act_limit_s,
    }


def _policy(policy: GymPolicy) -> dict[str, Any]:
    return described(policy.outside if isinstance(policy, OutsideActions) else policy)
