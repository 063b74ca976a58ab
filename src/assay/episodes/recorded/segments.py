"""Named stretches of an episode as JSON writes them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from assay.episodes import jsonlines
from assay.errors import InputError
from assay.records import Segment

__all__ = ["read_segments"]

_NAMES = ("name", "label", "annotation", "anotation")  # the last is misspelt in published data


def read_segments(
    value: object,
    path: object,
    row: int | None,
    seconds: Callable[[float], float] | None = None,
) -> tuple[Segment, ...]:
    """Return the segments of a list of JSON objects.

    Args:
        value: A list of `{"name", "start_s", "end_s"}`, with an optional `kind`. The stretch may
            also be given by `start_frame_id` and `end_frame_id`, counted from 0.
        path: The file, for the message.
        row: The row of that file, for the message.
        seconds: Turns a frame number into a time [s]; without it frame numbers are refused.
    """
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise InputError("segments must be a list of JSON objects.", path, row)
    return tuple(_segment(entry, path, row, seconds) for entry in value)


def _segment(
    entry: dict[str, Any],
    path: object,
    row: int | None,
    seconds: Callable[[float], float] | None,
) -> Segment:
    key = next((key for key in _NAMES if key in entry), "name")
    name = jsonlines.text(entry.get(key), "a segment's name", path, row)
    by_frame = seconds is not None and "start_frame_id" in entry
    keys = ("start_frame_id", "end_frame_id") if by_frame else ("start_s", "end_s")
    start, end = (jsonlines.number(entry.get(k), f"a segment's {k}", path, row) for k in keys)
    if by_frame and seconds is not None:
        start, end = seconds(start), seconds(end)
    if not name or not (math.isfinite(end) and 0 <= start <= end):
        raise InputError(
            f"the segment {name!r} goes from {start:g} s to {end:g} s; "
            f"it needs a name, {keys[0]} and {keys[1]}, with 0 <= start <= end.",
            path,
            row,
        )
    kind = jsonlines.text(entry.get("kind"), "a segment's kind", path, row)
    return Segment(name, start, end, kind or "subtask")
