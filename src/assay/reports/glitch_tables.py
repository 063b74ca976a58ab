"""Print scores of glitch reports: for a terminal, as Markdown, as csv."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from assay.reports import words

if TYPE_CHECKING:
    from rich.console import Group

__all__ = ["COLUMNS", "notes", "robustness_notes", "to_csv", "to_markdown", "to_terminal"]

_ALL = "all"
COLUMNS = {
    "f1": "F1",
    "precision": "Precision",
    "recall": "Recall",
    "miou": "IoU",
    "f1_iou": "F1 x IoU",
    "severity_within_1": "Severity within 1",
    "clean_accuracy": "Clean clips",
}


def to_terminal(document: Mapping[str, Any]) -> Group:
    """Return the table of all systems for a terminal; Markdown and csv have each dimension too."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("System")
    for heading in COLUMNS.values():
        table.add_column(heading, justify="right")
    for name, events, *cells in _rows(document):
        if events == _ALL:
            table.add_row(*map(Text, (name, *cells)))
    return Group(table, *(Text(note, style="dim") for note in notes(document)))


def to_markdown(document: Mapping[str, Any]) -> str:
    """Return the table of all systems in Markdown, and the notes below it."""
    lines = [
        f"| System | Events | {' | '.join(COLUMNS.values())} |",
        "|---|---" + "|---:" * len(COLUMNS) + "|",
    ]
    lines += [
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
        for row in _rows(document)
    ]
    return "\n".join([*lines, "", *(f"- {note}" for note in notes(document))]) + "\n"


def to_csv(document: Mapping[str, Any]) -> str:
    """Return a row per system, slice and figure."""
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(("system", "events", "figure", "value", "low", "high", "n"))
    for name, part, figures in _slices(document):
        for figure, found in figures.items():
            if figure in COLUMNS:
                table.writerow(
                    (name, part, figure, *(found[k] for k in ("value", "low", "high", "n")))
                )
    return written.getvalue()


def notes(document: Mapping[str, Any]) -> list[str]:
    """Return what was scored, by which similarity, and how systems differ."""
    counts = document["counts"]
    said = (
        f"{counts['clips']} clips, {counts['clean']} of them clean; {counts['true']} events."
        f" Descriptions are compared by {document['similarity']}; figures by another similarity"
        " can't be compared with these."
    )
    notes = [said]
    if fps := (document.get("settings") or {}).get("iou_fps"):
        notes.append(f"Overlaps are counted in whole frames, {fps:g} a second.")
    for one in document["differences"]:
        gap = words.number(one)
        p = words.MISSING if one["p"] is None else f"{one['p']:.3f}"
        notes.append(f"F1 of {one['a']} less that of {one['b']}: {gap}, p = {p}, paired by clip.")
    return [*notes, *robustness_notes(document.get("robustness") or {})]


def robustness_notes(found: Mapping[str, Any]) -> list[str]:
    """Return a sentence on each question about robustness that was asked."""
    told = []
    if one := found.get("second_judge"):
        told.append(f"By {one['similarity']} instead, {_ranked(one)}")
    if one := found.get("conditions"):
        told.append(f"Under {words.listing(one['f1'])}, {_ranked(one)}")
    if one := found.get("gap_closed"):
        parts = [f"{name} {words.number(share)}" for name, share in one["closed"].items()]
        told.append(
            f"Share of the gap in F1 from {one['base']} to {one['full']} that others close:"
            f" {', '.join(parts) or 'there are no others'}."
        )
    if one := found.get("retention"):
        told.append(
            f"On {one['dataset']}, {words.number(one)} of 100 parts of the gap from {one['base']}"
            f" to {one['full']} are left."
        )
    if one := found.get("calls"):
        parts = [f"{n} {c['calls']:.1f} for F1 {words.points(c['f1'])}" for n, c in one.items()]
        told.append(f"Questions a clip: {', '.join(parts)}.")
    return told


def _ranked(one: Mapping[str, Any]) -> str:
    kept = "the ranking is kept" if one["ranking_kept"] else "the ranking changes"
    rank = "" if one["spearman"] is None else f"; Spearman's rho {one['spearman']:.2f}"
    apart = words.points(one["largest_difference"])
    return f"{kept}; the largest difference in F1 is {apart} points{rank}."


def _rows(document: Mapping[str, Any]) -> Iterator[list[str]]:
    for name, part, figures in _slices(document):
        cells = [words.number(figures[k]) if k in figures else "" for k in COLUMNS]
        yield [name, part, *cells]


def _slices(document: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield each system's figures over all events, then over those of each dimension."""
    for name, found in document["systems"].items():
        yield name, _ALL, found
        yield from ((name, part, figures) for part, figures in found["by_dimension"].items())
