"""How an environment is read: what the user says of it, and what a trial finds out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import AssayError, HarnessFault, UsageError
from assay.worlds.gym.flag import Flag, find_flag
from assay.worlds.gym.making import PREFIX, Maker
from assay.worlds.gym.numbers import MOST_NUMBERS, width_of
from assay.worlds.gym.pictures import pictures_of

if TYPE_CHECKING:
    from gymnasium import Env

__all__ = ["GymOptions", "Reading", "try_out"]

_WHOLE = 1e-6  # how near a ratio of rates must be to a whole number
_LONGEST_S = 86_400.0


@dataclass(frozen=True)
class GymOptions:
    """What a user says of an environment: `--set field=value`.

    Attributes:
        success: What tells success: a key of `info`, KEY>=NUMBER, reward>=NUMBER or terminated;
            empty looks for `info["success"]`, then `info["is_success"]`.
        instruction: What policies are told to do.
        task: What episodes call the task; empty for the environment's id.
        robot: What the dataset calls the robot.
        hz: Steps a second; None takes `metadata["render_fps"]`.
        limit_s: The most that an attempt lasts, whatever the environment allows [s].
        hold_s: An attempt ends when success has held for so long [s]; None leaves the end to the
            environment.
        full_reward: The reward of a step that is as good as can be; the signal `reward_share` is
            the reward divided by it.
    """

    success: str = ""
    instruction: str = ""
    task: str = ""
    robot: str = "unknown"
    hz: float | None = None
    limit_s: float = 120.0
    hold_s: float | None = None
    full_reward: float | None = None

    def __post_init__(self) -> None:
        """Refuse what can't be meant."""
        for name in ("hz", "limit_s", "hold_s", "full_reward"):
            value = getattr(self, name)
            if value is not None and not 0 < value <= _LONGEST_S:
                raise UsageError(f"--set {name} must be above 0 and at most 86400, not {value:g}.")
        if self.success:
            Flag.of(self.success)


@dataclass(frozen=True)
class Reading:
    """How all attempts at one environment are read. Can be pickled.

    Attributes:
        options: What the user said.
        task: What episodes call the task.
        flag: What tells success.
        hz: Steps a second.
        stride: Steps between two samples.
        views: The pictures that are kept.
        observes: Whether observations are numbers few enough to be recorded.
        repeats: Whether the same seed gave the same first observation twice.
        module: Where the environment's class is from.
    """

    options: GymOptions
    task: str
    flag: Flag
    hz: float
    stride: int
    views: tuple[str, ...]
    observes: bool
    repeats: bool
    module: str

    @property
    def fps(self) -> float:
        """Return the samples a second."""
        return self.hz / self.stride


def try_out(
    maker: Maker,
    options: GymOptions,
    fps: float | None = None,
    views: Sequence[str] = (),
    seed: int = 0,
) -> Reading:
    """Make an environment, take one step and look: every fault shows now, not in every attempt.

    Args:
        maker: Makes it.
        options: What the user says of it.
        fps: Samples a second; None takes one at every step.
        views: The pictures to keep; empty keeps all there are.
        seed: A scene to try.

    Raises:
        UsageError: It can't be rolled out as asked.
    """
    env = maker()
    try:
        return _tried(env, maker, options, (fps, tuple(views)), seed)
    except HarnessFault as fault:
        raise UsageError(f"{maker.label} can't be rolled out: {fault}") from fault
    except AssayError:
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise UsageError(f"{maker.label} can't be rolled out: it raised {what}.") from error
    finally:
        env.close()


def _tried(
    env: Env[Any, Any],
    maker: Maker,
    options: GymOptions,
    asked: tuple[float | None, tuple[str, ...]],
    seed: int,
) -> Reading:
    if width_of(env.action_space) is None:
        raise UsageError(f"{maker.label}: actions of {env.action_space} can't be recorded.")
    hz = _rate(env, options, maker.label)
    first, told = env.reset(seed=seed)
    before = _digest(first)
    env.action_space.seed(seed)
    outcome = env.step(env.action_space.sample())
    if len(outcome) != 5:
        raise UsageError(
            f"{maker.label} returned {len(outcome)} values for a step: Gymnasium's five are needed."
        )
    _, reward, terminated, _, info = outcome
    flag = find_flag(options.success, [told, info], maker.label)
    flag.read(reward=float(reward), terminated=bool(terminated), info=info)  # that it can be
    drawn = pictures_of(env.render(), asked[1]) if maker.films else {}
    again, _ = env.reset(seed=seed)
    width = width_of(env.observation_space)
    return Reading(
        options=options,
        task=options.task or _task(maker.label),
        flag=flag,
        hz=hz,
        stride=_stride(hz, asked[0]),
        views=tuple(drawn),
        observes=width is not None and 0 < width <= MOST_NUMBERS,
        repeats=before == _digest(again),
        module=type(env.unwrapped).__module__,
    )


def _rate(env: Env[Any, Any], options: GymOptions, label: str) -> float:
    """Return the steps a second."""
    found = options.hz if options.hz is not None else (env.metadata or {}).get("render_fps")
    if isinstance(found, int | float | np.number) and 0 < float(found) <= _LONGEST_S:
        return float(found)
    raise UsageError(
        f"{label} says nothing of time: metadata['render_fps'] is {found!r}. Give the steps a "
        "second: --set hz=20."
    )


def _stride(hz: float, fps: float | None) -> int:
    """Return how many steps lie between two samples."""
    ratio = hz / fps if fps else 1.0
    if ratio < 1 - _WHOLE or abs(ratio - round(ratio)) > _WHOLE * ratio:
        allowed = ", ".join(f"{hz / n:g}" for n in range(1, 101) if (hz / n).is_integer())
        raise UsageError(
            f"--fps must divide the {hz:g} steps a second of the environment: {fps:g} does not"
            + (f"; one of {allowed} does." if allowed else ".")
        )
    return round(ratio)


def _task(label: str) -> str:
    """Return a name for the task: the id without its module and without '/', which parts scenes."""
    return label.removeprefix(PREFIX).rpartition(":")[2].replace("/", "-")


def _digest(observed: Any) -> str:  # noqa: ANN401 - an observation of any kind
    """Return what tells one observation from another."""
    if isinstance(observed, dict):
        return repr({key: _digest(value) for key, value in observed.items()})
    if isinstance(observed, tuple | list):
        return repr([_digest(value) for value in observed])
    return repr(np.asarray(observed).tolist())
