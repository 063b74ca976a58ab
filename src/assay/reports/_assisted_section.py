"""The section of a page on few labels and a judge: a sentence, a picture and a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from assay.reports._assisted_chart import CAPTION, assisted_chart
from assay.reports._assisted_words import (
    ASSISTED,
    assisted_lead,
    assisted_name,
    assisted_rows,
    is_helped,
    metric_title,
    remark,
)
from assay.reports._markup import Safe, tag
from assay.reports._parts import scroll
from assay.reports._sections import section

__all__ = ["assisted_section"]

Row: TypeAlias = Mapping[str, Any]

_TITLE = "Few labels, many scores"


def assisted_section(compared: Row) -> Safe:
    """Return the section.

    Args:
        compared: The document of `compare.json`.
    """
    lead = tag("p", assisted_lead(compared))
    if not is_helped(compared):
        return section("labels", _TITLE, lead)
    meanings = [tag("div", tag("dt", c.heading), tag("dd", c.title)) for c in ASSISTED]
    return section(
        "labels",
        _TITLE,
        lead,
        *_charts(compared),
        tag("p", CAPTION, class_="caption"),
        scroll(_table(compared), _TITLE),
        tag("dl", *meanings, class_="meanings"),
    )


def _charts(compared: Row) -> list[Safe]:
    """Draw whole runs with all judges, and single policies without the null judges."""
    helped = [row for row in assisted_rows(compared) if row["why"] is None]
    found = []
    for metric in dict.fromkeys(row["metric"] for row in helped):
        drawn = [
            row
            for row in helped
            if row["metric"] == metric and (row["policy"] is None or not row["null"])
        ]
        title = tag("h4", f"Mean {metric_title(metric)}")
        found.append(tag("figure", title, assisted_chart(metric, drawn)))
    return found


def _table(compared: Row) -> Safe:
    heads = [tag("th", name, scope="col") for name in ("Metric", "Judge")]
    heads += [tag("th", c.heading, scope="col", class_="num", title=c.title) for c in ASSISTED]
    heads.append(tag("th", "Note", scope="col"))
    rows = []
    for row in assisted_rows(compared):
        quiet = "quiet" if row["null"] else None
        cells = [tag("th", metric_title(row["metric"]), scope="row")]
        cells.append(tag("th", assisted_name(row), scope="row", class_=quiet))
        cells += [_cell(column.word(row)) for column in ASSISTED]
        cells.append(tag("td", remark(row)))
        rows.append(tag("tr", *cells))
    return tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="summary")


def _cell(text: str) -> Safe:
    """Return a number's place in a table; its interval stands below it."""
    first, sign, rest = text.partition(" [")
    if not sign:
        return tag("td", text, class_="num")
    value, ends = tag("span", first, class_="v"), tag("span", f"[{rest}", class_="ci")
    return tag("td", value, " ", ends, class_="num")
