"""Blind votes on pairs of policies: `a,b,outcome` in csv, jsonl or parquet.

The outcome is "a", "b" or "tie". Optional columns are `task`, `scene`, `rater`, `reason`, `time`
and `source`. There may be ten million votes, so names become numbers as they are read, no vote is
ever an object of its own, and beside what was read there is one copy. Rows are numbered as an
editor numbers lines; rows of parquet from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.episodes import jsonlines, tables
from assay.episodes.faults import check_file, reading
from assay.errors import InputError, UnknownNameError, nearest

__all__ = ["OUTCOMES", "VOTE_COLUMNS", "Column", "Votes", "read_votes"]

_Codes: TypeAlias = npt.NDArray[np.int32]

OUTCOMES: Mapping[str, int] = {"a": 1, "b": -1, "tie": 0}
"""What a vote can say, and the sign it is counted with: +1 is for a."""

VOTE_COLUMNS = ("task", "scene", "rater", "reason", "time", "source")
"""What a vote may also say."""

_REQUIRED = ("a", "b", "outcome")
_BLOCK = 1 << 20  # bytes that are parsed at once


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A column of n texts: the texts that occur, sorted, and which of them each row has."""

    names: tuple[str, ...]
    codes: _Codes


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """The n votes of a file.

    Attributes:
        path: The file.
        names: The policies, sorted.
        a: The first policy of each vote, as its place in `names`, of shape (n,).
        b: The second one, of shape (n,).
        outcome: +1 where a was preferred, -1 where b was, 0 for a tie, of shape (n,).
        columns: Further columns that were asked for.
        ignored: The columns that mean nothing here.
    """

    path: Path
    names: tuple[str, ...]
    a: _Codes
    b: _Codes
    outcome: npt.NDArray[np.int8]
    columns: Mapping[str, Column]
    ignored: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.a)

    def among(self, policies: Sequence[str]) -> Votes:
        """Return the votes between two of the named `policies`.

        Raises:
            UnknownNameError: No vote names one of them.
        """
        known = set(self.names)
        for name in policies:
            if name not in known:
                raise UnknownNameError(f"policy in {self.path}", name, self.names)
        kept = tuple(name for name in self.names if name in set(policies))
        number = np.full(len(self.names), -1, dtype=np.int32)
        number[[self.names.index(name) for name in kept]] = np.arange(len(kept))
        a, b = number[self.a], number[self.b]
        rows = (a >= 0) & (b >= 0)
        columns = {n: Column(c.names, c.codes[rows]) for n, c in self.columns.items()}
        return Votes(self.path, kept, a[rows], b[rows], self.outcome[rows], columns, self.ignored)

    def by(self, column: str) -> dict[str, npt.NDArray[np.intp]]:
        """Return the rows of each text of a column, by the text."""
        found = self.columns[column]
        order = np.argsort(found.codes, kind="stable")
        ends = np.searchsorted(found.codes[order], np.arange(len(found.names) + 1))
        return {
            name: order[ends[k] : ends[k + 1]]
            for k, name in enumerate(found.names)
            if ends[k] < ends[k + 1]
        }


def read_votes(path: Path, also: Iterable[str] = ()) -> Votes:
    """Read a file of votes.

    Args:
        path: A csv, jsonl or parquet file.
        also: Optional columns to read, of `VOTE_COLUMNS`; each vote must then have a text there.

    Raises:
        InputError: A column is missing, or a row can't be meant; the message names it.
    """
    further = tuple(dict.fromkeys(also))
    for name in further:
        if name not in VOTE_COLUMNS:
            raise UnknownNameError("column of votes", name, VOTE_COLUMNS)
    check_file(path)
    wanted = (*_REQUIRED, *further)
    columns, table = _READERS.get(path.suffix.lower(), _read_csv)(path, wanted)
    ignored = _unused(path, columns)
    n, parts = len(table), {name: table[name] for name in wanted}
    del table  # so that what has become numbers is gone
    if not n:
        raise InputError("has no votes.", path)
    sides = _coded(path, parts, ("a", "b"))
    one, other = sides.codes[:n], sides.codes[n:]
    same = one == other
    if same.any():
        row = int(np.argmax(same))
        who = sides.names[one[row]]
        said = f"a and b are both {who!r}: a policy can't be compared with itself."
        raise InputError(said, path, _line(path, row))
    outcome = _outcomes(path, _coded(path, parts, ("outcome",)))
    kept = {name: _coded(path, parts, (name,)) for name in further}
    return Votes(path, sides.names, one, other, outcome, kept, ignored)


def _coded(path: Path, columns: dict[str, Any], wanted: Sequence[str]) -> Column:
    """Return the texts of some columns, one column after the other, as numbers.

    Blanks around a text don't count, and none may be empty.

    Args:
        path: The file.
        columns: Columns of pyarrow, of one length; the wanted ones are taken out, and each block
            of them is let go when it has been read.
        wanted: Their names.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    with reading(path):
        blocks = [block for name in wanted for block in _encoded(columns.pop(name))]
    # Each block of a file has texts of its own; only these are made alike, not the rows.
    texts: list[Any] = [pc.utf8_trim_whitespace(block.dictionary) for block in blocks]
    found: Any = pa.chunked_array([*texts, pa.array([""], pa.string())]).unique()
    names = found.take(pc.array_sort_indices(found))  # the empty text is the first
    codes = np.empty(sum(map(len, blocks)), dtype=np.int32)
    start = 0
    for own in texts:
        block = blocks.pop(0)
        place = np.append(pc.index_in(own, names).to_numpy() - 1, np.int32(-1))
        rows = block.indices.fill_null(len(own)) if block.null_count else block.indices
        # Every number is in range, and "clip" spares a copy.
        np.take(place, rows.to_numpy(), out=codes[start : start + len(block)], mode="clip")
        start += len(block)
    del block, rows
    pa.default_memory_pool().release_unused()  # it would keep what it no longer needs
    if int(codes.min()) < 0:
        column, row = divmod(int(np.argmax(codes < 0)), len(codes) // len(wanted))
        raise InputError(_empty(wanted[column]), path, _line(path, row))
    return Column(tuple(names.to_pylist()[1:]), codes)


def _encoded(column: Any) -> list[Any]:  # noqa: ANN401 - pyarrow's, imported late
    """Return the blocks of a column, each as its texts and which of them each row has."""
    import pyarrow as pa

    if column.type != pa.dictionary(pa.int32(), pa.string()):
        column = column.cast(pa.string()).dictionary_encode()
    return list(column.chunks)


def _empty(name: str) -> str:
    allowed = f"; allowed: {', '.join(OUTCOMES)}" if name == "outcome" else ""
    return f"{name!r} is empty{allowed}."


def _outcomes(path: Path, column: Column) -> npt.NDArray[np.int8]:
    """Return the sign of each outcome."""
    known = [OUTCOMES.get(name.casefold()) for name in column.names]
    for code, (name, sign) in enumerate(zip(column.names, known, strict=True)):
        if sign is None:
            row = int(np.argmax(column.codes == code))
            raise InputError(
                f"outcome is {name!r}; allowed: {', '.join(OUTCOMES)}.", path, _line(path, row)
            )
    return np.array([sign or 0 for sign in known], dtype=np.int8)[column.codes]


def _unused(path: Path, columns: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that mean nothing here; one that looks like a slip is refused."""
    found = list(columns)
    others = tuple(name for name in found if name not in {*_REQUIRED, *VOTE_COLUMNS})
    for name in others:
        close = [known for known in nearest(name, VOTE_COLUMNS) if known not in found]
        if close:
            raise InputError(
                f"the column {name!r} is not known. Nearest: {tables.quoted(close)}.", path
            )
    return others


_Read: TypeAlias = tuple[list[str], Any]
"""All columns of a file, and a pyarrow table of those that are wanted."""


def _read_csv(path: Path, wanted: Sequence[str]) -> _Read:
    import pyarrow as pa
    from pyarrow import csv

    line, columns = tables.header_of(path)
    if not columns:
        raise InputError("is empty.", path)
    tables.check_required(path, columns, wanted)
    with path.open(encoding="utf-8-sig") as file:
        delimiter = tables.delimiter_of(next((text for text in file if text.strip()), ""))
    kind = pa.dictionary(pa.int32(), pa.string())
    try:
        table = csv.read_csv(
            path,
            csv.ReadOptions(
                use_threads=False,  # more would hold more blocks at once, and are hardly faster
                skip_rows=line,
                column_names=columns,
                block_size=_BLOCK,
            ),
            csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            csv.ConvertOptions(
                include_columns=list(wanted), column_types=dict.fromkeys(wanted, kind)
            ),
        )
    except ValueError:
        for number, cells in tables.iterate(path):  # words the fault with its row
            if len(cells) != len(columns):
                raise InputError(tables.wrong_width(cells, columns), path, number) from None
        with reading(path):
            raise
    return columns, table


def _read_jsonl(path: Path, wanted: Sequence[str]) -> _Read:
    import pyarrow as pa
    from pyarrow import json

    first = next((row for _, row in jsonlines.iterate(path)), None)
    if first is None:
        raise InputError("is empty.", path)
    columns = list(first)
    if all(name == name.casefold() for name in columns):
        schema = pa.schema([(name, pa.string()) for name in wanted])
        try:
            table = json.read_json(
                path,
                json.ReadOptions(block_size=_BLOCK),
                json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
            )
        except ValueError:  # a number as a name, or a fault: the slow way tells which
            return _read_lines(path, wanted)
        if not any(table[name].null_count for name in wanted):
            return columns, table
    return _read_lines(path, wanted)


def _read_lines(path: Path, wanted: Sequence[str]) -> _Read:
    """Read jsonl line by line: slow, but it reads all that can be read and words the rest."""
    import pyarrow as pa

    cells: dict[str, list[str]] = {name: [] for name in wanted}
    columns: dict[str, None] = {}
    for line, row in jsonlines.iterate(path):
        plain = {name.casefold(): value for name, value in row.items()}
        columns.update(dict.fromkeys(plain))
        for name, texts in cells.items():
            texts.append(jsonlines.text(plain.get(name), name, path, line))
    tables.check_required(path, columns, wanted)
    return list(columns), pa.table({name: pa.array(own) for name, own in cells.items()})


def _read_parquet(path: Path, wanted: Sequence[str]) -> _Read:
    import pyarrow.parquet as pq

    with reading(path):
        real = {name.casefold(): name for name in pq.read_schema(path).names}
        tables.check_required(path, real, wanted)
        chosen = [real[name] for name in wanted]
        table = pq.read_table(path, columns=chosen, read_dictionary=chosen)
        return list(real), table.select(chosen).rename_columns(list(wanted))


_READERS = {".jsonl": _read_jsonl, ".parquet": _read_parquet}


def _line(path: Path, row: int) -> int:
    """Return where the vote number `row`, from 0, stands in the file."""
    kind = path.suffix.lower()
    if kind == ".parquet":
        return row + 1
    if kind == ".jsonl":
        lines = (line for line, _ in jsonlines.iterate(path))
        return next(islice(lines, row, None), row + 1)
    lines = (line for line, _ in tables.iterate(path))  # the header comes first
    return next(islice(lines, row + 1, None), row + 2)
