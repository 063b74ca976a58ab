"""Turn a demonstration into lessons: at each moment, what is seen and what comes next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.errors import EpisodeError
from assay.records import Episode, Floats
from assay.worlds.policies._cloned.inputs import OWN, numbers, recorded
from assay.worlds.world import CONTROL_HZ

__all__ = ["CHUNK", "Array", "Lesson", "chunks", "lesson_of", "rate_of"]

CHUNK: Final = 8
"""How many actions are decided on at once."""

_FAR: Final = 0.5  # rad: an action further from the joints, in the median, is no joint target
_EVEN_S: Final = 1e-3
Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Lesson:
    """What one demonstration teaches at T moments.

    Attributes:
        episode: Its id.
        numbers: What is seen but for pictures, float32 of shape (T, D).
        chunks: The next actions, float32 of shape (T, CHUNK, A): the way from the present joints
            to each target [rad], then the gripper's opening.
        pictures: By view, uint8 of shape (T, S, S, 3).
        places: Where the things are, float32 of shape (T, 3 M) [m]; a policy that sees pictures
            also learns to tell them.
    """

    episode: str
    numbers: Array
    chunks: Array
    pictures: Mapping[str, Array]
    places: Array


def rate_of(episode: Episode) -> int:
    """Return how many actions a second a demonstration has.

    Raises:
        EpisodeError: They don't come evenly, or at a rate that the worlds can't keep.
    """
    gaps = np.diff(episode.signals["action"].times)
    if not len(gaps) or np.ptp(gaps) > _EVEN_S:
        raise EpisodeError("its actions don't come at an even rate", "invalid_value")
    rate = round(1.0 / float(np.mean(gaps)))
    if rate < 1 or CONTROL_HZ % rate or abs(float(np.mean(gaps)) - 1.0 / rate) > _EVEN_S:
        raise EpisodeError(
            f"its actions come {1 / np.mean(gaps):.4g} times a second, and a rate that divides"
            f" {CONTROL_HZ} is needed",
            "invalid_value",
        )
    return rate


def lesson_of(
    episode: Episode,
    times: Floats,
    things: Sequence[str],
    pictures: Mapping[str, Array] | None = None,
) -> Lesson:
    """Return the lesson of a demonstration at `times` [s], which are moments of its actions.

    Args:
        episode: The demonstration.
        times: When to look.
        things: The objects whose poses are known.
        pictures: What the views show at `times`; None: the things' poses are looked at instead.

    Raises:
        EpisodeError: A signal is missing or is not what is needed.
    """
    actions = _actions(episode)
    clock = episode.signals["action"].times
    places = np.searchsorted(clock, times - _EVEN_S)
    body = recorded(episode, times, things if pictures is None else ())
    known = recorded(episode, times, things).things
    where = np.concatenate([position for position, _ in known] or [np.zeros((len(times), 0))], 1)
    return Lesson(
        episode.id,
        numbers(body).astype(np.float32),
        chunks(actions, body.joints, places).astype(np.float32),
        pictures or {},
        where.astype(np.float32),
    )


def chunks(actions: Floats, joints: Floats, places: npt.NDArray[np.int64]) -> Floats:
    """Return the next CHUNK actions from each of `places` on, of shape (T, CHUNK, A).

    Args:
        actions: All of an episode, of shape (N, A): joint targets, then the gripper's opening.
        joints: Where the arm is at the places, of shape (T, A - 1); targets count from there.
        places: Numbers of actions. Past the end the last action holds.
    """
    rows = np.minimum(places[:, None] + np.arange(CHUNK), len(actions) - 1)
    found: Floats = actions[rows]
    found[..., :-1] -= joints[:, None]
    return found


def _actions(episode: Episode) -> Floats:
    """Return the actions of shape (N, A), once they are known to be joint targets."""
    for name in ("action", *OWN):
        if name not in episode.signals:
            raise EpisodeError(f"has no signal {name!r}", "invalid_value")
    series = episode.signals["action"]
    actions = np.asarray(series.values, dtype=np.float64)
    joints = np.asarray(episode.at("joint_position", series.times, "nearest"), dtype=np.float64)
    if actions.ndim != 2 or actions.shape[1] != joints.shape[1] + 1:
        raise EpisodeError(
            f"its actions are of shape {actions.shape[1:]} with {joints.shape[1]} joints; a target"
            " for each joint and one for the gripper are needed",
            "invalid_value",
        )
    if not np.isfinite(actions).all() or not np.isfinite(joints).all():
        raise EpisodeError("an action or a joint is not a finite number", "invalid_value")
    if float(np.median(np.abs(actions[:, :-1] - joints))) > _FAR:
        raise EpisodeError(
            f"its actions are {_FAR:g} rad and more from the joints: they are no joint targets",
            "invalid_value",
        )
    return actions
