"""What other files say about episodes: labels, a task map, recorded curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from assay.episodes import tables
from assay.episodes.formats._curve_files import read_recorded
from assay.episodes.formats._recorded import Recorded
from assay.errors import InputError
from assay.records import Episode, Segment, Unreadable

__all__ = ["Labels", "TaskMap", "join_curves", "read_labels", "read_task_map"]

_FIELDS = ("task", "policy", "scene")
_STILL = ("still_start_s", "still_end_s")
_Read = TypeVar("_Read", bound=Episode | Unreadable)


@dataclass(frozen=True, slots=True)
class Labels:
    """The rows of a label file by episode id."""

    path: Path
    rows: Mapping[str, tables.Row]

    @property
    def tell_success(self) -> bool:
        """Tell whether any row has a success label."""
        return any("success" in row.cells for row in self.rows.values())

    def apply(self, episode: _Read) -> _Read:
        """Return the episode with what its row says put in; an empty cell changes nothing.

        A `success` label tells the end of the episode and nothing else. So it sets the outcome
        and takes a recorded `success` signal away, which may say something different. A still
        stretch is added to the segments.
        """
        row = self.rows.get(episode.id)
        if row is None:
            return episode
        changes: dict[str, Any] = {k: row.cells[k] for k in _FIELDS if k in row.cells}
        if isinstance(episode, Episode):
            changes |= self._of_episode(episode, row)
        return replace(episode, **changes)

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

    def _of_episode(self, episode: Episode, row: tables.Row) -> dict[str, Any]:
        changes: dict[str, Any] = {}
        if "success" in row.cells:
            changes["outcome"] = tables.FLAGS[row.cells["success"].casefold()]
            changes["signals"] = {k: v for k, v in episode.signals.items() if k != "success"}
        if _STILL[0] in row.cells:
            start, end = (float(row.cells[name]) for name in _STILL)
            changes["segments"] = (*episode.segments, Segment("still", start, end, kind="still"))
        return changes


@dataclass(frozen=True, slots=True)
class TaskMap:
    """New task names by task or instruction."""

    path: Path
    to: Mapping[str, str]
    lines: Mapping[str, int]

    def apply(self, episode: _Read) -> _Read:
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
    """Read a csv of `episode[,task][,policy][,scene][,success][,still_start_s,still_end_s]`."""
    columns, rows = tables.read_rows(path)
    tables.check_required(path, columns, ["episode"])
    tables.check_known(path, columns, ["episode", *_FIELDS, "success", *_STILL])
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


def join_curves(
    found: Iterable[Episode | Unreadable], path: Path, aliases: Mapping[str, str] | None = None
) -> list[Episode | Unreadable]:
    """Return the episodes with the recorded curves of a file put in, matched by id.

    What the file says replaces what the episode said, its task and policy too. An episode without
    a curve stays as it is; a curve without an episode is an error.

    Args:
        found: The episodes.
        path: A csv or jsonl file of curves; `task` and `policy` may be left out.
        aliases: Further names of episodes, to ids.
    """
    episodes = list(found)
    names = {**(aliases or {}), **{episode.id: episode.id for episode in episodes}}
    curves: dict[str, Recorded] = {}
    for curve in read_recorded(path):
        name = names.get(curve.id)
        if name is None:
            ids = [episode.id for episode in episodes]
            raise InputError(tables.no_such("episode", [curve.id], ids), path, curve.line())
        if name in curves:
            raise InputError(
                f"{curve.id!r} and {curves[name].id!r} both name the episode {name!r}.",
                path,
                curve.line(),
            )
        curves[name] = curve
    return [_joined(episode, curves.get(episode.id)) for episode in episodes]


def _joined(episode: Episode | Unreadable, curve: Recorded | None) -> Episode | Unreadable:
    if curve is None:
        return episode
    if isinstance(episode, Unreadable) or curve.fault:
        shared = {k: curve.fields.get(k, getattr(episode, k)) for k in _FIELDS}
        if isinstance(episode, Unreadable):
            return replace(episode, **shared)
        return Unreadable(
            episode.id, curve.fault, status="invalid_value", source=episode.source, **shared
        )
    return replace(
        episode,
        signals={**episode.signals, **curve.signals},
        segments=curve.segments or episode.segments,
        outcome=episode.outcome if curve.outcome is None else curve.outcome,
        **curve.fields,
    )


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
