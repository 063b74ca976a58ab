"""Manifests of video folders: csv, JSON lines or JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.episodes import jsonlines, tables
from assay.episodes.recorded.fields import FIELDS, from_cells
from assay.errors import InputError

__all__ = ["MANIFESTS", "Item", "read_manifest"]

MANIFESTS = ("manifest.csv", "manifest.jsonl", "manifest.json")

_OUTCOMES = {"success": True, "succeeded": True, "failure": False, "failed": False}
_FILE = ("file", "video", "path")
_START, _END = ("start_s", "start"), ("end_s", "end")
_SEGMENTS = ("segments", "subtask_segments")


@dataclass(frozen=True, slots=True)
class Item:
    """One video of a manifest.

    Attributes:
        file: The video, as the manifest names it.
        manifest: The manifest, for messages; empty for a file that was found without one.
        row: Where in the manifest, such as "row 3".
        episode: The episode it belongs to; empty when not given.
        group: The wider group, or the episode where no `episode` is given.
        view: The camera; empty when not given.
        fields: Those of the per-episode fields that the row gives.
        outcome: Whether the task is solved at the end, if the row says so.
        start_s: Where the episode starts in the file [s].
        end_s: Where it ends [s]; None is the end of the file.
        segments: Named stretches as JSON, None without.
        fps: Frames per second, None when not given.
        moves: Whether the camera goes along with the robot.
    """

    file: str
    manifest: str = ""
    row: str = ""
    episode: str = ""
    group: str = ""
    view: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    outcome: bool | None = None
    start_s: float = 0.0
    end_s: float | None = None
    segments: object = None
    fps: float | None = None
    moves: bool = False

    @property
    def place(self) -> str | None:
        """The manifest and the row, as messages name them."""
        return f"{self.manifest}, {self.row}" if self.manifest else None


def read_manifest(path: Path) -> list[Item]:
    """Return the rows of a manifest, in the order of the file."""
    items = [_item(path, place, values) for place, values in _rows(path)]
    if not items:
        raise InputError("has no rows.", path)
    return items


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield where each row stands, and its values."""
    if path.suffix == ".csv":
        columns, rows = tables.read_rows(path)
        if not set(_FILE) & set(columns):
            tables.check_required(path, columns, ["file"])
        for row in rows:
            yield f"row {row.line}", row.cells
    elif path.suffix == ".jsonl":
        for line, value in jsonlines.iterate(path):
            yield f"row {line}", value
    else:
        for number, value in enumerate(_json_list(path), start=1):
            if not isinstance(value, dict):
                raise InputError("is not a JSON object.", f"{path}, item {number}")
            yield f"item {number}", value


def _json_list(path: Path) -> list[Any]:
    """Return the list of a JSON manifest: the whole file, or what stands under a known key."""
    value = jsonlines.parse(tables.read_text(path), path)
    if isinstance(value, dict):
        value = next((value[key] for key in ("items", "episodes") if key in value), None)
    if not isinstance(value, list):
        raise InputError(
            "must be a list of objects, or an object with a list under 'items' or 'episodes'.", path
        )
    return value


def _item(manifest: Path, where: str, row: Mapping[str, Any]) -> Item:
    place = f"{manifest}, {where}"

    def text(*keys: str) -> str:
        key = next((key for key in keys if key in row), keys[0])
        return jsonlines.text(row.get(key), key, place, None)

    file = text(*_FILE)
    if not file:
        raise InputError(f"names no file; its keys are {', '.join(row) or 'none'}.", place)
    start, end = _seconds(row, _START, place), _seconds(row, _END, place)
    _check_range(start or 0.0, end, place)
    return Item(
        file,
        str(manifest),
        where,
        text("episode"),
        text("group"),
        text("view"),
        from_cells({key: text(key) for key in FIELDS}, place, None),
        _outcome(text("success"), text("outcome"), place),
        start or 0.0,
        end,
        _segments(row, place),
        _seconds(row, ("fps",), place),
        _flag(text("moves"), "moves", place),
    )


def _check_range(start: float, end: float | None, place: str) -> None:
    if start < 0:
        raise InputError(f"starts at {start:g} s; times count from 0.", place)
    if end is not None and end <= start:
        raise InputError(f"goes from {start:g} s to {end:g} s; the end must come later.", place)


def _outcome(success: str, outcome: str, place: str) -> bool | None:
    """Return the label: `success` is yes or no, `outcome` any text, which may tell nothing."""
    if not success:
        return {**tables.FLAGS, **_OUTCOMES}.get(outcome.casefold())
    return _flag(success, "success", place)


def _flag(cell: str, name: str, place: str) -> bool:
    """Return yes or no; an empty cell is a no."""
    if not cell:
        return False
    if cell.casefold() not in tables.FLAGS:
        raise InputError(tables.bad_flag(name, cell), place)
    return tables.FLAGS[cell.casefold()]


def _seconds(row: Mapping[str, Any], keys: tuple[str, ...], place: str) -> float | None:
    """Return a number that JSON gives as such and csv as text; None when it is not given."""
    key = next((key for key in keys if row.get(key) is not None), None)
    if key is None:
        return None
    value = row[key]
    try:
        found = (
            float(value) if isinstance(value, str) else jsonlines.number(value, key, place, None)
        )
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise InputError(f"{key} is {value!r}, which is not a number.", place)
    return found


def _segments(row: Mapping[str, Any], place: str) -> object:
    """Return the segments; a csv cell holds them as JSON text."""
    key = next((key for key in _SEGMENTS if row.get(key) is not None), None)
    value = None if key is None else row[key]
    return jsonlines.parse(value, place) if isinstance(value, str) else value
