"""Print what a diagnosis found: for a terminal, as Markdown, as csv."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from assay.reports import words

if TYPE_CHECKING:
    from rich.console import Group

__all__ = ["notes", "titled", "to_csv", "to_markdown", "to_terminal"]

_ALL = "all clips"


def titled(dimension: str) -> str:
    """Return what a table calls a dimension."""
    from assay.episodes.glitches.taxonomy import taxonomy

    known = taxonomy().dimensions
    return known[dimension].title if dimension in known else dimension.capitalize()


def to_terminal(document: Mapping[str, Any]) -> Group:
    """Return the shares of clips with a fault, a column for each generator."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    groups = _groups(document)
    table = Table(box=None, pad_edge=False)
    table.add_column("Clips with a fault of")
    for name in groups:
        table.add_column(name, justify="right")
    for dimension in _ordered(document["rates"]):
        cells = (words.number(rates[dimension]) for rates in groups.values())
        table.add_row(*map(Text, (titled(dimension), *cells)))
    return Group(table, *(Text(note, style="dim") for note in notes(document)))


def to_markdown(document: Mapping[str, Any]) -> str:
    """Return the same table in Markdown, and the notes below it."""
    groups = _groups(document)
    escaped = [name.replace("|", chr(92) + "|") for name in groups]
    lines = [
        f"| Clips with a fault of | {' | '.join(escaped)} |",
        "|---" + "|---:" * len(groups) + "|",
    ]
    for dimension in _ordered(document["rates"]):
        cells = (words.number(rates[dimension]) for rates in groups.values())
        lines.append(f"| {titled(dimension)} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", *(f"- {note}" for note in notes(document))]) + "\n"


def to_csv(document: Mapping[str, Any]) -> str:
    """Return a row per generator and dimension."""
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(("clips", "dimension", "value", "low", "high", "n"))
    for name, dimension, found in _cells(document):
        table.writerow((name, dimension, *(found[k] for k in ("value", "low", "high", "n"))))
    return written.getvalue()


def notes(document: Mapping[str, Any]) -> list[str]:
    """Return what was looked at, what was found, what it took, and how generators differ."""
    looked = (
        f"{words.counted(document['clips'], 'clip')}: {words.statuses(document['status'])};"
        f" {words.counted(document['events'], 'event')}, {document['rejected']} dropped."
        f" Judge {document['judge']['name']}."
    )
    found = [looked]
    asking = document["asking"]
    if asking:
        calls, rounds = asking["calls"], asking["rounds"]
        found.append(
            f"Questions a clip: {calls['mean']:.1f} on average, at most {calls['most']}; rounds one"
            f" after the other: {rounds['mean']:.1f} on average, at most {rounds['most']}."
        )
    for one in document["differences"]:
        told = words.reason(one) or f"{words.number(one)}, p = {one['p']:.3f}"
        found.append(f"Clips with any fault, {one['a']} less {one['b']}: {told}.")
    return found


def _groups(document: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the rates of all clips, and of each generator where there are several."""
    own = {name: one["rates"] for name, one in document["by_policy"].items()}
    return {_ALL: document["rates"], **(own if len(own) > 1 else {})}


def _cells(document: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for name, rates in _groups(document).items():
        for dimension in _ordered(rates):
            yield name, dimension, rates[dimension]


def _ordered(rates: Mapping[str, Any]) -> list[str]:
    """Return the dimensions in the order of tables, also of a document that was stored sorted."""
    from assay.episodes.glitches.taxonomy import taxonomy

    known = [name for name in taxonomy().dimensions if name in rates]
    return [*(name for name in rates if name not in known), *known]
