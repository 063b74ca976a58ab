"""Labels of metrics beside people's scores: columns such as `mp` or `success_end`.

A column of the file of scores that is named as a metric of an episode holds what people say of that
metric. The five metrics are on the scale of the scores; success is yes or no.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

from assay.episodes import jsonlines, tables
from assay.episodes.faults import check_file, reading
from assay.episodes.human import HumanScores
from assay.errors import InputError
from assay.metrics.results import METRICS

__all__ = ["LABELS", "SUCCESSES", "Labels", "read_labels"]

SUCCESSES = ("success_once", "success_held", "success_end")
"""The columns that hold yes or no."""

LABELS = (*METRICS, *SUCCESSES)
"""The columns that are read as labels."""

Labels: TypeAlias = Mapping[str, float]
"""The mean over raters by episode, 0..1."""

_Cells: TypeAlias = Mapping[str, str]


def read_labels(human: HumanScores) -> dict[str, Labels]:
    """Return the labels by metric, in the order of `LABELS`; empty without such a column.

    A cell may be empty: that rater says nothing of that episode.

    Args:
        human: The scores of the same file; they tell its scale.

    Raises:
        InputError: A label can't be meant; the message names the row.
    """
    wanted = [name for name in LABELS if name in human.ignored]
    if not wanted:
        return {}
    if human.by_moment:
        raise InputError(
            f"{wanted[0]} is a label of a whole episode, and this file scores moments:"
            " give it in a file of its own.",
            human.path,
        )
    given: dict[str, dict[tuple[str, str], float]] = {name: {} for name in wanted}
    for row, cells in _rows(human.path, ("episode", "rater", *wanted)):
        who = cells.get("episode", ""), cells.get("rater", "")
        for name in wanted:
            value = _label(human, row, cells, name)
            if value is None:
                continue
            if who in given[name]:
                raise InputError(
                    f"{name} of the episode {who[0]!r} stands there twice by one rater.",
                    human.path,
                    row,
                )
            given[name][who] = value
    for name in wanted:
        _check_scale(human, name, given[name].values())
    return {name: _means(own) for name, own in given.items() if own}


def _means(given: Mapping[tuple[str, str], float]) -> Labels:
    by_episode: dict[str, list[float]] = {}
    for (episode, _), value in given.items():
        by_episode.setdefault(episode, []).append(value)
    return {episode: fmean(by_episode[episode]) for episode in sorted(by_episode)}


def _label(human: HumanScores, row: int, cells: _Cells, name: str) -> float | None:
    """Return one label in 0..1; None when its cell is empty."""
    text = cells.get(name, "")
    if not text or text.casefold() == "nan":
        return None
    if name in SUCCESSES:
        flag = tables.FLAGS.get(text.casefold())
        if flag is None:
            raise InputError(tables.bad_flag(name, text), human.path, row)
        return float(flag)
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= human.scale:
        problem = "is not a number" if math.isnan(value) else f"is outside 0..{human.scale}"
        hint = f", the scale of the scores: {name} goes by the same"
        shown = f"{name} is {text!r}, which {problem}"
        raise InputError(f"{shown}{'' if math.isnan(value) else hint}.", human.path, row)
    return value / human.scale


def _check_scale(human: HumanScores, name: str, values: Iterable[float]) -> None:
    """Refuse labels that look like shares beside scores of 0..100."""
    most = max(values, default=0.0)
    if name not in SUCCESSES and human.scale > 1 and 0 < most <= 1 / human.scale:
        raise InputError(
            f"no {name} is above 1, and scores go to {human.scale}: write both on one scale.",
            human.path,
        )


def _rows(path: Path, names: Sequence[str]) -> Iterator[tuple[int, _Cells]]:
    """Yield the number of each row and its cells with these names."""
    if path.suffix.lower() == ".jsonl":
        yield from _plain(path, jsonlines.iterate(path), names)
    elif path.suffix.lower() == ".parquet":
        import pyarrow.parquet as pq

        check_file(path)
        with reading(path):
            table = pq.read_table(path)
            used = [name for name in table.column_names if name.casefold() in names]
            rows = table.select(used).to_pylist()
        yield from _plain(path, enumerate(rows, start=1), names)
    else:
        yield from ((row.line, row.cells) for row in tables.read_rows(path)[1])


def _plain(
    path: Path, rows: Iterator[tuple[int, Mapping[str, Any]]], names: Sequence[str]
) -> Iterator[tuple[int, _Cells]]:
    for row, values in rows:
        wanted = {name.casefold(): value for name, value in values.items()}
        yield (
            row,
            {
                name: jsonlines.text(wanted[name], name, path, row)
                for name in names
                if name in wanted
            },
        )
