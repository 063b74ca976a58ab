"""Progress as people scored it: `episode,score[,rater][,time]` in csv, jsonl or parquet.

A file with a column `time` [s] holds scores of moments, one without it scores of whole episodes.
Rows are numbered as an editor numbers lines; rows of parquet from 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from assay.episodes import jsonlines, tables
from assay.episodes.faults import check_file, reading
from assay.errors import InputError, UsageError, nearest

__all__ = ["SCALES", "HumanScore", "HumanScores", "read_human"]

SCALES = (100, 1)
"""What a finished task may be scored as."""

_REQUIRED = ("episode", "score")
_OPTIONAL = ("rater", "time")
_TIMES = ("time", "t")
_Cells: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class HumanScore:
    """One score that a person gave.

    Attributes:
        episode: The episode's id.
        score: Progress in 0..1.
        rater: Who gave it; "" when the file does not say.
        time: The moment that was scored [s], or None for the whole episode.
        row: Where it stands in the file.
    """

    episode: str
    score: float
    rater: str
    time: float | None
    row: int


@dataclass(frozen=True, slots=True)
class HumanScores:
    """The scores of a file.

    Attributes:
        path: The file.
        scores: Those that were given, in the order of the file.
        scale: What the file calls a finished task: 100 or 1.
        told: Whether the scale was given; else it was read off the scores.
        empty: How many rows have no score.
        ignored: The columns that mean nothing here.
    """

    path: Path
    scores: tuple[HumanScore, ...]
    scale: int
    told: bool
    empty: int
    ignored: tuple[str, ...]

    @property
    def by_moment(self) -> bool:
        """Tell whether moments were scored, and not whole episodes."""
        return self.scores[0].time is not None

    @property
    def raters(self) -> list[str]:
        """Return who scored, sorted."""
        return sorted({score.rater for score in self.scores})


def read_human(path: Path, scale: int | None = None) -> HumanScores:
    """Read a file of scores.

    Args:
        path: A csv, jsonl or parquet file.
        scale: 100 or 1; None reads it off the scores where they leave no doubt.

    Raises:
        InputError: A column is missing, or a row can't be meant; the message names it.
        UsageError: The scale can't be told.
    """
    if scale is not None and scale not in SCALES:
        raise UsageError(f"--scale is 100 or 1, not {scale:g}.")
    ignored, rows = _rows(path)
    raw, empty = [], 0
    for row, cells in rows:
        found = _score(path, row, cells)
        if found is None:
            empty += 1
        else:
            raw.append(found)
    if not raw:
        raise InputError("has no scores." if empty else "has no rows.", path)
    _check_alike(path, raw)
    chosen = _scale(path, raw) if scale is None else scale
    _check_range(path, raw, chosen)
    scores = tuple(
        HumanScore(s.episode, s.score / chosen, s.rater, s.time, s.row)
        for s in sorted(raw, key=lambda s: s.row)
    )
    return HumanScores(path, scores, chosen, scale is not None, empty, ignored)


def _rows(path: Path) -> tuple[tuple[str, ...], Iterator[tuple[int, _Cells]]]:
    """Return the columns that are not used, and the cells of each row by column."""
    if path.suffix.lower() == ".jsonl":
        lines = list(jsonlines.iterate(path))
        columns = list(dict.fromkeys(name.casefold() for _, row in lines for name in row))
        if lines:
            tables.check_required(path, columns, _REQUIRED)
        return _unused(path, columns), _plain(path, lines)
    if path.suffix.lower() == ".parquet":
        columns, found = _parquet(path)
        return _unused(path, columns), _plain(path, found)
    columns, cells = tables.read_rows(path)
    tables.check_required(path, columns, _REQUIRED)
    return _unused(path, columns), ((row.line, row.cells) for row in cells)


def _parquet(path: Path) -> tuple[list[str], Iterator[tuple[int, Mapping[str, Any]]]]:
    import pyarrow.parquet as pq

    check_file(path)
    with reading(path):
        table = pq.read_table(path)
        columns = [name.casefold() for name in table.column_names]
        tables.check_required(path, columns, _REQUIRED)
        used = [n for n in table.column_names if n.casefold() in {*_REQUIRED, *_OPTIONAL, *_TIMES}]
        return columns, enumerate(table.select(used).to_pylist(), start=1)


def _plain(
    path: Path, rows: Iterable[tuple[int, Mapping[str, Any]]]
) -> Iterator[tuple[int, _Cells]]:
    """Yield rows of JSON values as rows of cells, without the empty ones."""
    for row, values in rows:
        wanted = {name.casefold(): value for name, value in values.items()}
        texts = {
            name: jsonlines.text(wanted[name], name, path, row)
            for name in (*_REQUIRED, *_OPTIONAL, *_TIMES)
            if name in wanted
        }
        yield row, {name: text for name, text in texts.items() if text}


def _unused(path: Path, columns: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that mean nothing here; one that looks like a slip is refused."""
    found = list(columns)
    others = [name for name in found if name not in {*_REQUIRED, *_OPTIONAL, *_TIMES}]
    for name in others:
        close = [known for known in nearest(name, _OPTIONAL) if known not in found]
        if close:
            raise InputError(
                f"the column {name!r} is not known. Nearest: {tables.quoted(close)}.", path
            )
    return tuple(others)


def _score(path: Path, row: int, cells: _Cells) -> HumanScore | None:
    """Return the score of a row on the file's own scale; None when its cell is empty."""
    if "episode" not in cells:
        raise InputError("'episode' is empty.", path, row)
    score = _number(path, row, cells, "score")
    if score is None:
        return None
    name = next((name for name in _TIMES if name in cells), "time")
    time = _number(path, row, cells, name)
    if time is not None and time < 0:
        raise InputError(f"{name} is {time:g} s; an episode starts at 0.", path, row)
    return HumanScore(cells["episode"], score, cells.get("rater", ""), time, row)


def _number(path: Path, row: int, cells: _Cells, name: str) -> float | None:
    text = cells.get(name)
    if text is None or text.casefold() == "nan":
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{name} is {text!r}, which is not a number.", path, row)
    return value


def _check_alike(path: Path, scores: Iterable[HumanScore]) -> None:
    """Refuse two scores of one thing by one person, and moments among whole episodes."""
    seen: dict[tuple[str, str, float | None], int] = {}
    first: HumanScore | None = None
    for score in scores:
        first = first or score
        if (score.time is None) != (first.time is None):
            timed, bare = (first, score) if score.time is None else (score, first)
            raise InputError(
                f"time is empty in row {bare.row} and not in row {timed.row}:"
                " score moments or whole episodes, each in a file of its own.",
                path,
                score.row,
            )
        key = (score.episode, score.rater, score.time)
        if key in seen:
            who = f" by {score.rater!r}" if score.rater else ""
            hint = "" if score.rater else ": name who scored in a column 'rater'"
            raise InputError(
                f"the episode {score.episode!r} is scored{who} in row {seen[key]} already{hint}.",
                path,
                score.row,
            )
        seen[key] = score.row


def _scale(path: Path, scores: Iterable[HumanScore]) -> int:
    """Return the scale that the scores leave no doubt of."""
    values = {score.score for score in scores}
    if max(values) > 1:
        return 100
    if values - {0.0, 1.0}:
        return 1
    raise UsageError(
        f"{path}: every score is 0 or 1, which may be shares or hundredths."
        " Say which: --scale 1 or --scale 100."
    )


def _check_range(path: Path, scores: Iterable[HumanScore], scale: int) -> None:
    for score in scores:
        if not 0 <= score.score <= scale:
            other = scale == 1 and score.score <= max(SCALES)
            hint = " For scores of 0..100: --scale 100." if other else ""
            raise InputError(
                f"score is {score.score:g}, outside 0..{scale}.{hint}", path, score.row
            )
