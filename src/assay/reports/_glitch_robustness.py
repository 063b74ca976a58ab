"""The tables of a glitch benchmark that say how far figures depend on choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.reports import words
from assay.reports._markup import Safe, tag
from assay.reports._parts import scroll
from assay.reports._sections import section

__all__ = ["choice_sections", "robustness_sections"]

_FLOORED = {"precision": "Precision", "recall": "Recall", "f1": "F1"}
_SWEPT = {
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "f1_iou": "F1 x IoU",
    "clean_accuracy": "Clean clips",
    "glitchy_recall": "Glitchy clips found",
}


def choice_sections(document: Mapping[str, Any]) -> list[Safe]:
    """Return what the figures of each system come to where pairs are chosen in another way."""
    systems, usual = document["systems"], document["settings"]["bonus"]
    bonuses = list(next(iter(systems.values()))["bonus"])
    by_bonus = [
        [name, *(words.number(own["bonus"][bonus]) for bonus in bonuses)]
        for name, own in systems.items()
    ]
    by_floor = [
        [name, floor, *(words.number(found[key]) for key in _FLOORED)]
        for name, own in systems.items()
        for floor, found in own["least_iou"].items()
    ]
    return [
        section(
            "bonus",
            "By the bonus for the same dimension",
            tag("p", f"It decides who is paired and enters no score; elsewhere it is {usual:g}."),
            _table(("system", *(f"F1 with {bonus}" for bonus in bonuses)), by_bonus),
        ),
        section(
            "least-iou",
            "By the least overlap",
            tag("p", "Only pairs of at least this IoU count; elsewhere all that overlap do."),
            _table(("system", "least IoU", *_FLOORED.values()), by_floor),
        ),
    ]


def robustness_sections(found: Mapping[str, Any]) -> list[Safe]:
    """Return a section for each table that was asked for."""
    made = []
    if swept := found.get("sweep"):
        rows = [[least, *(words.number(own[k]) for k in _SWEPT)] for least, own in swept.items()]
        table = _table(("least confidence", *_SWEPT.values()), rows)
        note = found.get("sweep_note")
        doubt = tag("p", note, class_="notice", role="note") if note else None
        made.append(section("sweep", "By the least confidence", doubt, table))
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
        both = found.get("adjudication")
        together = tag("p", _together(both)) if both else None
        table = _table(heads, rows)
        made.append(
            section("agreement", "How far annotators agree", tag("p", told), together, table)
        )
    return made


def _together(both: Mapping[str, int]) -> str:
    """Return what becomes of two annotators' marks."""
    return (
        f"Together they mark {both['merged'] + both['separate']} events: {both['merged']} both, by"
        f" type and an overlap of 0.6, and {both['separate']} one alone. The severities of"
        f" {both['to_rate']} differ by more than 1 and have to be rated again. All stand in"
        " adjudicated.jsonl."
    )


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Safe:
    head = tag("tr", *(tag("th", name, scope="col") for name in heads))
    body = [
        tag("tr", tag("th", first, scope="row"), *(tag("td", cell, class_="num") for cell in rest))
        for first, *rest in rows
    ]
    return scroll(tag("table", tag("thead", head), tag("tbody", *body), class_="plain"), heads[0])
