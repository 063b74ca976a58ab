"""Write the page of scored glitch reports: systems, dimensions, types, and how it was made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.reports import words
from assay.reports._glitch_robustness import choice_sections, robustness_sections
from assay.reports._html import write_still_page
from assay.reports._markup import Safe, tag
from assay.reports._parts import scroll
from assay.reports._sections import section
from assay.reports.glitch_tables import COLUMNS, notes

__all__ = ["write_glitch_bench_page"]

_TITLE = "Reports of glitches, scored"
_MEANINGS = {
    "F1": "similarity of descriptions, summed over matched events, over all events of both sides",
    "IoU": "overlap in time of matched events",
    "F1 x IoU": "the same as F1, with each similarity times the overlap in time",
    "Severity within 1": "matched events whose severity is at most 1 off",
    "Clean clips": "clips without a glitch of which none was reported",
}


def write_glitch_bench_page(document: Mapping[str, Any], out: Path) -> None:
    """Write `index.html` and its style sheet into `out`; same document, same bytes.

    Args:
        document: The document of `bench.json`.
        out: The folder.
    """
    systems = document["systems"]
    main = tag(
        "main",
        section("systems", "Systems", _table(systems, COLUMNS), _meanings()),
        *(
            section(
                f"dimensions-{number}",
                f"By dimension: {name}",
                _table(found["by_dimension"], {k: COLUMNS[k] for k in ("f1", "miou", "f1_iou")}),
            )
            for number, (name, found) in enumerate(systems.items())
        ),
        *(
            section(
                f"types-{number}",
                f"By type, found in time: {name}",
                tag("p", "An event is found when type and time are right (IoU at least 0.5)."),
                _table(found["by_type"], {k: k for k in ("f1", "precision", "recall")}),
            )
            for number, (name, found) in enumerate(systems.items())
        ),
        *choice_sections(document),
        *robustness_sections(document.get("robustness") or {}),
        section(
            "making",
            "How it was made",
            *(tag("p", note) for note in (*notes(document), words.few_note())),
        ),
        id="main",
    )
    heading = tag(
        "header",
        tag("p", "Assay · glitches", class_="kicker"),
        tag("h1", _TITLE),
        class_="top",
    )
    write_still_page(_TITLE, [heading, main], out)


def _table(rows: Mapping[str, Mapping[str, Any]], columns: Mapping[str, str]) -> Safe:
    heads = [tag("th", heading, scope="col", class_="num") for heading in columns.values()]
    body = [
        tag("tr", tag("th", name, scope="row"), *_cells(found, columns))
        for name, found in rows.items()
    ]
    made = tag(
        "table",
        tag("thead", tag("tr", tag("th", "", scope="col"), *heads)),
        tag("tbody", *body),
        class_="summary",
    )
    return scroll(made, "Figures")


def _cells(found: Mapping[str, Any], columns: Iterable[str]) -> Sequence[Safe]:
    return [
        tag("td", words.number(found.get(key)), class_="num", title=words.count(found.get(key)))
        for key in columns
    ]


def _meanings() -> Safe:
    shown = [tag("div", tag("dt", name), tag("dd", text)) for name, text in _MEANINGS.items()]
    return tag("dl", *shown, class_="meanings")
