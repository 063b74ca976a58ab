"""Our own fields of each episode, `meta/assay_episodes.parquet`, checked before they are used.

Assay writes this file, but others may have edited it: it is as foreign as the rest of a dataset.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from assay.episodes import jsonlines
from assay.episodes.faults import reading, shown
from assay.episodes.lerobot.layout import OWN
from assay.episodes.lerobot.reading.info import Info
from assay.episodes.lerobot.reading.parquet import open_parquet, require, whole_numbers
from assay.episodes.paths import inside
from assay.errors import InputError

__all__ = ["OwnFields", "load_own"]

_TEXTS = ("id", "task", "instruction", "policy", "world", "scene", "perturbation")
_INTRINSICS, _POSE = 9, 16  # numbers of a matrix of 3 x 3 and of 4 x 4


class OwnFields:
    """The fields Assay keeps for each episode.

    Attributes:
        file: The file, for messages.
        layout: What the writer noted of its columns: "state" and "signals"; empty without a file.
    """

    def __init__(self, file: Path, table: pa.Table | None) -> None:
        self.file = file
        self.layout: Mapping[str, Any] = {}
        self._table = table
        self._row_of: dict[int, int] = {}
        if table is not None:
            indexes = whole_numbers(table["episode_index"], "episode_index", file)
            self._row_of = {index: row for row, index in enumerate(indexes)}
            self.layout = _layout((table.schema.metadata or {}).get(b"assay", b"{}"), file)

    def of(self, episode_index: int) -> Mapping[str, Any]:
        """Return the fields of one episode, empty when there are none."""
        row = self._row_of.get(episode_index)
        if row is None or self._table is None:
            return {}
        with reading(self.file):
            fields = self._table.slice(row, 1).to_pylist()[0]
            _check(fields, self.file, row + 1)
        return fields


def load_own(info: Info) -> OwnFields:
    """Read our own per-episode fields, if the dataset has them."""
    file = inside(info.root, OWN)
    if not file.exists():
        return OwnFields(file, None)
    with reading(file):
        table = open_parquet(file).read()
        require(table.column_names, "episode_index", file)
        return OwnFields(file, table)


def _check(fields: Mapping[str, Any], file: Path, row: int) -> None:
    """Refuse fields of another kind than our writer gives them; an empty cell says nothing."""
    allowed: dict[str, tuple[Callable[[Any], bool], str]] = {
        **dict.fromkeys(_TEXTS, (_is_text, "text")),
        "length": (_is_whole, "a whole number"),
        "seed": (_is_whole, "a whole number"),
        "outcome": (_is_flag, "true or false"),
        "segments": (_are_segments, "a list of name, start_s, end_s and kind, 0 <= start <= end"),
        "views": (_are_views, "a list of name, moves, intrinsics (9) and world_from_camera (16)"),
    }
    for name, (fits, wanted) in allowed.items():
        value = fields.get(name)
        if value is not None and not fits(value):
            raise InputError(
                f"the column {name!r} holds {shown(repr(value))}; {wanted} is needed.", file, row
            )


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _are_segments(value: object) -> bool:
    return isinstance(value, list) and all(_is_segment(entry) for entry in value)


def _is_segment(entry: object) -> bool:
    if not isinstance(entry, dict):
        return False
    start, end = entry.get("start_s"), entry.get("end_s")
    return (
        isinstance(start, float)
        and isinstance(end, float)
        and 0 <= start <= end < math.inf
        and _is_text(entry.get("name"))
        and _is_text(entry.get("kind"))
    )


def _are_views(value: object) -> bool:
    return isinstance(value, list) and all(_is_view(entry) for entry in value)


def _is_view(entry: object) -> bool:
    if not isinstance(entry, dict) or not {"intrinsics", "world_from_camera"} <= entry.keys():
        return False
    camera = entry["intrinsics"] is None or (
        _are_numbers(entry["intrinsics"], _INTRINSICS)
        and _are_numbers(entry["world_from_camera"], _POSE)
    )
    return camera and _is_text(entry.get("name")) and _is_flag(entry.get("moves"))


def _are_numbers(value: object, count: int) -> bool:
    return isinstance(value, list) and len(value) == count and all(type(n) is float for n in value)


def _layout(raw: bytes, file: Path) -> Mapping[str, Any]:
    """Return the notes of the writer on its columns."""
    found = jsonlines.parse(raw.decode(), file)
    fits = isinstance(found, dict) and _are_parts(found.get("state") or [])
    if not fits or not _are_notes(found.get("signals") or {}):
        raise InputError(
            f"the note 'assay' on its columns holds {shown(repr(found))}; "
            "'state' with pairs of a name and a width, and 'signals' with axes and dtype by name, "
            "are needed.",
            file,
        )
    return {key: value for key, value in found.items() if value}


def _are_parts(state: object) -> bool:
    return isinstance(state, list) and all(
        isinstance(part, list)
        and len(part) == 2
        and _is_text(part[0])
        and _is_whole(part[1])
        and part[1] >= 0
        for part in state
    )


def _are_notes(signals: object) -> bool:
    return isinstance(signals, dict) and all(
        isinstance(note, dict) and _is_whole(note.get("axes")) and _is_dtype(note.get("dtype"))
        for note in signals.values()
    )


def _is_dtype(name: object) -> bool:
    try:
        return isinstance(name, str) and len(name) < 16 and np.dtype(name).kind in "Ubiuf"
    except (TypeError, ValueError, SyntaxError):  # numpy reads it like Python
        return False
