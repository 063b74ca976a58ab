"""Find the keyframes of an episode without an exact potential, from what was recorded of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from assay.benchmarks.pulse.thresholds import AT_END_S, GRIPPER_HALF, LEAST_PHASE_S, STOP_SPEED
from assay.records import Episode, Floats, Series

__all__ = ["Keyframes", "Route", "find_keyframes"]

Route: TypeAlias = Literal["potential", "segments", "labels", "change points"]


@dataclass(frozen=True, slots=True)
class Keyframes:
    """The keyframes K_0 .. K_N [s], the name of each phase between them, and where from."""

    route: Route
    times: tuple[float, ...]
    names: tuple[str, ...]


def find_keyframes(episode: Episode) -> Keyframes | None:
    """Return the keyframes by the best route there is; None when nothing tells of phases."""
    return _of_segments(episode) or _of_labels(episode) or _of_changes(episode)


def _of_segments(episode: Episode) -> Keyframes | None:
    """Take the ends of marked subtasks."""
    marked = sorted(
        (s for s in episode.segments if s.kind == "subtask"), key=lambda s: (s.end_s, s.start_s)
    )
    if not marked:
        return None
    start = min(s.start_s for s in marked)
    return _joined("segments", start, ((s.end_s, s.name) for s in marked), AT_END_S)


def _of_labels(episode: Episode) -> Keyframes | None:
    """Take the moments at which the primitive, or else the phase, becomes another one."""
    series = episode.signals.get("primitive") or episode.signals.get("phase")
    if series is None or len(series.times) < 2:
        return None
    values = series.values.astype(str)
    changes = np.flatnonzero(values[1:] != values[:-1]) + 1
    ends = [(float(series.times[i]), str(values[i - 1])) for i in changes]
    ends.append((float(series.times[-1]), str(values[-1])))
    return _joined("labels", float(series.times[0]), ends, AT_END_S) if len(ends) > 1 else None


def _of_changes(episode: Episode) -> Keyframes | None:
    """Take the moments at which a gripper opens or closes, or the arm comes to a stop."""
    found: list[tuple[float, str]] = []
    last = 0.0
    for name, series in sorted(episode.signals.items()):
        base = name.partition(".")[0]
        if base == "gripper_opening":
            found += [(t, "gripper") for t in _crossings(series)]
        elif base == "joint_position":
            found += [(t, "stop") for t in _stops(series)]
        if base in ("gripper_opening", "joint_position") and len(series.times):
            last = max(last, float(series.times[-1]))
    if not found:
        return None
    inner = [(t, kind) for t, kind in sorted(found) if t < last - LEAST_PHASE_S]
    return _joined("change points", 0.0, [*inner, (last, "end")], LEAST_PHASE_S)


def _joined(
    route: Route, start: float, ends: Iterable[tuple[float, str]], apart_s: float
) -> Keyframes | None:
    """Return the keyframes from `start` over the increasing `ends`, at least `apart_s` apart."""
    times, names = [start], []
    for end, name in ends:
        if end - times[-1] >= apart_s:
            times.append(end)
            names.append(name)
    return Keyframes(route, tuple(times), tuple(names)) if names else None


def _crossings(series: Series) -> Iterator[float]:
    """Yield the moments at which the values pass the middle of their own range."""
    values = np.asarray(series.values, dtype=np.float64)
    if values.ndim != 1 or len(values) < 2 or np.ptp(values) <= 0:
        return
    above = (values - values.min()) / np.ptp(values) >= GRIPPER_HALF
    yield from series.times[1:][above[1:] != above[:-1]].tolist()


def _stops(series: Series) -> Iterator[float]:
    """Yield the moments at which the joints, having moved, come to a stop."""
    values: Floats = np.asarray(series.values, dtype=np.float64).reshape(len(series.times), -1)
    if len(values) < 3:
        return
    speed = np.linalg.norm(np.diff(values, axis=0), axis=1) / np.diff(series.times)
    moving = speed > STOP_SPEED * np.quantile(speed, 0.95)
    yield from series.times[1:-1][moving[:-1] & ~moving[1:]].tolist()
