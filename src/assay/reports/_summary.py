"""Write the summary table: a group of rows per cell, a column per metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.reports import words
from assay.reports._cells import (
    QUALITY,
    Cell,
    Column,
    Grid,
    columns,
    group_fields,
    scored,
    unscored,
)
from assay.reports._markup import Safe, join, tag
from assay.reports._palette import Look, looks, swatch
from assay.reports._sections import section
from assay.reports.tables import Footnotes

__all__ = ["summary"]


def summary(audit: Mapping[str, Any]) -> Safe:
    """Return the section with the summary table and its footnotes."""
    table = _Table(audit)
    groups = [
        table.group(cell, starts=starts) for cell, starts in _blocks(audit["cells"], table.fields)
    ]
    shown = tag(
        "table",
        _caption(audit),
        _head(table.fields, table.metrics),
        *groups,
        class_="summary sortable",
    )
    return section(
        "summary",
        "Summary",
        tag("div", shown, class_="scroll", tabindex=0, role="region", aria_label="Summary table"),
        _notes(audit, table.notes),
    )


def _blocks(cells: Sequence[Cell], fields: Sequence[str]) -> Iterator[tuple[Cell, bool]]:
    """Yield every cell and whether its first group field differs from the cell before."""
    before: object = None
    for place, cell in enumerate(cells):
        first = cell["group"].get(fields[0])
        yield cell, bool(place) and first != before
        before = first


def _caption(audit: Mapping[str, Any]) -> Safe:
    parts = [
        "Scale 0 to 100. Each value is a mean over scored episodes, with its interval below.",
        " Up is good, but for CRA and STR down is.",
    ]
    if any(unscored(cell) for cell in audit["cells"]):
        parts.append(" “Worst to best” puts the worst or best value in for each unscored episode.")
    if any(cell.get("sensitivity") for cell in audit["cells"]):
        parts.append(
            " “Sensitivity” is the range under other choices of epsilon, smoothing, stride."
        )
    return tag("caption", *parts)


def _head(fields: list[str], metrics: list[Column]) -> Safe:
    heads = [_sorter(field.capitalize(), "", kind="text") for field in fields]
    heads.append(_sorter("Scored", "Scored episodes of all episodes", kind="num"))
    heads += [_sorter(c.heading, c.title, kind="num", up=c.up) for c in metrics]
    return tag("thead", tag("tr", *heads))


def _sorter(heading: str, title: str, *, kind: str, up: bool = True) -> Safe:
    """Return a column's head. The script makes it a button: a real one would not print twice."""
    arrow = None if up else tag("span", "↓", class_="down", aria_label="down is good")
    name = tag("span", heading, arrow, class_="sorter", title=title or None)
    return tag("th", name, scope="col", class_=kind, aria_sort="none")


class _Table:
    """What all rows of the table share; `notes` fills while the rows are written."""

    def __init__(self, audit: Mapping[str, Any]) -> None:
        self.fields = group_fields(audit)
        self.metrics = columns(audit)
        self.styles = looks(Grid.of(audit).series) if "policy" in self.fields else {}
        self.notes = Footnotes()

    def group(self, cell: Cell, *, starts: bool) -> Safe:
        """Return the rows of one cell: its values, and below them what they could also be."""
        names = [_name(field, cell["group"].get(field), self.styles) for field in self.fields]
        values = [_value(column, cell, self.notes) for column in self.metrics]
        rows = [tag("tr", *names, _scored(cell), *values)]
        if unscored(cell):
            ranges = [tag("td", words.unscored_range(c.pick(cell))) for c in self.metrics]
            rows.append(_sub_row("worst to best", len(names) + 1, ranges))
        if cell.get("sensitivity"):
            bands = _bands(cell["sensitivity"], self.metrics)
            rows.append(_sub_row("sensitivity", len(names) + 1, bands))
        return tag("tbody", *rows, class_="starts" if starts else None)


def _name(field: str, value: object, styles: Mapping[str, Look]) -> Safe:
    name = "" if value is None else str(value)
    mark = swatch(styles[name]) if field == "policy" and name in styles else None
    return tag("th", mark, tag("span", name), scope="row", data_sort=name, class_=f"by-{field}")


def _scored(cell: Cell) -> Safe:
    whole = f"{scored(cell)} / {cell['n']}"
    others = {status: n for status, n in cell["status"].items() if status != "ok" and n}
    below = tag("small", words.statuses(others)) if others else None
    return tag("td", tag("span", whole, class_="v"), below, class_="num n", data_sort=scored(cell))


def _value(column: Column, cell: Cell, notes: Footnotes) -> Safe:
    """Return a metric's place in the table; its first span reads as `words.number` words it."""
    estimate = column.pick(cell)
    why = words.reason(estimate, column.missing)
    title = words.details(column.heading, estimate, column.missing)
    if why or estimate is None:
        mark = tag("sup", str(notes.mark(why)))
        return tag(
            "td",
            tag("span", words.MISSING, class_="number"),
            mark,
            class_="num none",
            title=title,
            data_metric=column.key,
            data_sort="",
        )
    value, _, bounds = words.number(estimate).partition(" ")
    shown = tag(
        "span",
        tag("span", value, class_="v"),
        " ",
        tag("span", bounds, class_="ci"),
        class_="number",
    )
    return tag(
        "td",
        shown,
        *_below(column, cell, estimate),
        class_="num",
        title=title,
        data_metric=column.key,
        data_sort=repr(float(estimate["value"])),
    )


def _below(column: Column, cell: Cell, estimate: Mapping[str, Any]) -> list[Safe]:
    """Return the small lines under a value: another n, and success once and held."""
    lines = []
    if estimate.get("n") != scored(cell):
        lines.append(tag("small", words.count(estimate)))
    if column.key == "success_end":
        for when in ("held", "once"):
            other = cell["success"].get(when)
            if other and other.get("value") not in (None, estimate["value"]):
                lines.append(
                    tag(
                        "small",
                        f"{when} {words.points(other['value'])}",
                        title=words.details(f"Success {when}", other),
                    )
                )
    return lines


def _bands(bands: Mapping[str, Any], metrics: list[Column]) -> list[Safe]:
    """Return the sensitivity under each metric that has one."""
    return [tag("td", _band(bands.get(column.key))) for column in metrics]


def _band(band: Mapping[str, Any] | None) -> str:
    return words.range_of(band.get("low"), band.get("high")) if band else ""


def _sub_row(name: str, span: int, cells: list[Safe]) -> Safe:
    return tag("tr", tag("th", name, colspan=span, scope="row"), *cells, class_="sub")


def _notes(audit: Mapping[str, Any], notes: Footnotes) -> Safe:
    lines = [
        tag("li", tag("sup", str(place)), " ", text)
        for place, text in enumerate(notes.texts, start=1)
    ]
    if any(
        words.FEW in words.number(c.pick(cell)) for cell in audit["cells"] for c in columns(audit)
    ):
        lines.insert(0, tag("li", words.few_note()))
    meanings = [
        join([tag("dt", name), tag("dd", meaning)])
        for name, meaning in (
            ("MC@q", "Milestone coverage: share of episodes that reach q % progress."),
            *((name, meaning) for name, meaning, _ in QUALITY.values()),
        )
    ]
    return join(
        [
            tag("ol", *lines, class_="notes") if lines else None,
            tag("dl", *meanings, class_="meanings"),
        ]
    )
