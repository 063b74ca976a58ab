"""Labels of a LeRobot episode: subtasks in their three forms, and whether it succeeded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from assay.episodes.lerobot.layout import FLAGS
from assay.episodes.lerobot.reading.data import Rows, to_numpy
from assay.episodes.lerobot.reading.signals import truth
from assay.errors import EpisodeError
from assay.records import Floats, Segment, Series

__all__ = ["outcome", "segments"]


def segments(
    row: Mapping[str, Any], rows: Rows, times: Floats, fps: float, subtasks: Mapping[int, str]
) -> tuple[Segment, ...]:
    """Return the annotated stretches of an episode, of kind "subtask" and "dense_subtask".

    The forms are looked for in this order, and the first that has any gives the subtasks:
    `subtask_index` of each frame with `meta/subtasks.parquet`; the list columns
    `sparse_subtask_*` or `subtask_*` of the episode table; rows of style "subtask" in
    `language_persistent`. The columns `dense_subtask_*` are added to either.

    None ends later than the last frame is shown: a subtask that runs to the end ends at the end.
    """
    found = (
        _indexed(rows, times, subtasks)
        or _listed(row, "sparse_", "subtask", fps, rows.file)
        or _listed(row, "", "subtask", fps, rows.file)
        or _spoken(rows, float(times[-1]))
    )
    dense = _listed(row, "dense_", "dense_subtask", fps, rows.file)
    return tuple(_capped(segment, float(times[-1])) for segment in (*found, *dense))


def outcome(table: bool | None, rows: Rows, signals: Mapping[str, Series]) -> bool | None:  # noqa: FBT001 - what it says
    """Return whether the episode succeeded, None when nothing says so.

    The last value of the signal `success` counts first, then what the episode table says, then a
    flag repeated on each frame. `next.reward` is not success and is never read as such.
    """
    if "success" in signals:
        return bool(signals["success"].values[-1])
    if table is not None:
        return table
    for name in FLAGS:
        if name in rows.table.column_names:
            values = to_numpy(rows.table[name], name, rows.file)
            if values is not None:
                return bool(truth(values, name, rows)[-1])
    return None


def _capped(segment: Segment, end_s: float) -> Segment:
    runs_on = segment.start_s <= end_s < segment.end_s
    return replace(segment, end_s=end_s) if runs_on else segment


def _indexed(rows: Rows, times: Floats, subtasks: Mapping[int, str]) -> list[Segment]:
    """Return runs of equal `subtask_index`; an index without a text is no subtask."""
    if not subtasks or "subtask_index" not in rows.table.column_names:
        return []
    index = to_numpy(rows.table["subtask_index"], "subtask_index", rows.file)
    if index is None:
        return []
    flat = index.reshape(len(times))
    starts = np.flatnonzero(np.diff(flat, prepend=flat[0] - 1))
    ends = times[[*starts[1:], -1]].tolist()
    return [
        Segment(subtasks[number], start, stop)
        for number, start, stop in zip(
            flat[starts].tolist(), times[starts].tolist(), ends, strict=True
        )
        if subtasks.get(number)
    ]


def _listed(
    row: Mapping[str, Any], prefix: str, kind: str, fps: float, file: Path
) -> list[Segment]:
    """Return segments from parallel lists of the episode table, in seconds or else in frames."""
    names = row.get(f"{prefix}subtask_names")
    if not names:
        return []
    if not isinstance(names, list):
        raise EpisodeError(
            f"{file}: '{prefix}subtask_names' of the episode table is not a list.", "invalid_value"
        )
    bounds = []
    for side in ("start", "end"):
        seconds = row.get(f"{prefix}subtask_{side}_times")
        frames = row.get(f"{prefix}subtask_{side}_frames")
        if seconds is None and isinstance(frames, list):
            seconds = [_seconds(frame) / fps for frame in frames]
        if not isinstance(seconds, list) or len(seconds) != len(names):
            raise EpisodeError(
                f"{file}: '{prefix}subtask_names' and '{prefix}subtask_{side}_times' of the "
                "episode table differ in length.",
                "invalid_value",
            )
        bounds.append([_seconds(value) for value in seconds])
    return [
        _stretch(str(name), start, stop, kind, file)
        for name, start, stop in zip(names, *bounds, strict=True)
    ]


def _seconds(value: object) -> float:
    """Return a number of a table; anything else is NaN, which `_stretch` refuses."""
    return float(value) if isinstance(value, int | float) else math.nan


def _stretch(name: str, start_s: float, end_s: float, kind: str, file: Path) -> Segment:
    if not (math.isfinite(end_s) and 0 <= start_s <= end_s):
        raise EpisodeError(
            f"{file}: the subtask {name!r} goes from {start_s:g} s to {end_s:g} s; "
            "0 <= start <= end is needed.",
            "invalid_value",
        )
    return Segment(name, start_s, end_s, kind)


def _spoken(rows: Rows, end_s: float) -> list[Segment]:
    """Return the rows of style "subtask": each holds from its time until the next one's.

    The rows are repeated on every frame of the episode, so equal ones count once.
    """
    if "language_persistent" not in rows.table.column_names:
        return []
    cells = [cell or [] for cell in rows.table["language_persistent"].to_pylist()]
    if not all(isinstance(cell, list) and all(isinstance(r, dict) for r in cell) for cell in cells):
        raise EpisodeError(
            f"{rows.file}: the column 'language_persistent' does not hold lists of objects.",
            "invalid_value",
        )
    said = {
        (_seconds(row.get("timestamp")), str(row["content"]))
        for cell in cells
        for row in cell
        if row.get("style") == "subtask" and row.get("content")
    }
    if any(math.isnan(start) for start, _ in said):
        raise EpisodeError(
            f"{rows.file}: a subtask in 'language_persistent' has no time.", "invalid_value"
        )
    if not said:
        return []
    texts = dict(sorted(said))  # by time; of two at one time the last counts
    starts = list(texts)
    stops = [*starts[1:], max(end_s, starts[-1])]
    return [
        _stretch(text, start, stop, "subtask", rows.file)
        for (start, text), stop in zip(texts.items(), stops, strict=True)
    ]
