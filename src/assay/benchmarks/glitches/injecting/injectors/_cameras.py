"""Cameras of a simulated scene: where they get to."""

from __future__ import annotations

import numpy as np

from assay.records import Floats

__all__ = ["moved"]


def moved(place: Floats, turn: Floats, way: Floats, roll: float) -> tuple[Floats, Floats]:
    """Return where a camera is, and how it is turned, after it went along its own axes.

    Args:
        place: Where it was, of shape (3,) [m].
        turn: How it was turned, a unit quaternion w, x, y, z.
        way: How far it goes to the right, up and back, of shape (3,) [m].
        roll: How far it turns about the axis it looks along [rad].
    """
    import mujoco

    gone, rolled, made = np.zeros(3), np.zeros(4), np.zeros(4)
    mujoco.mju_rotVecQuat(gone, way, turn)
    mujoco.mju_axisAngle2Quat(rolled, np.array([0.0, 0.0, 1.0]), roll)
    mujoco.mju_mulQuat(made, turn, rolled)
    return place + gone, made
