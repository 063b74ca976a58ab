"""The tables of a glitch benchmark that say how far figures depend on choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.reports import words
from assay.reports._markup import Safe, tag
from assay.reports._parts import scroll
from assay.reports._sections import section

__all__ = ["robustness_sections"]

_SWEPT = {
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "f1_iou": "F1 x IoU",
    "clean_accuracy": "Clean clips",
    "glitchy_recall": "Glitchy clips found",
}


def robustness_sections(found: Mapping[str, Any]) -> list[Safe]:
    """Return a section for each table that was asked for."""
    made = []
    if swept := found.get("sweep"):
        rows = [[least, *(words.number(own[k]) for k in _SWEPT)] for least, own in swept.items()]
        table = _table(("least confidence", *_SWEPT.values()), rows)
        made.append(section("sweep", "By the least confidence", table))
    for number, (column, groups) in enumerate((found.get("groups") or {}).items()):
        systems = [name for name in next(iter(groups.values()), {}) if name != "clips"]
        rows = [
            [group, str(own["clips"]), *(words.number(own[name]["f1"]) for name in systems)]
            for group, own in groups.items()
        ]
        heads = (column, "clips", *(f"F1 of {name}" for name in systems))
        made.append(section(f"groups-{number}", f"By {column}", _table(heads, rows)))
    if agreed := found.get("agreement"):
        rows = [
            [name, str(own["events"]), words.amount(own["kappa"]), words.amount(own["iou"])]
            for name, own in agreed["by_dimension"].items()
        ]
        heads = ("dimension", "events", "detection kappa", "overlap in time")
        told = (
            f"{words.listing(agreed['annotators'])} on {agreed['clips']} clips. Intervals draw"
            " pairs of annotators again, and clips within each pair."
        )
        made.append(
            section("agreement", "How far annotators agree", tag("p", told), _table(heads, rows))
        )
    return made


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Safe:
    head = tag("tr", *(tag("th", name, scope="col") for name in heads))
    body = [
        tag("tr", tag("th", first, scope="row"), *(tag("td", cell, class_="num") for cell in rest))
        for first, *rest in rows
    ]
    return scroll(tag("table", tag("thead", head), tag("tbody", *body), class_="plain"), heads[0])
