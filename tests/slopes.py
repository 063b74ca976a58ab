"""Slopes of a number by differences over small steps, to hold those that are derived against."""

from __future__ import annotations

import numpy as np
import pytest


def by_small_steps(number, sums: np.ndarray):
    """Return the slopes of `number` at `sums`, as close as differences can tell them."""
    step = 1e-5 * max(1.0, float(np.abs(sums).max()))
    moved = np.eye(len(sums)) * step
    found = (number(sums + moved)[0] - number(sums - moved)[0]) / (2 * step)
    return pytest.approx(found, rel=1e-3, abs=1e-6)
