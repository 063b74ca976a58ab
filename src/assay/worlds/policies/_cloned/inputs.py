"""The numbers that a cloned policy looks at: the same in training and when it acts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from assay.records import Episode, Floats
from assay.worlds.policies.base import Observation

__all__ = ["OWN", "Body", "numbers", "recorded", "seen", "things_of"]

OWN: Final = ("joint_position", "gripper_opening", "ee_position", "ee_rotation")
"""The signals of the robot itself."""

_TURNS: Final = (1, 2, 4)  # a block looks the same after a quarter turn


@dataclass(frozen=True, eq=False)
class Body:
    """Robot and things at T moments.

    Attributes:
        joints: Of shape (T, J) [rad].
        opening: Of shape (T,), 0 closed .. 1 open.
        position: The tool's, of shape (T, 3) [m].
        rotation: The tool's, of shape (T, 4).
        things: Position (T, 3) [m] and rotation (T, 4) of each object, in order.
    """

    joints: Floats
    opening: Floats
    position: Floats
    rotation: Floats
    things: Sequence[tuple[Floats, Floats]] = ()


def things_of(episode: Episode) -> tuple[str, ...]:
    """Return the names of the objects whose pose an episode holds, sorted."""
    names = (name.split(".") for name in episode.signals if name.startswith("object."))
    found = {".".join(parts[1:-1]) for parts in names}
    whole = ("object.{}.position", "object.{}.rotation")
    return tuple(sorted(n for n in found if all(k.format(n) in episode.signals for k in whole)))


def recorded(episode: Episode, times: Floats, things: Sequence[str]) -> Body:
    """Return robot and things of an episode at `times` [s]."""
    own = [np.asarray(episode.at(name, times, "nearest"), dtype=np.float64) for name in OWN]
    poses = [
        tuple(
            np.asarray(episode.at(f"object.{name}.{what}", times, "nearest"), dtype=np.float64)
            for what in ("position", "rotation")
        )
        for name in things
    ]
    joints, opening, position, rotation = own
    return Body(joints, opening.reshape(len(times)), position, rotation, [(p, r) for p, r in poses])


def seen(observation: Observation, things: Sequence[str]) -> Body:
    """Return robot and things at the present moment, T = 1."""
    state = observation.truth
    return Body(
        observation.joint_position[None],
        np.array([observation.gripper_opening]),
        observation.ee_position[None],
        observation.ee_rotation[None],
        [(state.position(name)[None], state.rotation(name)[None]) for name in things],
    )


def numbers(body: Body) -> Floats:
    """Return a row for each moment, of shape (T, D).

    Of the robot: joints, opening, the tool's position and two axes. Of each thing: its position,
    the way there from the tool, two axes, and cosine and sine of 1, 2 and 4 times its yaw.
    """
    parts = [body.joints, body.opening[:, None], body.position, _axes(body.rotation)]
    for position, rotation in body.things:
        axes = _axes(rotation)
        yaw = np.arctan2(axes[:, 1], axes[:, 0])
        turns = [turned(k * yaw) for k in _TURNS for turned in (np.cos, np.sin)]
        parts += [position, position - body.position, axes, np.stack(turns, axis=1)]
    return np.concatenate(parts, axis=1)


def _axes(rotation: Floats) -> Floats:
    """Return the x and the y axis of quaternions w, x, y, z, of shape (T, 6)."""
    w, x, y, z = rotation.T
    return np.stack(
        [
            *(1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
            *(2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
        ],
        axis=1,
    )
