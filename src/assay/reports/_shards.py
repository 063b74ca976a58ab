"""Write the episodes' data as scripts that a page opened from disk can load.

`episodes.js` holds what the list shows, as columns; `data-000.js`, `data-001.js`, ... hold the
curves, `SHARD` episodes each, in the same order, so an episode's place tells its shard.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.metrics.results import METRICS
from assay.records import Curve, Event, Floats, Segment
from assay.reports import words
from assay.reports._markup import safe_json

__all__ = [
    "SHARD",
    "clean",
    "curve_data",
    "episodes_script",
    "event_data",
    "segment_data",
    "shard_script",
    "spark",
]

SHARD = 200

_LEVELS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
_SPARK_POINTS = 32
_CLOCK_ERROR = 5e-4
"""Half a millisecond [s]: how far a uniform clock may be from the stored times."""


def episodes_script(
    rows: Sequence[Mapping[str, Any]], curves: Mapping[str, Curve], shared: Mapping[str, Any]
) -> str:
    """Return `episodes.js`: the list's columns, and `shared`, what all episodes have in common."""
    columns: dict[str, Any] = {"ids": [clean(row["episode"]) for row in rows]}
    for field in ("task", "policy", "status"):
        names, columns[field] = _coded([clean(row.get(field)) for row in rows])
        columns[f"{field}_names"] = names
    for key in METRICS:
        columns[key] = [_tenths(row.get(key)) for row in rows]
    columns["success"] = "".join(_flag(row.get("success_end")) for row in rows)
    columns["duration"] = [_rounded(row.get("duration_s"), 2) for row in rows]
    columns["spark"] = [spark(curves.get(str(row["episode"]))) for row in rows]
    return f"window.assayEpisodes({safe_json({'shard': SHARD, **shared, **columns})});\n"


def shard_script(number: int, records: Iterator[Mapping[str, Any]]) -> str:
    """Return `data-<number>.js`: one record per line, in the order of the list."""
    lines = ",\n".join(safe_json(record) for record in records)
    return f"window.assayData({number},[\n{lines}\n]);\n"


def clean(value: object) -> str:
    """Return text that can be an address: lone surrogates, as odd file names give, become "?"."""
    return "" if value is None else str(value).encode("utf-8", "replace").decode("utf-8")


def curve_data(curve: Curve, epsilon: float | None) -> dict[str, Any]:
    """Return a curve as small integers.

    Keys: `t` the clock, [start, step, count] in seconds or [milliseconds, ...] under `ms`; `v`
    progress in 1e-4, null where not ok; `bad` runs [first, last, status] that are not ok; `still`
    runs of steps below `epsilon` as first and last moment, flat; found before rounding, so that
    they agree with STR; `novel` runs of novel moments as first and one behind the last, flat.
    """
    ok = (curve.status == "ok") & np.isfinite(curve.values)
    tenthousandths = np.rint(np.where(ok, curve.values, 0.0) * 1e4).astype(np.int64).tolist()
    if not ok.all():
        tenthousandths = [v if good else None for v, good in zip(tenthousandths, ok, strict=True)]
    data = _clock(curve.times) | {"v": tenthousandths}
    if not ok.all():
        data["bad"] = [
            [first, last, str(curve.status[first])]
            for first, last in _runs(np.where(ok, "ok", curve.status))
        ]
    if epsilon is not None and len(ok) > 1:
        with np.errstate(invalid="ignore"):
            still = ok[1:] & ok[:-1] & (np.abs(np.diff(curve.values)) < epsilon)
        data["still"] = _edges(still)
    if curve.novel is not None and curve.novel.any():
        data["novel"] = _edges(curve.novel)
    return data


def segment_data(segments: Sequence[Segment]) -> list[list[Any]]:
    """Return segments as [name, start, end, kind]."""
    return [[s.name, _rounded(s.start_s), _rounded(s.end_s), s.kind] for s in segments]


def event_data(events: Sequence[Event]) -> list[list[Any]]:
    """Return events as [type, start, end, severity, dimension, description]."""
    return [
        [e.type, _rounded(e.start_s), _rounded(e.end_s), e.severity, e.dimension, e.description]
        for e in events
    ]


def spark(curve: Curve | None) -> str:
    """Return a curve as a short word: one of 64 levels per evenly spaced moment, "." for a gap."""
    if curve is None or not len(curve.times):
        return ""
    wanted = np.linspace(curve.times[0], curve.times[-1], min(_SPARK_POINTS, len(curve.times)))
    places = np.searchsorted(curve.times, wanted + _CLOCK_ERROR, side="right") - 1
    values = np.where(curve.status == "ok", curve.values, np.nan)[places]
    return "".join(
        "." if math.isnan(v) else _LEVELS[min(63, max(0, round(63 * v)))] for v in values.tolist()
    )


def _clock(times: Floats) -> dict[str, Any]:
    count = len(times)
    step = (times[-1] - times[0]) / (count - 1) if count > 1 else 0.0
    even = times[0] + step * np.arange(count) if count else times
    if count and np.abs(times - even).max() < _CLOCK_ERROR:
        return {"t": [round(float(times[0]), 3), round(float(step), 9), count]}
    return {"ms": np.rint(times * 1000).astype(np.int64).tolist()}


def _runs(states: npt.NDArray[np.str_]) -> Iterator[tuple[int, int]]:
    """Yield the first and last index of every stretch of equal states that is not ok."""
    starts = np.flatnonzero(np.concatenate(([True], states[1:] != states[:-1])))
    ends = np.append(starts[1:], len(states)) - 1
    for first, last in zip(starts.tolist(), ends.tolist(), strict=True):
        if states[first] != "ok":
            yield first, last


def _edges(flags: npt.NDArray[np.bool_]) -> list[int]:
    """Return where true stretches begin and end (end not included), flat."""
    padded = np.concatenate(([False], flags, [False]))
    edges: list[int] = np.flatnonzero(padded[1:] != padded[:-1]).tolist()
    return edges


def _coded(values: Sequence[str]) -> tuple[list[str], list[int]]:
    names = sorted(set(values))
    codes = {name: code for code, name in enumerate(names)}
    return names, [codes[value] for value in values]


def _tenths(value: float | None) -> int | None:
    """Return the number as `words.points` words it, without its point: the page puts it back."""
    return None if value is None else int(words.points(value).replace(".", ""))


def _flag(value: object) -> str:
    return "-" if value is None else "1" if value else "0"


def _rounded(value: float | None, digits: int = 3) -> float | None:
    return None if value is None else round(float(value), digits)
