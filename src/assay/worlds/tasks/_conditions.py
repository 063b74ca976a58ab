"""Conditions and distances that subgoals are made of."""

from __future__ import annotations

import numpy as np

from assay.worlds.state import GRIPPER, State

__all__ = ["flat_distance", "released", "resting", "to_tool"]

STILL_M_S = 0.03


def to_tool(state: State, name: str) -> float:
    """Return how far a thing's centre is from between the finger tips [m]."""
    return float(np.linalg.norm(state.position("tool") - state.position(name)))


def flat_distance(state: State, name: str, other: str) -> float:
    """Return how far apart two things are, seen from above [m]."""
    gap = state.position(name)[:2] - state.position(other)[:2]
    return float(np.linalg.norm(gap))


def released(state: State, name: str) -> bool:
    """Tell whether the gripper does not touch a thing."""
    return not state.touching(GRIPPER, name)


def resting(state: State, name: str) -> bool:
    """Tell whether a thing is at rest and let go."""
    return released(state, name) and state.speed(name) < STILL_M_S
