"""Clocks of signals in HDF5 files, and the check that a signal fits its clock."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from assay.episodes.hdf5.nodes import Node
from assay.episodes.recorded.clocks import clock_fault, suspects
from assay.records import Floats, Series

__all__ = ["evenly", "fitted", "seconds", "stamps"]


def evenly(count: int, rate: float) -> Floats:
    """Return the times of `count` samples at `rate` a second [s], of shape (count,)."""
    return np.arange(count) / rate


def stamps(node: Node, key: str) -> npt.NDArray[Any]:
    """Return the time stamps at `key`, of shape (T,) or (T, 1), as they are stored."""
    found = node.values(key)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    node.check_shape(key, found.shape, (None,))
    if found.dtype.kind == "f":
        return found.astype(np.float64)
    return found.astype(np.int64)  # nanoseconds since 1970 have more digits than float64


def seconds(
    node: Node, key: str, stamped: npt.NDArray[Any], origin: float, per_second: float = 1.0
) -> Floats:
    """Return time stamps as seconds from `origin`; they must be finite, from 0 on, and increase.

    Args:
        node: The group, for messages.
        key: The place of the stamps, for messages.
        stamped: The stamps as `stamps` gives them.
        origin: The stamp that is time 0.
        per_second: What a second counts: 1000 for milliseconds.
    """
    times: Floats = (stamped - origin) / per_second
    bad = np.flatnonzero(suspects(times))
    if len(bad):
        row = int(bad[0])
        words = clock_fault(float(times[row]), float(times[row - 1]) if row else None)
        raise node.fault(key, f"can't be a clock: in row {row} {words[:-1]}")
    return times


def fitted(node: Node, key: str, times: Floats, values: npt.NDArray[Any]) -> Series:
    """Return the signal of `values` from `key`, which must be as many as the `times`."""
    if len(values) != len(times):
        raise node.fault(key, f"has {len(values)} rows where {len(times)} are due")
    return Series(times, values)
