"""Print a comparison: for a terminal, as Markdown, as csv.

Of judges with people; policies among themselves have `difference_tables`, which is asked here.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.reports import difference_tables
from assay.reports._compare_columns import (
    COLUMNS,
    asked_judges,
    lead,
    name_of,
    notes,
    rater_words,
    shown_rows,
)
from assay.reports._passports import passport_notes

if TYPE_CHECKING:
    from rich.console import Group

__all__ = ["to_csv", "to_markdown", "to_terminal"]

_SHORT = ("pearson", "spearman", "slope", "error", "bias", "lift")


def to_terminal(compared: Mapping[str, Any]) -> Group:
    """Return the table for a terminal; the page has more columns."""
    if _is_of_policies(compared):
        return difference_tables.to_terminal(compared)
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("judge")
    table.add_column("n", justify="right")
    shown = [column for column in COLUMNS if column.key in _SHORT]
    for column in shown:
        table.add_column(column.heading, justify="right")
    for row in shown_rows(compared):
        cells = [column.word(row[column.key]) for column in shown]
        table.add_row(Text(name_of(row)), str(row["n"]), *map(Text, cells))
    below = _below(compared)
    return Group(Text(lead(compared)), table, *(Text(note, style="dim") for note in below))


def to_markdown(compared: Mapping[str, Any]) -> str:
    """Return all columns as a table in Markdown, and the notes below it."""
    if _is_of_policies(compared):
        return difference_tables.to_markdown(compared)
    heads = ["judge", "n", *(column.heading for column in COLUMNS)]
    lines = [
        lead(compared),
        "",
        f"| {' | '.join(heads)} |",
        "|---" + "|---:" * (len(heads) - 1) + "|",
    ]
    for row in shown_rows(compared):
        cells = [name_of(row).replace("|", "\\|"), str(row["n"])]
        cells += [column.word(row[column.key]) for column in COLUMNS]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *(f"- {note}" for note in _below(compared))]
    return "\n".join(lines) + "\n"


def to_csv(compared: Mapping[str, Any]) -> str:
    """Return a row per judge, setting and figure, with its interval, n and method."""
    if _is_of_policies(compared):
        return difference_tables.to_csv(compared)
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    fields = ("value", "low", "high", "n", "method", "why")
    table.writerow(("judge", "setting", "figure", *fields))
    for row in shown_rows(compared):
        for column in COLUMNS:
            found = row[column.key] or {}
            table.writerow((row["judge"], row["setting"], column.key, *map(found.get, fields)))
    return written.getvalue()


def _below(compared: Mapping[str, Any]) -> list[str]:
    """Return what stands below the table: raters, notes, and the passports of the judges."""
    judges = asked_judges(compared, nulls=False)
    return [*_raters(compared), *notes(compared), *passport_notes(judges)]


def _raters(compared: Mapping[str, Any]) -> list[str]:
    agreement = compared["human"]["agreement"]
    return [] if agreement is None else [f"Raters: {words_}" for words_ in rater_words(agreement)]


def _is_of_policies(compared: Mapping[str, Any]) -> bool:
    return bool(compared["kind"] == "policies")
