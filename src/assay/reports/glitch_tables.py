"""Print scores of glitch reports: for a terminal, as Markdown, as csv."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from assay.reports import words

if TYPE_CHECKING:
    from rich.console import Group

__all__ = ["COLUMNS", "notes", "to_csv", "to_markdown", "to_terminal"]

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
    for one in document["differences"]:
        gap = words.number(one)
        p = words.MISSING if one["p"] is None else f"{one['p']:.3f}"
        notes.append(f"F1 of {one['a']} less that of {one['b']}: {gap}, p = {p}, paired by clip.")
    return notes


def _rows(document: Mapping[str, Any]) -> Iterator[list[str]]:
    for name, part, figures in _slices(document):
        cells = [words.number(figures[k]) if k in figures else "" for k in COLUMNS]
        yield [name, part, *cells]


def _slices(document: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield each system's figures over all events, then over those of each dimension."""
    for name, found in document["systems"].items():
        yield name, _ALL, found
        yield from ((name, part, figures) for part, figures in found["by_dimension"].items())
