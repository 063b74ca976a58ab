"""Write the summary table: a group of rows per cell, a column per metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.reports import words
from assay.reports._guide import guide
from assay.reports._layout import (
    Cell,
    Column,
    Grid,
    columns,
    group_fields,
    group_heads,
    scored,
    totals,
    unknown,
)
from assay.reports._markup import Safe, tag
from assay.reports._palette import Look, looks
from assay.reports._parts import head, names, scores, scroll, small, value
from assay.reports._sections import section
from assay.reports.tables import Footnotes

__all__ = ["summary"]

_CAPTION = (
    "Scale 0 to 100. Success is a share of labelled episodes; all else is a mean or share over "
    "scored ones. The 95 % interval stands below each value. Up is good, but for CRA and STR down "
    "is."
)
_SCORED = Column("scored", "Scored", "Scored episodes of all episodes", lambda _: None)


def summary(audit: Mapping[str, Any]) -> Safe:
    """Return the section with the summary table and its footnotes."""
    table = _Table(audit)
    cells = audit["cells"]
    shown = tag(
        "table",
        head(table.fields, [_SCORED, *table.metrics], cells),
        *(
            table.group(cell, look, starts=starts)
            for cell, look, starts in zip(
                cells, table.looks, _starts(cells, table.fields), strict=True
            )
        ),
        class_="summary sortable",
    )
    return section(
        "summary",
        "Summary",
        tag("p", _CAPTION, class_="caption"),
        scroll(shown, "Summary table"),
        _notes(audit, table.notes),
        guide(audit),
    )


def _starts(cells: Sequence[Cell], fields: Sequence[str]) -> Iterator[bool]:
    """Yield for every cell whether its first group field differs from that of the cell before."""
    firsts = [cell["group"].get(fields[0]) if fields else None for cell in cells]
    for place, first in enumerate(firsts):
        yield bool(place) and len(fields) > 1 and first != firsts[place - 1]


class _Table:
    """What all rows of the table share; `notes` fills while the rows are written."""

    def __init__(self, audit: Mapping[str, Any]) -> None:
        grid = Grid.of(audit)
        styles = looks(grid.series)
        self.fields = group_fields(audit)
        self.metrics = columns(audit)
        self.looks = [styles[series] for series in grid.series_of_cells()]
        self.notes = Footnotes()

    def group(self, cell: Cell, look: Look, *, starts: bool) -> Safe:
        """Return the rows of one cell: its values, and below them what they could also be."""
        values = [self._value(column, cell) for column in self.metrics]
        rows = [tag("tr", *names(cell, self.fields, look), scores(cell), *values)]
        span = len(group_heads(self.fields)) + 1
        if unknown(cell):
            ranges = [tag("td", words.unscored_range(c.pick(cell))) for c in self.metrics]
            rows.append(_sub_row("worst to best", span, ranges))
        if cell.get("sensitivity"):
            bands = [tag("td", _band(cell["sensitivity"].get(c.key))) for c in self.metrics]
            rows.append(_sub_row("sensitivity", span, bands))
        return tag("tbody", *rows, class_="starts" if starts else None)

    def _value(self, column: Column, cell: Cell) -> Safe:
        estimate = column.pick(cell)
        why = words.reason(estimate, column.missing)
        mark = tag("sup", str(self.notes.mark(why))) if why else None
        return value(column, cell, mark, _below(column, cell, estimate or {}))


def _below(column: Column, cell: Cell, estimate: Mapping[str, Any]) -> list[Safe]:
    """Return the small lines under a value: another n, and success once and held."""
    lines = []
    if estimate.get("n") != scored(cell):
        lines.append(small(words.count(estimate)))
    if column.key == "success_end":
        for when in ("held", "once"):
            other = cell["success"].get(when)
            if other and other.get("value") not in (None, estimate.get("value")):
                title = words.details(f"Success {when}", other)
                lines.append(small(f"{when} {words.points(other['value'])}", title))
    return lines


def _band(band: Mapping[str, Any] | None) -> str:
    return words.range_of(band.get("low"), band.get("high")) if band else ""


def _sub_row(name: str, span: int, cells: list[Safe]) -> Safe:
    return tag("tr", tag("th", name, colspan=span, scope="row"), *cells, class_="sub")


def _notes(audit: Mapping[str, Any], notes: Footnotes) -> Safe | None:
    lines = [
        tag("li", tag("sup", str(place)), " ", text)
        for place, text in enumerate(notes.texts, start=1)
    ]
    lines += [
        tag("li", f"{status}: {words.STATUS_MEANINGS[status]}.")
        for status in totals(audit["cells"])
        if status in words.STATUS_MEANINGS
    ]
    if any(
        words.FEW in words.number(c.pick(cell)) for cell in audit["cells"] for c in columns(audit)
    ):
        lines.insert(0, tag("li", words.few_note()))
    return tag("ol", *lines, class_="notes") if lines else None
