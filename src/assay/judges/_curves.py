"""Turn raw numbers into curves with statuses; shared by the judges."""

from __future__ import annotations

import numpy as np

from assay.records import Curve, Floats, Status, worst_status

__all__ = ["curve", "unscored"]


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
