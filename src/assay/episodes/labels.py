"""What other files say about episodes: labels and a task map."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.episodes import tables
from assay.errors import InputError
from assay.records import Episode, Segment, Unreadable

__all__ = ["Labels", "TaskMap", "read_labels", "read_task_map", "without_success"]

_FIELDS = ("task", "policy", "scene")
_INSTRUCTION = "instruction"
_STILL = ("still_start_s", "still_end_s")


@dataclass(frozen=True, slots=True)
class Labels:
    """The rows of a label file by episode id."""

    path: Path
    rows: Mapping[str, tables.Row]

    @property
    def tell_success(self) -> bool:
        """Tell whether any row has a success label."""
        return any("success" in row.cells for row in self.rows.values())

    def apply(self, episode: Episode | Unreadable) -> Episode | Unreadable:
        """Return the episode with what its row says put in; an empty cell changes nothing.

        A `success` label tells the end of the episode and nothing else. So it sets the outcome
        and takes a recorded `success` signal away, which may say something different. A still
        stretch is added to the segments.
        """
        row = self.rows.get(episode.id)
        if row is None:
            return episode
        changes: dict[str, Any] = {k: row.cells[k] for k in _FIELDS if k in row.cells}
        if "success" in row.cells:
            changes["outcome"] = tables.FLAGS[row.cells["success"].casefold()]
        if isinstance(episode, Unreadable):
            return replace(episode, **changes)
        if _INSTRUCTION in row.cells:
            changes[_INSTRUCTION] = row.cells[_INSTRUCTION]
        if _STILL[0] in row.cells:
            start, end = (float(row.cells[name]) for name in _STILL)
            changes["segments"] = (*episode.segments, Segment("still", start, end, kind="still"))
        told = "outcome" in changes
        return replace(without_success(episode) if told else episode, **changes)

    def unmatched(self, ids: Iterable[str]) -> list[str]:
        """Return the labelled ids that are not among `ids`, in the order of the file."""
        known = set(ids)
        return [name for name in self.rows if name not in known]

    def check(self, ids: Iterable[str]) -> None:
        """Refuse a label that belongs to no episode of the run."""
        known = list(ids)
        missing = self.unmatched(known)
        if missing:
            row = self.rows[missing[0]].line
            raise InputError(tables.no_such("episode", missing, known), self.path, row)


@dataclass(frozen=True, slots=True)
class TaskMap:
    """New task names by task or instruction."""

    path: Path
    to: Mapping[str, str]
    lines: Mapping[str, int]

    def apply(self, episode: Episode | Unreadable) -> Episode | Unreadable:
        """Return the episode under its new task: the one of its task, else of its instruction."""
        instruction = episode.instruction if isinstance(episode, Episode) else ""
        task = self.to.get(episode.task) or self.to.get(instruction)
        return replace(episode, task=task) if task else episode

    def check(self, seen: Iterable[str]) -> None:
        """Refuse a row that names none of the tasks and instructions `seen` in the run."""
        known = sorted(set(seen))
        missing = [name for name in self.to if name not in known]
        if missing:
            row = self.lines[missing[0]]
            raise InputError(tables.no_such("task or instruction", missing, known), self.path, row)


def read_labels(path: Path) -> Labels:
    """Read a csv of `episode` and any of the columns that say something about it.

    They are `task`, `instruction`, `policy`, `scene`, `success`, and `still_start_s` together with
    `still_end_s`.
    """
    columns, rows = tables.read_rows(path)
    tables.check_required(path, columns, ["episode"])
    tables.check_known(path, columns, ["episode", *_FIELDS, _INSTRUCTION, "success", *_STILL])
    for row in rows:
        _check_label(path, row)
    return Labels(path, _by_key(path, rows, "episode"))


def read_task_map(path: Path) -> TaskMap:
    """Read a csv of `from,to`, where `from` is a task or an instruction."""
    columns, rows = tables.read_rows(path)
    tables.check_required(path, columns, ["from", "to"])
    tables.check_known(path, columns, ["from", "to"])
    for row in rows:
        if "to" not in row.cells:
            raise InputError("'to' is empty.", path, row.line)
    keyed = _by_key(path, rows, "from")
    return TaskMap(
        path,
        {name: row.cells["to"] for name, row in keyed.items()},
        {name: row.line for name, row in keyed.items()},
    )


def without_success(episode: Episode) -> Episode:
    """Return the episode without its `success` signal; it stays as long as it was."""
    kept = episode.keeping(episode.signals.keys() - {"success"})
    return replace(kept, extra=episode.extra)


def _by_key(path: Path, rows: Iterable[tables.Row], key: str) -> dict[str, tables.Row]:
    found: dict[str, tables.Row] = {}
    for row in rows:
        name = row.cells.get(key)
        if name is None:
            raise InputError(f"{key!r} is empty.", path, row.line)
        if name in found:
            raise InputError(
                f"{key} {name!r} stands in row {found[name].line} already.", path, row.line
            )
        found[name] = row
    return found


def _check_label(path: Path, row: tables.Row) -> None:
    success = row.cells.get("success", "1")
    if success.casefold() not in tables.FLAGS:
        raise InputError(tables.bad_flag("success", success), path, row.line)
    still = [row.cells.get(name) for name in _STILL]
    if still == [None, None]:
        return
    start, end = (_seconds(path, row, name) for name in _STILL)
    if not 0 <= start < end:
        raise InputError(
            f"the still stretch goes from {start:g} s to {end:g} s; it needs 0 <= start < end.",
            path,
            row.line,
        )


def _seconds(path: Path, row: tables.Row, name: str) -> float:
    cell = row.cells.get(name)
    if cell is None:
        other = _STILL[1 - _STILL.index(name)]
        raise InputError(f"{name} is empty and {other} is not.", path, row.line)
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{name} is {cell!r}, which is not a number.", path, row.line)
    return value
