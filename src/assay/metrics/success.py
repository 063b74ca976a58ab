"""Success three ways: reached once, held at the end, true in the last moment."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import InputError
from assay.metrics.results import Floats

__all__ = ["success_flags"]

_CLOCK_SLACK_S = 1e-9  # 2.3 - 0.5 must still include a sample at 1.8


def success_flags(
    times: Floats, flags: npt.NDArray[Any], held_s: float = 0.5
) -> tuple[bool, bool, bool]:
    """Return whether the task was done once, held to the end, and done at the end.

    Args:
        times: Time of each flag [s], increasing, of shape (T,).
        flags: Whether the success predicate holds at that time, of shape (T,).
        held_s: How long before the last time it must hold throughout [s].

    Returns:
        `once`: some flag is true; `held`: all flags of the last `held_s` seconds are;
        `end`: the last flag is.
    """
    times = np.asarray(times, dtype=np.float64)
    done = np.asarray(flags, dtype=np.bool_)
    if not len(done) or times.shape != done.shape:
        raise InputError(
            f"Success needs one flag per time and at least one, found {len(done)} flags and "
            f"{len(times)} times."
        )
    last = times >= times[-1] - held_s - _CLOCK_SLACK_S
    return bool(done.any()), bool(done[last].all()), bool(done[-1])
