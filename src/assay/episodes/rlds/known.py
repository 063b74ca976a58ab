"""What is published about datasets but does not stand in their files."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.episodes.rotations import of_euler
from assay.records import Floats, Series

__all__ = ["meanings", "rate_of"]

# Steps a second, by the beginning of the dataset's name; of the Open X-Embodiment overview.
_RATES = {
    "asu_table_top": 12.5,
    "austin_buds": 20,
    "austin_sailor": 20,
    "austin_sirius": 20,
    "bc_z": 10,
    "berkeley_autolab_ur5": 5,
    "berkeley_cable_routing": 10,
    "bridge": 5,
    "cmu_stretch": 10,
    "droid": 15,
    "fractal20220817_data": 3,
    "furniture_bench": 10,
    "iamlab_cmu_pickup_insert": 20,
    "jaco_play": 10,
    "kuka": 10,
    "language_table": 10,
    "maniskill": 20,
    "stanford_hydra": 10,
    "taco_play": 15,
    "toto": 30,
    "ucsd_kitchen": 2,
    "utaustin_mutex": 20,
    "viola": 20,
}


def rate_of(name: str) -> float | None:
    """Return the published rate of the dataset `name` [1/s], None for one that is not known."""
    return next((float(rate) for start, rate in _RATES.items() if name.startswith(start)), None)


def meanings(name: str, signals: Mapping[str, Series]) -> dict[str, Series]:
    """Return what the vectors of a dataset that is known by its name mean, as further signals.

    Bridge: `state` is the gripper's position [m] and its turns about x, y, z [rad] in the robot's
    base frame, and how far the gripper is open. DROID: `cartesian_position` is position and turns
    likewise, and `gripper_position` is 0 open to 1 closed.
    """
    if name.startswith("bridge"):
        return _bridge(signals.get("state"))
    if name.startswith("droid"):
        return _droid(signals)
    return {}


def _bridge(state: Series | None) -> dict[str, Series]:
    if state is None or state.values.ndim != 2 or state.values.shape[1] != 7:
        return {}
    values = state.values.astype(np.float64)
    opening = Series(state.times, np.clip(values[:, 6], 0.0, 1.0))
    return {**_pose(state.times, values[:, :6]), "gripper_opening": opening}


def _droid(signals: Mapping[str, Series]) -> dict[str, Series]:
    found: dict[str, Series] = {}
    pose, gripper = signals.get("cartesian_position"), signals.get("gripper_position")
    if pose is not None and pose.values.shape[1:] == (6,):
        found |= _pose(pose.times, pose.values.astype(np.float64))
    if gripper is not None and gripper.values.shape[1:] in ((), (1,)):
        closed = gripper.values.reshape(-1).astype(np.float64)
        found["gripper_opening"] = Series(gripper.times, np.clip(1.0 - closed, 0.0, 1.0))
    return found


def _pose(times: Floats, values: Floats) -> dict[str, Series]:
    return {
        "ee_position": Series(times, values[:, :3]),
        "ee_rotation": Series(times, of_euler(values[:, 3:6])),
    }
