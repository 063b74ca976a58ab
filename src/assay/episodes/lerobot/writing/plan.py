"""What the columns of a written LeRobot dataset are: decided by its first episode."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.episodes.lerobot.layout import PREFIX
from assay.errors import UsageError
from assay.records import Episode, Floats

__all__ = ["SLACK_S", "Plan", "columns", "grid", "make_plan"]

_STATE = [
    f"{name}{arm}"
    for arm in ("", ".left", ".right")
    for name in ("joint_position", "gripper_opening")
]
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_LONGEST = 10_000_000  # moments of an episode: eleven days at 10 a second
SLACK_S = 1e-6  # a sample this little after a moment of the grid belongs to that moment


@dataclass(frozen=True, slots=True)
class Plan:
    """The columns of a dataset.

    Attributes:
        signals: Dtype and trailing shape of every signal, by name.
        state: The signals joined into `observation.state`, in order.
        views: The names of the views.
    """

    signals: Mapping[str, tuple[np.dtype[Any], tuple[int, ...]]]
    state: tuple[str, ...]
    views: tuple[str, ...]

    def layout(self) -> dict[str, Any]:
        """Return what our reader needs to undo the joining and the scalar habit of the format."""
        return {
            "schema": "assay.lerobot/1",
            "state": [[name, _width(self.signals[name][1])] for name in self.state],
            "signals": {
                name: {"dtype": dtype.name, "axes": 1 + len(shape)}
                for name, (dtype, shape) in self.signals.items()
                if dtype.kind != "U"
            },
        }


def make_plan(episode: Episode) -> Plan:
    """Return the columns for a dataset that starts with `episode`."""
    for kind, names in (("signal", episode.signals), ("view", episode.views)):
        for name in names:
            if not _NAME.fullmatch(name):
                raise UsageError(
                    f"The {kind} name {name!r} can't be stored in a LeRobot dataset: letters, "
                    "digits, '_', '-' and '.' are allowed."
                )
    described = {name: _describe(name, s.values) for name, s in sorted(episode.signals.items())}
    joined = tuple(name for name in _STATE if name in described)
    if "state" in described and not any(name.startswith("joint_position") for name in joined):
        joined = ("state",)  # a dataset that came with one vector keeps it whole
    return Plan(
        signals=described,
        state=tuple(name for name in joined if name in described),
        views=tuple(sorted(episode.views)),
    )


def grid(episode: Episode, fps: float) -> Floats:
    """Return the dataset's moments in an episode, k / fps up to its end [s]."""
    if not episode.signals and not episode.views and episode.length_s is None:
        raise UsageError(f"The episode {episode.id!r} has neither signals nor views to write.")
    moments = episode.duration() * fps
    if not moments < _LONGEST:
        raise UsageError(
            f"The episode {episode.id!r} lasts {episode.duration():g} s, too long for {fps:g} fps."
        )
    return np.arange(int(np.floor(moments + 1e-3)) + 1) / fps


def columns(plan: Plan, episode: Episode, times: Floats) -> dict[str, npt.NDArray[Any]]:
    """Return the signals of an episode at `times` under the names of their columns."""
    _check(plan, episode)
    values = {name: _resample(episode, name, times) for name in plan.signals}
    found: dict[str, npt.NDArray[Any]] = {}
    if plan.state:
        parts = [values[name].reshape(len(times), -1) for name in plan.state]
        found["observation.state"] = np.concatenate(parts, axis=1).astype(np.float32)
    for name in plan.signals:
        if name in plan.state:
            continue
        if name == "action":
            found["action"] = values[name].reshape(len(times), -1).astype(np.float32)
        else:
            found["next.success" if name == "success" else PREFIX + name] = values[name]
    return found


def _resample(episode: Episode, name: str, times: Floats) -> npt.NDArray[Any]:
    """Return one signal on the dataset's clock.

    Strings, flags and counts take the nearest sample, single numbers are interpolated. Vectors
    hold the last sample, since a straight line between rotations or commands is neither.
    """
    series = episode.signals[name]
    if len(series.times) == len(times) and np.allclose(series.times, times, rtol=0, atol=SLACK_S):
        return series.values
    if series.values.dtype.kind in "Ubiu":
        return episode.at(name, times, "nearest")
    if series.values.ndim == 1:
        return episode.at(name, times, "linear")
    return episode.at(name, times + SLACK_S, "previous")


def _describe(name: str, values: npt.NDArray[Any]) -> tuple[np.dtype[Any], tuple[int, ...]]:
    if len(values) == 0:
        raise UsageError(f"The signal {name!r} has no samples.")
    if values.dtype.kind not in "Ubiuf" or values.ndim > 2 or 0 in values.shape[1:]:
        raise UsageError(
            f"The signal {name!r} of type {values.dtype} and shape {values.shape} can't be stored "
            "in a LeRobot dataset: numbers, true/false or text of shape (T,) or (T, D) can."
        )
    if values.dtype.kind == "U" and values.ndim > 1:
        raise UsageError(f"The signal {name!r} holds text and must have shape (T,).")
    if name == "success" and (values.dtype.kind != "b" or values.ndim != 1):
        raise UsageError("The signal 'success' must be true/false of shape (T,).")
    # The length of the longest string is no part of the type.
    return np.dtype(np.str_) if values.dtype.kind == "U" else values.dtype, values.shape[1:]


def _check(plan: Plan, episode: Episode) -> None:
    """Refuse an episode whose signals or views are not those of the first one."""
    for kind, planned, found in (
        ("signals", set(plan.signals), set(episode.signals)),
        ("views", set(plan.views), set(episode.views)),
    ):
        if planned != found:
            parts = [
                f"{word} {', '.join(sorted(names))}"
                for word, names in (("lacks", planned - found), ("adds", found - planned))
                if names
            ]
            raise UsageError(
                f"All episodes of a dataset have the same {kind}: {episode.id!r} "
                f"{' and '.join(parts)}."
            )
    for name, series in episode.signals.items():
        described = _describe(name, series.values)
        if described != plan.signals[name]:
            raise UsageError(
                f"The signal {name!r} of {episode.id!r} has type {described[0]} and shape "
                f"{('T', *described[1])}; the first episode has {plan.signals[name][0]} and "
                f"{('T', *plan.signals[name][1])}."
            )


def _width(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape, dtype=np.int64))
