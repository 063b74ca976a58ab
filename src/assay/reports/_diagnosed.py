"""Show the named diagnostics, each on its own scale, apart from the metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.reports import words
from assay.reports._layout import Cell, group_fields, group_heads, group_names
from assay.reports._markup import Safe, tag
from assay.reports._parts import scroll, small

__all__ = ["DIAGNOSED", "FEW_DIAGNOSED", "diagnosed", "diagnostic_names", "diagnostics"]

DIAGNOSED = (
    "Other measures of a curve, each on its own scale and not on that of 0 to 100: the mean over "
    "scored episodes and its 95 % interval by the studentised bootstrap. They carry no conclusion "
    "here."
)
FEW_DIAGNOSED = f"{words.FEW} no interval: fewer than 5 episodes with a value, or all values equal."


def diagnostic_names(audit: Mapping[str, Any]) -> list[str]:
    """Return the names of the diagnostics that some cell has."""
    return sorted({name for cell in audit["cells"] for name in cell.get("diagnostics") or {}})


def diagnosed(cell: Cell, name: str) -> words.Estimate:
    """Return a diagnostic of a cell."""
    found: words.Estimate = (cell.get("diagnostics") or {}).get(name)
    return found


def diagnostics(audit: Mapping[str, Any]) -> Safe | None:
    """Return the section of the diagnostics; None when none was asked for."""
    names = diagnostic_names(audit)
    if not names:
        return None
    fields = group_fields(audit)
    heads = [tag("th", head.capitalize(), scope="col") for head in group_heads(fields)]
    heads += [tag("th", name, scope="col", class_="num") for name in names]
    rows = [
        tag(
            "tr",
            *(tag("th", name, scope="row") for name in group_names(cell, fields)),
            *(_value(diagnosed(cell, name)) for name in names),
        )
        for cell in audit["cells"]
    ]
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="plain")
    few = any(words.FEW in words.amount(diagnosed(c, n)) for c in audit["cells"] for n in names)
    return tag(
        "section",
        tag("h2", "Diagnostics"),
        tag("p", DIAGNOSED, class_="caption"),
        scroll(table, "Diagnostics"),
        tag("p", FEW_DIAGNOSED, class_="notes") if few else None,
        id="diagnostics",
    )


def _value(estimate: words.Estimate) -> Safe:
    """Return a diagnostic with its interval and n, or why it is missing."""
    below = words.reason(estimate) or words.count(estimate)
    return tag("td", words.amount(estimate), " ", small(below), class_="num")
