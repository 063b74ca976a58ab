"""Print a comparison of policies: for a terminal, as Markdown, as csv."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from assay.reports import words
from assay.reports._difference_words import (
    best_first,
    chance,
    change,
    counted_units,
    drop_words,
    estimate_words,
    lead,
    needed_words,
    p_words,
    reach_words,
    strongest_first,
    title_of,
)
from assay.reports._passports import passport_notes

if TYPE_CHECKING:
    from rich.console import Group

__all__ = ["COLUMNS", "Cell", "below", "metric_of", "to_csv", "to_markdown", "to_terminal"]

Row: TypeAlias = Mapping[str, Any]

_FIELDS = ("value", "low", "high", "n", "p", "method", "test")


@dataclass(frozen=True)
class Cell:
    """One column: heading, meaning, and how the cell of a comparison is worded."""

    heading: str
    title: str
    word: Callable[[Row, Row], str]


def _effect(_: Row, row: Row) -> str:
    found = (row["difference"] or {}).get("effect")
    return words.amount(found) if found else words.MISSING


def _units(_: Row, row: Row) -> str:
    return words.MISSING if row["difference"] is None else counted_units(row)


def _verdict(_: Row, row: Row) -> str:
    if row["verdict"] is None or row["verdict"]["separable"] is None:
        return words.MISSING
    return "yes" if row["verdict"]["separable"] else "no"


def _needs(_: Row, row: Row) -> str:
    return needed_words(row["needed"])


def _p(_: Row, row: Row) -> str:
    return p_words(row["p_adjusted"]).removeprefix("p = ").removeprefix("p ")


COLUMNS = (
    Cell(
        "Difference",
        "The first policy less the second, tasks weighted, in points of 0..100 or in the metric's"
        " own unit, with its interval.",
        change,
    ),
    Cell("Behind it", "Scenes that both acted in, or episodes of each.", _units),
    Cell("p", "That there is no difference; adjusted by Holm.", _p),
    Cell("Told apart", "Whether p lies below 1 less the level of the intervals.", _verdict),
    Cell("Effect", "The difference in standard deviations; shares have none.", _effect),
    Cell(
        "Better, %",
        "The chance that the first has the higher value, ties counted half; shares have none.",
        lambda _, row: chance(row),
    ),
    Cell(
        "Needed",
        "Pairs, or episodes of each, for 80 % power at this difference, with quartiles.",
        _needs,
    ),
    Cell(
        "With unscored",
        "The difference with the worst or the best put in for all that is unscored; empty when all"
        " is scored.",
        reach_words,
    ),
)

_SHORT = frozenset({"Difference", "Behind it", "p", "Told apart", "Needed"})
"""The columns that fit a terminal."""


def metric_of(compared: Row, name: str) -> Row:
    """Return the metric with that name, as the document has it."""
    found: Row = next(one for one in compared["metrics"] if one["name"] == name)
    return found


def to_terminal(compared: Row) -> Group:
    """Return the table for a terminal; the page has more columns."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in ("metric", "policies"):
        table.add_column(name)
    shown = [column for column in COLUMNS if column.heading in _SHORT]
    for column in shown:
        table.add_column(column.heading, justify="right", no_wrap=column.heading == "Difference")
    whole = [row for row in strongest_first(compared) if row["task"] is None]
    for row in whole:
        metric = metric_of(compared, row["metric"])
        cells = [*_names(metric, row)[:2], *(column.word(metric, row) for column in shown)]
        table.add_row(*map(Text, cells))
    more = len(compared["comparisons"]) - len(whole)
    single = [f"{more} comparisons of single tasks: see the page, or --format md."] if more else []
    return Group(
        *(Text(line, style="bold") for line in compared["warnings"]),
        Text(lead(compared)),
        table,
        *(Text(note, style="dim") for note in (*single, *below(compared))),
    )


def to_markdown(compared: Row) -> str:
    """Return all columns as a table in Markdown, and the notes below it."""
    heads = ["metric", "policies", "task", *(column.heading for column in COLUMNS)]
    lines = [*compared["warnings"], lead(compared), ""]
    lines += [f"| {' | '.join(heads)} |", "|---|---|---" + "|---:" * len(COLUMNS) + "|"]
    for row in strongest_first(compared):
        metric = metric_of(compared, row["metric"])
        cells = [*_names(metric, row), *(column.word(metric, row) for column in COLUMNS)]
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    lines += ["", *(f"- {note}" for note in below(compared))]
    return "\n".join(lines) + "\n"


def to_csv(compared: Row) -> str:
    """Return a row per comparison, with its interval, both p values and the number needed."""
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(
        ("metric", "a", "b", "task", *_FIELDS, "p_adjusted", "separable", "needed", "why")
    )
    for row in compared["comparisons"]:
        found = row["difference"] or {}
        table.writerow(
            (
                *(row[key] for key in ("metric", "a", "b", "task")),
                *map(found.get, _FIELDS),
                row["p_adjusted"],
                (row["verdict"] or {}).get("separable"),
                row["needed"]["n"],
                row["why"] or found.get("why"),
            )
        )
    return written.getvalue()


def below(compared: Row) -> list[str]:
    """Return what stands below the table: means, letters, drops, reasons and passports."""
    found = []
    for metric in compared["metrics"]:
        means = [
            f"{policy['name']} {estimate_words(metric, policy['estimates'][metric['name']])}"
            for policy in compared["policies"]
        ]
        found.append(f"{title_of(metric)} over all episodes: {words.some(means)}.")
        letters = compared["groups"][metric["name"]]
        if len(letters) > 2:
            told = words.listing(f"{n} {letters[n]}" for n in best_first(compared, metric))
            found.append(f"Letters by {title_of(metric)}, shared where not separable: {told}.")
    found += [f"{drop_words(row)} ({row['metric']})." for row in compared["drops"]]
    judges = {one["as"]: one for one in compared["judge"]["described"]}
    return [*found, *compared["notes"], *_unscored(compared["policies"]), *passport_notes(judges)]


def _names(metric: Row, row: Row) -> list[str]:
    return [title_of(metric), f"{row['a']} less {row['b']}", row["task"] or "all"]


def _unscored(policies: Sequence[Row]) -> list[str]:
    return [
        f"{policy['name']}: {words.counted(n, 'episode')} of {policy['n']} without {metric};"
        " left out, not 0."
        for policy in policies
        for metric, n in policy["unscored"].items()
        if n
    ]
