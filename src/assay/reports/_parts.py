"""Write the parts that the tables of a page share: heads to sort by, names, numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.reports import words
from assay.reports._layout import Cell, Column, group_heads, group_names, scored
from assay.reports._markup import Safe, tag
from assay.reports._palette import Look, swatch

__all__ = ["head", "names", "scores", "scroll", "small", "value"]

_WRAPS = 28
"""Longer names take more than one line."""


def head(fields: Sequence[str], numbers: Sequence[Column], cells: Sequence[Cell]) -> Safe:
    """Return a table's head: the group fields, then a column per number; all can be sorted by.

    Args:
        fields: The group fields.
        numbers: The columns of numbers.
        cells: The rows; a field whose values are all numbers sorts as numbers do.
    """
    heads = [
        _sorter(field.capitalize(), "", kind="num" if _is_numeric(field, cells) else "text")
        for field in group_heads(fields)
    ]
    heads += [_sorter(c.heading, c.title, kind="num", up=c.up) for c in numbers]
    return tag("thead", tag("tr", *heads))


def names(cell: Cell, fields: Sequence[str], look: Look) -> list[Safe]:
    """Return the names of a row; the mark of its series stands before the last."""
    found = group_names(cell, fields)
    raw = [cell["group"].get(field) for field in fields] or found
    marks = [None] * (len(found) - 1) + [swatch(look)]
    return [
        tag(
            "th",
            mark,
            tag("span", name),
            scope="row",
            data_sort="" if value is None else str(value),
            class_="marked wraps" if mark and len(name) > _WRAPS else "marked" if mark else None,
        )
        for name, value, mark in zip(found, raw, marks, strict=True)
    ]


def value(column: Column, cell: Cell, mark: Safe | None, below: Iterable[Safe] = ()) -> Safe:
    """Return a number's place in a table; its first span reads as `words.number` words it.

    Args:
        column: The metric.
        cell: The row.
        mark: What stands behind a missing number and leads to the reason.
        below: Small lines under a number that is there.
    """
    estimate = column.pick(cell)
    title = words.details(column.heading, estimate, column.missing)
    if estimate is None or estimate.get("value") is None:
        return tag(
            "td",
            tag("span", words.MISSING, class_="number"),
            mark,
            class_="num none",
            title=title,
            data_metric=column.key,
            data_sort="",
        )
    first, _, bounds = words.number(estimate).partition(" ")
    shown = [tag("span", first, class_="v"), " ", tag("span", bounds, class_="ci")]
    return tag(
        "td",
        tag("span", *shown, class_="number"),
        *below,
        class_="num",
        title=title,
        data_metric=column.key,
        data_sort=repr(float(estimate["value"])),
    )


def scores(cell: Cell) -> Safe:
    """Return how many episodes are scored, and the statuses of the others below."""
    whole = f"{scored(cell)} / {cell['n']}"
    others = {status: n for status, n in cell["status"].items() if status != "ok" and n}
    below = small(words.statuses(others)) if others else None
    return tag("td", tag("span", whole, class_="v"), below, class_="num n", data_sort=scored(cell))


def small(text: str, title: str | None = None) -> Safe:
    """Return a small line under a number."""
    return tag("small", text, title=title)


def scroll(table: Safe, label: str) -> Safe:
    """Return a table that scrolls by itself where it is wider than the page."""
    return tag("div", table, class_="scroll", tabindex=0, role="region", aria_label=label)


def _sorter(heading: str, title: str, *, kind: str, up: bool = True) -> Safe:
    """Return a column's head. The script makes it a button: a real one would not print twice."""
    arrow = None if up else tag("span", "↓", class_="down", aria_label="down is good")
    name = tag("span", heading, arrow, class_="sorter", title=title or None)
    return tag("th", name, scope="col", class_=kind, aria_sort="none")


def _is_numeric(field: str, cells: Sequence[Cell]) -> bool:
    found = {type(cell["group"].get(field)) for cell in cells} - {type(None)}
    return bool(found) and found <= {int, float}
