"""Turn raw numbers into curves with statuses; shared by the judges."""

from __future__ import annotations

import numpy as np

from assay.episodes import sampling
from assay.records import Curve, Episode, Floats, Status, worst_status

__all__ = ["DEFAULT_FPS", "clock_of", "curve", "unscored"]

DEFAULT_FPS = 5.0


def clock_of(episode: Episode, signal: str, fps: float | None) -> Floats:
    """Return the signal's own moments: a recorded curve is not resampled unless `fps` asks for it.

    Without the signal, it is the grid at `fps`, or at 5 a second.
    """
    recorded = episode.signals.get(signal)
    if recorded is not None and fps is None:
        return recorded.times
    return sampling.grid(episode.duration(), fps or DEFAULT_FPS)


def curve(times: Floats, raw: Floats, *, absent: Status = "missing_frame") -> Curve:
    """Return the curve of `raw` numbers at `times`, both of shape (T,).

    NaN means that there is no value: status `absent`. Infinite numbers and numbers outside 0..1
    are "invalid_value"; the detail names the first of the worst kind.
    """
    outside = ~np.isnan(raw) & ~((raw >= 0.0) & (raw <= 1.0))
    status = np.where(np.isnan(raw), absent, np.where(outside, "invalid_value", "ok"))
    values = np.where(status == "ok", raw, np.nan)
    worst = worst_status(status)
    if worst == "ok":
        return Curve(times, values, status)
    first = int(np.argmax(status == worst))
    if np.isnan(raw[first]):
        detail = f"no progress at moment {first} (t = {times[first]:g} s)"
    else:
        detail = (
            f"progress {raw[first]:g} at moment {first} (t = {times[first]:g} s)"
            " is outside 0..1 (--clip clips)"
        )
    return Curve(times, values, status, detail)


def unscored(times: Floats, status: Status, detail: str) -> Curve:
    """Return a curve in which no moment has a value, all for the same reason."""
    return Curve(times, np.full(len(times), np.nan), np.full(len(times), status), detail)
