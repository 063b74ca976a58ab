"""Write the summary of an audit as Markdown, CSV or a table for the terminal."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from assay.reports import words
from assay.reports._layout import (
    Cell,
    Column,
    columns,
    group_fields,
    group_heads,
    group_names,
    scored,
    totals,
    unscored,
)

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["Footnotes", "to_csv", "to_markdown", "to_terminal"]

_CSV_FIELDS = ("metric", "value", "low", "high", "n", "worst", "best", "why")
_SHORT = {"Success": "succ.", "MC@100": "@100", "MC@75": "@75", "MC@50": "@50", "MC@25": "MC@25"}
_NO_BRACKETS = str.maketrans("", "", "[],")


class Footnotes:
    """Collect the reasons of missing values; the same reason gets the same number."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def mark(self, text: str) -> int:
        """Return the number, from 1, of the footnote with this text."""
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text) + 1


def to_markdown(audit: Mapping[str, Any]) -> str:
    """Return a Markdown table with a row per cell, values on the scale of 0..100.

    A value without n behind it is over the cell's scored episodes; worst and best stand in a row
    of their own where an episode is unscored.
    """
    fields, metrics, notes = group_fields(audit), columns(audit), Footnotes()
    groups = group_heads(fields)
    heads = [*groups, "scored / n", *(column.heading for column in metrics)]
    lines = [_row(heads), "|" + "---|" * (len(groups) + 1) + "---:|" * len(metrics)]
    for cell in audit["cells"]:
        numbers = [_with_notes(column, cell, notes) for column in metrics]
        names = map(_inline, group_names(cell, fields))
        lines.append(_row([*names, f"{scored(cell)} / {cell['n']}", *numbers]))
        if unscored(cell):
            ranges = [words.unscored_range(column.pick(cell)) for column in metrics]
            lines.append(_row(["" for _ in groups[1:]] + ["worst to best", "", *ranges]))
    lines += ["", f"Statuses: {words.statuses(totals(audit['cells'])) or 'none'}."]
    if any(words.FEW in line for line in lines):
        lines += ["", words.few_note()]
    lines += [f"\n[{i}] {_inline(text)}" for i, text in enumerate(notes.texts, start=1)]
    return "\n".join(lines) + "\n"


def to_csv(audit: Mapping[str, Any]) -> str:
    """Return one row per cell and metric: data for other programs, so 0..1 and unrounded."""
    fields = group_fields(audit)
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\n")
    writer.writerow([*fields, *_CSV_FIELDS])
    for cell in audit["cells"]:
        names = [_plain(cell["group"].get(field)) for field in fields]
        for key, estimate, missing in _metrics(audit, cell):
            why = words.reason(estimate, missing)
            writer.writerow([*names, key, *_numbers(estimate), why])
    return sheet.getvalue()


def to_terminal(audit: Mapping[str, Any]) -> Table:
    """Return the summary as a rich table that fits 80 columns: each value over its interval's ends.

    STR at other epsilons is left to the wider tables.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    fields = group_fields(audit)
    metrics = [column for column in columns(audit) if not column.key.startswith("str_at")]
    caption = "Scale 0 to 100. Below each value, the ends of its interval."
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0, caption=caption)
    for name in group_heads(fields):
        table.add_column(Text(name), overflow="fold", min_width=6)
    table.add_column("scored", justify="right", no_wrap=True)
    for column in metrics:
        table.add_column(
            Text(_SHORT.get(column.heading, column.heading)), justify="right", no_wrap=True
        )
    for cell in audit["cells"]:
        names = map(Text, group_names(cell, fields))
        values = [_stacked(column.pick(cell)) for column in metrics]
        stacks = [Text.assemble(first, (rest, "dim")) for first, rest in values]
        table.add_row(*names, f"{scored(cell)}/{cell['n']}", *stacks)
    return table


def _stacked(estimate: words.Estimate) -> tuple[str, str]:
    """Return a worded number as its value, and the ends of its interval on lines of their own."""
    value, *ends = words.number(estimate).translate(_NO_BRACKETS).split()
    return value, "".join(f"\n{end}" for end in ends)


def _metrics(audit: Mapping[str, Any], cell: Cell) -> Iterator[tuple[str, words.Estimate, str]]:
    """Yield every metric of a cell with why it may be missing, success once and held included."""
    for column in columns(audit):
        yield column.key, column.pick(cell), column.missing
        if column.key == "success_end":
            for when in ("held", "once"):
                yield f"success_{when}", (cell.get("success") or {}).get(when), column.missing


def _numbers(estimate: words.Estimate) -> list[str]:
    """Return value, low, high, n, worst and best, empty where missing."""
    found = {key: "" if part is None else str(part) for key, part in (estimate or {}).items()}
    return [found.get(k, "0" if k == "n" else "") for k in _CSV_FIELDS[1:-1]]


def _with_notes(column: Column, cell: Cell, notes: Footnotes) -> str:
    estimate = column.pick(cell)
    why = words.reason(estimate, column.missing)
    if why:
        return f"{words.number(estimate)} [{notes.mark(why)}]"
    other = estimate is not None and estimate.get("n") != scored(cell)
    return words.number(estimate) + (f" ({words.count(estimate)})" if other else "")


def _plain(value: object) -> str:
    return "" if value is None else str(value)


def _row(texts: list[str]) -> str:
    return "| " + " | ".join(texts) + " |"


def _inline(text: str) -> str:
    r"""Escape what Markdown or HTML would read as more than text; line breaks become spaces."""
    for char in "\\`*_[]<>|#":
        text = text.replace(char, f"\\{char}")
    return " ".join(text.split())
