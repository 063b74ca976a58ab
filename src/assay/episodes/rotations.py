"""Rotations of others as unit quaternions w,x,y,z."""

from __future__ import annotations

import numpy as np

from assay.records import Floats

__all__ = ["in_base", "of_euler", "of_rotation_vectors", "of_wxyz", "of_xyzw"]

_SLACK = 0.05  # by which the length of a stored quaternion may differ from 1


def of_wxyz(stored: Floats) -> Floats:
    """Return quaternions w,x,y,z, of shape (T, 4), with the length 1.

    Raises:
        ValueError: The length of one is not near 1, so it is no rotation.
    """
    length = np.linalg.norm(stored, axis=-1)
    bad = np.flatnonzero(~(np.abs(length - 1) <= _SLACK))
    if len(bad):
        row = int(bad[0])
        raise ValueError(f"row {row} has the length {length[row]:g} and is no rotation")
    unit: Floats = stored / length[..., None]
    return unit


def of_xyzw(stored: Floats) -> Floats:
    """Return quaternions x,y,z,w, of shape (T, 4), as w,x,y,z."""
    return of_wxyz(np.roll(stored, 1, axis=-1))


def of_rotation_vectors(stored: Floats) -> Floats:
    """Return rotation vectors (axis times angle) [rad], of shape (T, 3), as quaternions."""
    from scipy.spatial.transform import Rotation

    _check_finite(stored)
    return np.roll(Rotation.from_rotvec(stored).as_quat(), 1, axis=-1)


def of_euler(stored: Floats) -> Floats:
    """Return turns about the fixed x, then y, then z axis [rad], (T, 3), as quaternions."""
    from scipy.spatial.transform import Rotation

    _check_finite(stored)
    return np.roll(Rotation.from_euler("xyz", stored).as_quat(), 1, axis=-1)


def in_base(
    base: tuple[Floats, Floats], positions: Floats, rotations: Floats
) -> tuple[Floats, Floats]:
    """Return poses of the world frame in the frame of a robot's base.

    Args:
        base: Where the base stands in the world: its position [m] of shape (3,) or (T, 3), and its
            rotation w,x,y,z of shape (4,) or (T, 4).
        positions: Of shape (T, 3) [m].
        rotations: Of shape (T, 4), w,x,y,z.
    """
    from scipy.spatial.transform import Rotation

    inverse = Rotation.from_quat(np.roll(base[1], -1, axis=-1)).inv()
    turned = inverse * Rotation.from_quat(np.roll(rotations, -1, axis=-1))
    return inverse.apply(positions - base[0]), np.roll(turned.as_quat(), 1, axis=-1)


def _check_finite(stored: Floats) -> None:
    if not np.isfinite(stored).all():
        raise ValueError("holds a value that is not finite")
