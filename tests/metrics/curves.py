"""Curves for the tests: strategies, and packing into the flat form."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

unit = st.floats(0.0, 1.0)
curves = st.lists(unit, min_size=1, max_size=30)
# Multiples of 1/50: two values are equal or clearly different, so that "if and only if" is sharp.
grid_curves = st.lists(st.integers(0, 50).map(lambda k: k / 50), min_size=1, max_size=30)


def pack(*episodes: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Return the flat values and the offsets of `episodes`."""
    offsets = np.cumsum([0, *(len(episode) for episode in episodes)])
    return np.array([value for episode in episodes for value in episode], dtype=float), offsets


def is_monotone(curve: Sequence[float]) -> bool:
    return all(a <= b for a, b in pairwise(curve))
