"""Print a comparison: for a terminal, as Markdown, as csv.

Of judges with people. Policies among themselves have `difference_tables`, and simulation against
reality has `real_tables`: both are asked from here.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.reports import difference_tables, real_tables
from assay.reports._assisted_words import (
    ASSISTED,
    assisted_lead,
    assisted_name,
    assisted_rows,
    is_helped,
    metric_title,
    remark,
)
from assay.reports._compare_columns import (
    COLUMNS,
    asked_judges,
    lead,
    name_of,
    notes,
    shown_rows,
)
from assay.reports._passports import passport_notes
from assay.reports._rater_words import rater_words

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

__all__ = ["to_csv", "to_markdown", "to_terminal"]

_OTHERS = {"policies": difference_tables, "sim-real": real_tables}
"""Who prints the other kinds of comparison."""

_SHORT = ("pearson", "spearman", "slope", "error", "bias", "lift")
_LONG = frozenset({"Others", "Width"})
"""Columns of means that a terminal has no room for."""

_FIELDS = ("value", "low", "high", "n", "method", "why")
_MEANS = ("mean", "alone", "judge_alone", "effective_labels", "correlation")


def to_terminal(compared: Mapping[str, Any]) -> Group:
    """Return the table for a terminal; the page has more columns."""
    if compared["kind"] in _OTHERS:
        group: Group = _OTHERS[compared["kind"]].to_terminal(compared)
        return group
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
    helped = [_means(compared)] if is_helped(compared) else []
    said = [Text(line) for line in (assisted_lead(compared),) if line]
    below = [Text(note, style="dim") for note in _below(compared)]
    return Group(Text(lead(compared)), table, *said, *helped, *below)


def _means(compared: Mapping[str, Any]) -> Table:
    """Return the table of few labels and a judge, whole runs only; the page has policies too."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in ("mean", "judge"):
        table.add_column(name)
    shown = [column for column in ASSISTED if column.heading not in _LONG]
    for column in shown:
        table.add_column(column.heading, justify="right")
    for row in assisted_rows(compared):
        if row["policy"] is None:
            cells = [metric_title(row["metric"]), assisted_name(row)]
            table.add_row(*map(Text, (*cells, *(column.word(row) for column in shown))))
    return table


def to_markdown(compared: Mapping[str, Any]) -> str:
    """Return all columns as a table in Markdown, and the notes below it."""
    if compared["kind"] in _OTHERS:
        return str(_OTHERS[compared["kind"]].to_markdown(compared))
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
    lines += ["", assisted_lead(compared), "", *_means_in_markdown(compared)]
    lines += ["", *(f"- {note}" for note in _below(compared))]
    return "\n".join(lines) + "\n"


def _means_in_markdown(compared: Mapping[str, Any]) -> list[str]:
    if not is_helped(compared):
        return []
    heads = ["mean", "judge", *(column.heading for column in ASSISTED), "note"]
    lines = [f"| {' | '.join(heads)} |", "|---|---" + "|---:" * len(ASSISTED) + "|---|"]
    for row in assisted_rows(compared):
        cells = [metric_title(row["metric"]), assisted_name(row)]
        cells += [*(column.word(row) for column in ASSISTED), remark(row)]
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return lines


def to_csv(compared: Mapping[str, Any]) -> str:
    """Return a row per judge, setting and figure, with its interval, n and method.

    Means of few labels and a judge also have a metric and a policy.
    """
    if compared["kind"] in _OTHERS:
        return str(_OTHERS[compared["kind"]].to_csv(compared))
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(("judge", "setting", "figure", *_FIELDS, "metric", "policy"))
    for row in shown_rows(compared):
        for column in COLUMNS:
            found = row[column.key] or {}
            table.writerow((row["judge"], row["setting"], column.key, *map(found.get, _FIELDS)))
    for row in assisted_rows(compared):
        for key in _MEANS:
            cells = (row["judge"], row["setting"], key, *map(row[key].get, _FIELDS))
            table.writerow((*cells, row["metric"], row["policy"]))
    return written.getvalue()


def _below(compared: Mapping[str, Any]) -> list[str]:
    """Return what stands below the table: raters, notes, and the passports of the judges."""
    judges = asked_judges(compared, nulls=False)
    return [*_raters(compared), *notes(compared), *passport_notes(judges)]


def _raters(compared: Mapping[str, Any]) -> list[str]:
    agreement = compared["human"]["agreement"]
    return [] if agreement is None else [f"Raters: {words_}" for words_ in rater_words(agreement)]
