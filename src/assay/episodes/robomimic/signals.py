"""Observations of robosuite as signals: radians, metres, the base frame, w,x,y,z, 0..1 open."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from assay.episodes.hdf5.clocks import fitted
from assay.episodes.hdf5.nodes import Node
from assay.episodes.rotations import in_base, of_rotation_vectors, of_wxyz, of_xyzw
from assay.records import Floats, Series

__all__ = ["KNOWN", "base_pose", "signals_of"]

_PLAIN = {
    "robot0_joint_pos": "joint_position",
    "robot0_joint_vel": "joint_velocity",
    "joint_states": "joint_position",
}
_POSITION = ("robot0_eef_pos", "ee_pos")
_ROTATION = {"robot0_eef_quat": of_xyzw, "ee_ori": of_rotation_vectors}
_WIDTH = {"robot0_eef_quat": 4, "ee_ori": 3}
_FINGERS = ("robot0_gripper_qpos", "gripper_states")
_OPEN_M = 0.08  # between the fingers of a Panda's hand
# Both say again what stands elsewhere: ee_pos with ee_ori.
_AGAIN = ("ee_states",)
KNOWN = frozenset({*_PLAIN, *_POSITION, *_ROTATION, *_FINGERS})
"""Observations with a meaning; others may have any shape, and are left alone."""

_BODY = re.compile(r"<body\b[^>]*\bname=\"robot0_base\"[^>]*>")


def signals_of(
    obs: Node, keys: Sequence[str], times: Floats, *, base: str, panda: bool
) -> dict[str, Series]:
    """Return the low-dimensional observations `keys` as signals.

    Args:
        obs: The group of observations.
        keys: The names of its arrays of shape (T, D).
        times: The clock [s], of shape (T,).
        base: The MuJoCo model, which tells where the robot's base stands; may be empty.
        panda: Whether the fingers are those of a Panda. If not, how far they open is not known.

    What has no place in the table of signals keeps its own name, and so does everything of two
    robots: which of them is the left one is not told.
    """
    alone = not any(key.startswith("robot1_") for key in keys)
    found: dict[str, Series] = {}
    for key in keys:
        if alone and key in (*_POSITION, *_ROTATION, *_AGAIN):
            continue
        values = obs.numbers(key, (None, None))
        name = _PLAIN.get(key, key) if alone else key
        if alone and panda and key in _FINGERS:
            obs.check_shape(key, values.shape, (None, 2))
            name, values = "gripper_opening", np.clip(_apart(values) / _OPEN_M, 0, 1)
        found[name] = fitted(obs, key, times, values)
    return found | (_hand(obs, keys, times, base_pose(base)) if alone else {})


def _apart(fingers: Floats) -> Floats:
    """Return the gap between two fingers [m]; robosuite counts one of them negative."""
    gap: Floats = np.abs(fingers[:, 0] - fingers[:, 1])
    return gap


def _hand(
    obs: Node, keys: Sequence[str], times: Floats, base: tuple[Floats, Floats] | None
) -> dict[str, Series]:
    """Return where the hand is: in the base frame if that is known, else named after the world."""
    place = next((key for key in _POSITION if key in keys), None)
    turn = next((key for key in _ROTATION if key in keys), None)
    identity = np.tile([1.0, 0.0, 0.0, 0.0], (len(times), 1))
    positions = np.zeros((len(times), 3))
    rotations = identity
    if place:
        positions = fitted(obs, place, times, obs.numbers(place, (None, 3))).values
    if turn:
        stored = fitted(obs, turn, times, obs.numbers(turn, (None, _WIDTH[turn]))).values
        with obs.faults(turn):
            rotations = _ROTATION[turn](stored)
    suffix = "_world" if base is None else ""
    if base is not None:
        positions, rotations = in_base(base, positions, rotations)
    found = {}
    if place:
        found[f"ee_position{suffix}"] = Series(times, positions)
    if turn:
        found[f"ee_rotation{suffix}"] = Series(times, rotations)
    return found


def base_pose(model: str) -> tuple[Floats, Floats] | None:
    """Return where a MuJoCo model puts the robot's base: m of shape (3,), and w,x,y,z.

    Only the tag of the body `robot0_base` is looked at: a model of a stranger is not parsed. A
    base that drives about stands nowhere.
    """
    tag = _BODY.search(model)
    if tag is None or "mobilebase" in model:
        return None
    try:
        place = _numbers(tag.group(), "pos", "0 0 0")
        turn = of_wxyz(_numbers(tag.group(), "quat", "1 0 0 0")[None])[0]
    except ValueError:
        return None
    return (place, turn) if place.shape == (3,) and turn.shape == (4,) else None


def _numbers(tag: str, name: str, default: str) -> Floats:
    found = re.search(rf"\b{name}=\"([^\"]*)\"", tag)
    return np.array((found.group(1) if found else default).split(), np.float64)
