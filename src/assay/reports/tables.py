"""Write the summary of an audit as Markdown, CSV or a table for the terminal."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from assay.reports import words
from assay.reports._agreeing import ORDER_HEADS, order_notes, order_rows
from assay.reports._beside import beside_columns
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
    unknown,
)
from assay.reports._terminal import to_terminal

__all__ = ["Footnotes", "to_csv", "to_markdown", "to_terminal"]

_CSV_FIELDS = ("metric", "value", "low", "high", "n", "worst", "best", "why")


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
    of their own where an episode lacks a score or a label. Diagnostics follow in a table of their
    own.
    """
    fields, metrics, notes = group_fields(audit), columns(audit), Footnotes()
    groups = group_heads(fields)
    heads = [*groups, "scored / n", *(column.heading for column in metrics)]
    lines = [f"**{_inline(sentence)}**\n" for sentence in alarms(audit)]
    lines += [_row(heads), "|" + "---|" * (len(groups) + 1) + "---:|" * len(metrics)]
    for cell in audit["cells"]:
        numbers = [_with_notes(column, cell, notes) for column in metrics]
        names = map(_inline, group_names(cell, fields))
        lines.append(_row([*names, f"{scored(cell)} / {cell['n']}", *numbers]))
        if unknown(cell):
            ranges = [words.unscored_range(column.pick(cell)) for column in metrics]
            lines.append(_row(["" for _ in groups[1:]] + ["worst to best", "", *ranges]))
    lines += ["", f"Statuses: {words.statuses(totals(audit['cells'])) or 'none'}."]
    lines += ["", f"Scale 0 to 100. {OVER} {INTERVALS}"]
    lines += [line for note in judge_notes(audit) for line in ("", _inline(note))]
    if any(words.FEW in line for line in lines):
        lines += ["", words.few_note()]
    lines += _orders(audit)
    lines += _diagnostics(audit, notes)
    lines += [f"\n[{i}] {_inline(text)}" for i, text in enumerate(notes.texts, start=1)]
    return "\n".join(lines) + "\n"


def to_csv(audit: Mapping[str, Any]) -> str:
    """Return one row per cell and metric: data for other programs, so 0..1 and unrounded.

    A diagnostic is called "diagnostic:NAME" and keeps its own scale. A metric by a judge beside the
    main one is called "beside:JUDGE:METRIC".
    """
    fields = group_fields(audit)
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\n")
    writer.writerow([*fields, *_CSV_FIELDS])
    for cell in audit["cells"]:
        names = [_plain(cell["group"].get(field)) for field in fields]
        for key, estimate, missing in _metrics(audit, cell):
            why = words.reason(estimate, missing)
            writer.writerow([*names, key, *_numbers(estimate), why])
    for beside in audit.get("beside") or ():
        for cell in beside["cells"]:
            names = [_plain(cell["group"].get(field)) for field in fields]
            for column in beside_columns(audit):
                key, estimate = f"beside:{beside['judge']['name']}:{column.key}", column.pick(cell)
                writer.writerow([*names, key, *_numbers(estimate), words.reason(estimate)])
    return sheet.getvalue()


def _orders(audit: Mapping[str, Any]) -> list[str]:
    """Return the lines of the table of judges beside the main one, none without them."""
    rows = [_row([*map(_inline, texts[:2]), *texts[2:]]) for texts in order_rows(audit)]
    if not rows:
        return []
    rule = "|---|---|" + "---:|" * (len(ORDER_HEADS) - 2)
    notes = [line for note in order_notes(audit) for line in ("", _inline(note))]
    return ["", _row(list(ORDER_HEADS)), rule, *rows, *notes]


def _diagnostics(audit: Mapping[str, Any], notes: Footnotes) -> list[str]:
    """Return the lines of the table of diagnostics, none when none was asked for."""
    fields, names = group_fields(audit), diagnostic_names(audit)
    if not names:
        return []
    groups = group_heads(fields)
    lines = [_row([*groups, *map(_inline, names)])]
    lines.append("|" + "---|" * len(groups) + "---:|" * len(names))
    for cell in audit["cells"]:
        found = [diagnosed(cell, name) for name in names]
        shown = [_inline_amount(estimate, notes) for estimate in found]
        lines.append(_row([*map(_inline, group_names(cell, fields)), *shown]))
    few = ["", FEW_DIAGNOSED] if any(words.FEW in line for line in lines) else []
    return ["", *lines, "", DIAGNOSED, *few]


def _inline_amount(estimate: words.Estimate, notes: Footnotes) -> str:
    why = words.reason(estimate)
    behind = f"[{notes.mark(why)}]" if why else f"({words.count(estimate)})"
    return f"{words.amount(estimate)} {behind}"


def _metrics(audit: Mapping[str, Any], cell: Cell) -> Iterator[tuple[str, words.Estimate, str]]:
    """Yield the metrics and diagnostics of a cell, each with why it may be missing."""
    for column in columns(audit):
        yield column.key, column.pick(cell), column.missing
        if column.key == "success_end":
            for when in ("held", "once"):
                yield f"success_{when}", (cell.get("success") or {}).get(when), column.missing
    for name in diagnostic_names(audit):
        yield f"diagnostic:{name}", diagnosed(cell, name), "not computed"


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
