"""Write the summary of an audit for a terminal of 80 columns, with notes on what it shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from assay.reports import words
from assay.reports._agreeing import ORDER_HEADS, order_notes, order_rows
from assay.reports._diagnosed import DIAGNOSED, FEW_DIAGNOSED, diagnosed, diagnostic_names
from assay.reports._evidence import alarms, judge_notes
from assay.reports._guide import INTERVALS, OVER
from assay.reports._layout import (
    Cell,
    Column,
    columns,
    group_fields,
    group_heads,
    group_names,
    scored,
    totals,
)

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, Group
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

__all__ = ["broken", "to_terminal"]

_SHORT = {"Success": "succ.", "MC@100": "@100", "MC@75": "@75", "MC@50": "@50", "MC@25": "MC@25"}
_NO_BRACKETS = str.maketrans("", "", "[],")
_PIECES = re.compile(r"[^-_/ ]*[-_/ ]+|[^-_/ ]+")


def to_terminal(audit: Mapping[str, Any]) -> Group:
    """Return the summary for `rich`: a table of values over their intervals' ends, then notes.

    STR at other epsilons is left to the wider tables. Diagnostics have a table of their own.
    """
    from rich.console import Group
    from rich.text import Text

    metrics = [column for column in columns(audit) if not column.key.startswith("str_at")]
    parts: list[Table | Text] = [Text(line, style="bold") for line in alarms(audit)]
    parts.append(_summary(audit, metrics))
    parts += [Text(note, style="dim") for note in _notes(audit, metrics)]
    if audit.get("beside"):
        parts += [Text(""), _orders(audit)]
        parts += [Text(note, style="dim") for note in order_notes(audit)]
    names = diagnostic_names(audit)
    if names:
        parts += [Text(""), _diagnostics(audit, names), Text(DIAGNOSED, style="dim")]
        worded = (words.amount(diagnosed(c, name)) for c in audit["cells"] for name in names)
        parts += [Text(FEW_DIAGNOSED, style="dim")] * any(words.FEW in text for text in worded)
    return Group(*parts)


def broken(name: str, width: int) -> str:
    """Break a name into lines of at most `width`: behind "-", "_", "/" or a space if it can be."""
    lines = [""]
    for piece in _PIECES.findall(name):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
        while len(lines[-1].rstrip()) > width:
            lines[-1:] = [lines[-1][:width], lines[-1][width:]]
    return "\n".join(line.rstrip() for line in lines)


class _Name:
    """A name that breaks where a reader would break it, to the width its column gets."""

    def __init__(self, name: str) -> None:
        self._name = " ".join(name.split())

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        """Yield the name in lines."""
        from rich.text import Text

        yield Text(broken(self._name, max(1, options.max_width)))

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Return the widths that the name may take."""
        from rich.measure import Measurement

        longest = max((len(p.rstrip()) for p in _PIECES.findall(self._name)), default=1)
        return Measurement(longest, max(1, len(self._name))).with_maximum(options.max_width)


def _table(audit: Mapping[str, Any]) -> Table:
    """Return a table with the columns of the group fields alone."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0)
    for name in group_heads(group_fields(audit)):
        table.add_column(Text(name), overflow="fold", min_width=6)
    return table


def _summary(audit: Mapping[str, Any], metrics: list[Column]) -> Table:
    from rich.text import Text

    fields, table = group_fields(audit), _table(audit)
    table.add_column("scored", justify="right", no_wrap=True)
    for column in metrics:
        table.add_column(Text(_short(column)), justify="right", no_wrap=True)
    for cell in audit["cells"]:
        names = map(_Name, group_names(cell, fields))
        values = [_stacked(column.pick(cell), scored(cell)) for column in metrics]
        stacks = [Text.assemble(first, (rest, "dim")) for first, rest in values]
        table.add_row(*names, f"{scored(cell)}/{cell['n']}", *stacks)
    return table


def _orders(audit: Mapping[str, Any]) -> Table:
    """Return the table of how the judges beside the main one order the policies."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for place, name in enumerate(ORDER_HEADS):
        table.add_column(Text(name), justify="left" if place < 2 else "right", no_wrap=place > 1)
    for judge, task, *numbers in order_rows(audit):
        table.add_row(_Name(judge), _Name(task), *map(Text, numbers))
    return table


def _diagnostics(audit: Mapping[str, Any], names: list[str]) -> Table:
    from rich.text import Text

    table = _table(audit)
    for name in ("diagnostic", "value", "n"):
        table.add_column(Text(f" {name}"), justify="right")
    for cell in audit["cells"]:
        shown = group_names(cell, group_fields(audit))
        for name in names:
            found = diagnosed(cell, name)
            why = words.reason(found)
            value = f" {words.amount(found)}{f': {why}' if why else ''}"
            n = f" {0 if found is None else found['n']}"
            table.add_row(*map(_Name, shown), Text(f" {name}"), Text(value), Text(n))
    return table


def _stacked(estimate: words.Estimate, n: int) -> tuple[str, str]:
    """Return a number's value, and its interval's ends and an n other than `n` on lines below."""
    value, *below = words.number(estimate).translate(_NO_BRACKETS).split()
    if estimate is not None and estimate.get("value") is not None and estimate["n"] != n:
        below.append(f"n={estimate['n']}")
    return value, "".join(f"\n{line}" for line in below)


def _notes(audit: Mapping[str, Any], metrics: list[Column]) -> Iterator[str]:
    """Yield what a reader must know of the table; marks are explained only where they occur."""
    cells = audit["cells"]
    shown = [_stacked(column.pick(cell), scored(cell)) for cell in cells for column in metrics]
    yield f"Scale 0 to 100. Below each value, the ends of its interval. {INTERVALS}"
    if any("n=" in below for _, below in shown):
        yield f"n=: the episodes behind a value, where they are not the scored ones. {OVER}"
    if any(words.FEW in below for _, below in shown):
        yield words.few_note()
    for why, headings in _missing(cells, metrics).items():
        yield f"{words.MISSING} ({', '.join(headings)}): {why}."
    counts = totals(cells)
    if any(status != "ok" for status in counts):
        yield f"Statuses: {words.statuses(counts)}."
        yield from (
            f"  {status}: {words.STATUS_MEANINGS[status]}."
            for status in counts
            if status in words.STATUS_MEANINGS
        )
    yield from judge_notes(audit)
    epsilon = audit.get("epsilon") or {}
    if epsilon.get("source") == "assumed":
        yield (
            f"Epsilon {epsilon['value']:.3g} is assumed, not measured, and STR depends on it: the "
            "report and the Markdown table have STR at other epsilons beside it."
        )


def _missing(cells: list[Cell], metrics: list[Column]) -> dict[str, list[str]]:
    """Return the columns that lack a value somewhere, by the reason."""
    found: dict[str, list[str]] = {}
    for column in metrics:
        reasons = (words.reason(column.pick(cell), column.missing) for cell in cells)
        for why in dict.fromkeys(filter(None, reasons)):
            found.setdefault(why, []).append(_short(column))
    return found


def _short(column: Column) -> str:
    return _SHORT.get(column.heading, column.heading)
