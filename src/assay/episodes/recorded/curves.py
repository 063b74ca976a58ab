"""Recorded curves: rows of a table gathered into one curve per episode."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.episodes import tables
from assay.episodes.recorded.clocks import clock_fault, suspects
from assay.episodes.recorded.columns import Columns, Text
from assay.episodes.recorded.fields import FIELDS, bad_seed, seed_of
from assay.errors import InputError
from assay.records import Episode, Floats, Segment, Series, Unreadable

__all__ = ["Recorded", "gather"]

_Integers: TypeAlias = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """A curve and what its file says about the episode.

    Attributes:
        id: The episode.
        path: The file.
        line: Tells the line of its first row, counted from 1; it may read the file again.
        fields: Those of `FIELDS` that the file gives.
        signals: "progress", and "success" when moments are labelled.
        outcome: Whether the task is solved at the end, if that is known.
        segments: Named stretches.
        fault: Why the curve can't be used, as a sentence; empty when it can.
    """

    id: str
    path: Path
    line: Callable[[], int]
    fields: Mapping[str, Any] = field(default_factory=dict)
    signals: Mapping[str, Series] = field(default_factory=dict)
    outcome: bool | None = None
    segments: tuple[Segment, ...] = ()
    fault: str = ""

    def episode(self) -> Episode | Unreadable:
        """Return the curve as an episode of its own; the file must give a task."""
        if "task" not in self.fields:
            raise InputError(f"the episode {self.id!r} has no task.", self.path, self.line())
        episode = Episode(
            self.id,
            signals=self.signals,
            segments=self.segments,
            outcome=self.outcome,
            source=str(self.path),
            **self.fields,
        )
        return Unreadable.of(episode, self.fault, "invalid_value") if self.fault else episode


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """The rows of a table by episode: group g holds the rows `order[starts[g]:ends[g]]`.

    `order` is of shape (N,), the others have one entry per episode.
    """

    ids: Sequence[str]
    order: _Integers | slice
    starts: _Integers
    ends: _Integers
    firsts: _Integers  # the first row of each group in the file

    @classmethod
    def of(cls, episodes: Text) -> _Groups:
        codes = episodes.codes
        counts = np.bincount(codes, minlength=len(episodes.values))
        ends = np.cumsum(counts)
        starts = ends - counts
        if (np.diff(codes) >= 0).all():  # the usual case: rows of an episode stand together
            return cls(episodes.values, slice(None), starts, ends, starts)
        order = np.argsort(codes, kind="stable")
        return cls(episodes.values, order, starts, ends, order[starts])

    def row(self, position: int) -> int:
        """Return the row of the file that stands at `position` of the order."""
        return position if isinstance(self.order, slice) else int(self.order[position])

    def first(self, marked: npt.NDArray[np.bool_]) -> _Integers:
        """Return the position of the first marked row per group; N where none is marked."""
        positions = np.where(marked, np.arange(len(marked)), len(marked))
        earliest: _Integers = np.minimum.reduceat(positions, self.starts)
        return earliest

    def spread(self, per_group: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Repeat one value per group over the group's rows."""
        return np.repeat(per_group, self.ends - self.starts)


def gather(table: Columns) -> Iterator[Recorded]:
    """Yield one curve per episode, in the order in which the episodes first appear.

    The rows of an episode need not stand together, but their times must increase down the file.
    """
    unnamed = table.text["episode"].code_of("")
    if unnamed >= 0:
        row = int(np.argmax(table.text["episode"].codes == unnamed))
        raise InputError("the episode has no id.", table.path, table.line(row))
    groups = _Groups.of(table.text["episode"])
    fields: dict[str, list[Any]] = {
        name: _per_episode(table, groups, name) for name in FIELDS if name in table.text
    }
    if "seed" in fields:
        _check_seeds(table)
        fields["seed"] = [text and seed_of(text) for text in fields["seed"]]
    times, progress = (table.numbers[name][groups.order] for name in ("t", "progress"))
    flags = _flags(table)[groups.order]
    faults = _clock_faults(table, groups, times)
    for group in np.argsort(groups.firsts).tolist():
        rows = slice(int(groups.starts[group]), int(groups.ends[group]))
        signals = {"progress": Series(times[rows], progress[rows])}
        labelled = flags[rows] >= 0
        if labelled.any():
            signals["success"] = Series(times[rows][labelled], flags[rows][labelled] == 1)
        yield Recorded(
            groups.ids[group],
            table.path,
            partial(table.line, int(groups.firsts[group])),
            {name: values[group] for name, values in fields.items() if values[group] != ""},
            signals,
            bool(signals["success"].values[-1]) if labelled.any() else None,
            fault=faults.get(group, ""),
        )


def _per_episode(table: Columns, groups: _Groups, name: str) -> list[str]:
    """Return the one value of a column per episode, "" where every cell is empty."""
    column = table.text[name]
    codes = column.codes[groups.order]
    filled = codes != column.code_of("")
    where = groups.first(filled)
    # Where no cell is filled, the first row's code is as good as any: all of them are "".
    values = codes[np.where(where < len(codes), where, groups.starts)]
    odd = filled & (codes != groups.spread(values))
    if odd.any():
        position = int(np.argmax(odd))
        group = int(np.searchsorted(groups.ends, position, side="right"))
        first, other = table.lines([groups.row(int(where[group])), groups.row(position)])
        raise InputError(
            f"the episode {groups.ids[group]!r} has the {name} {column.values[codes[position]]!r} "
            f"here and {column.values[values[group]]!r} in row {first}; "
            "one id must stand for one episode.",
            table.path,
            other,
        )
    return [column.values[code] for code in values]


def _check_seeds(table: Columns) -> None:
    column = table.text["seed"]
    for code, value in enumerate(column.values):
        if value and seed_of(value) is None:
            row = int(np.argmax(column.codes == code))
            raise InputError(bad_seed(value), table.path, table.line(row))


def _clock_faults(table: Columns, groups: _Groups, times: Floats) -> dict[int, str]:
    """Return a sentence for every episode whose times are not finite and increasing from 0 on."""
    marked = suspects(times)
    starts = groups.starts
    marked[starts] = ~np.isfinite(times[starts]) | (times[starts] < 0)
    where = groups.first(marked)
    faulty = np.flatnonzero(where < len(times)).tolist()
    if not faulty:
        return {}
    positions = [int(where[group]) for group in faulty]
    lines = table.lines([groups.row(position) for position in positions])
    faults = {}
    for group, position, line in zip(faulty, positions, lines, strict=True):
        before = None if position == starts[group] else float(times[position - 1])
        words = clock_fault(float(times[position]), before)
        faults[group] = f"{table.path}, row {line}: {words}"
    return faults


def _flags(table: Columns) -> npt.NDArray[np.int8]:
    """Return the success column as 1, 0 or -1 (not labelled), of shape (N,)."""
    column = table.text.get("success")
    if column is None:
        return np.full(len(table.numbers["t"]), -1, dtype=np.int8)
    meaning = {**tables.FLAGS, "": -1}
    for code, value in enumerate(column.values):
        if value.casefold() not in meaning:
            row = int(np.argmax(column.codes == code))
            raise InputError(tables.bad_flag("success", value), table.path, table.line(row))
    codes = np.array([int(meaning[value.casefold()]) for value in column.values], dtype=np.int8)
    found: npt.NDArray[np.int8] = codes[column.codes]
    return found
