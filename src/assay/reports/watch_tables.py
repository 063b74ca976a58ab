"""Print what watching has come to: for a terminal, as Markdown, as csv."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from assay.reports import words
from assay.reports._difference_words import title_of
from assay.reports._passports import passport_notes
from assay.reports._watch_words import change, counted, judges_of, lead, left_out, metric_of, told

if TYPE_CHECKING:
    from rich.console import Group

__all__ = ["HEADS", "below", "cells_of", "to_csv", "to_markdown", "to_terminal"]

Row: TypeAlias = Mapping[str, Any]

HEADS = ("Metric", "Policies", "Difference", "Behind it", "p", "What to do")
_FIELDS = (
    *("metric", "a", "b", "pairs", "value", "low", "high", "e_value", "p_adjusted"),
    *(
        "verdict",
        "by",
        "better",
        "decided_at",
        "mean_verdict",
        "mean_decided_at",
        "more",
        "more_low",
        "more_high",
        "why",
    ),
)


def cells_of(watched: Row, row: Row) -> list[str]:
    """Return the cells of a stream, one per heading."""
    who = row["a"] if row["b"] is None else f"{row['a']} less {row['b']}"
    p = row["p_adjusted"]
    shown = words.MISSING if p is None else "< 0.001" if p < 0.001 else f"{p:.2g}"
    return [
        title_of(metric_of(watched, row)),
        who,
        change(watched, row),
        counted(row),
        shown,
        told(watched, row),
    ]


def to_terminal(watched: Row) -> Group:
    """Return the table for a terminal."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in HEADS:
        table.add_column(name, justify="right" if name in {"Behind it", "p"} else "left")
    for row in watched["streams"]:
        table.add_row(*map(Text, cells_of(watched, row)))
    return Group(
        *(Text(warning, style="bold") for warning in watched["warnings"]),
        Text(lead(watched)),
        table,
        *(Text(note, style="dim") for note in below(watched)),
    )


def to_markdown(watched: Row) -> str:
    """Return the table in Markdown, and the notes below it."""
    lines = [*watched["warnings"], lead(watched), ""]
    lines += [f"| {' | '.join(HEADS)} |", "|---|---|---:|---:|---:|---|"]
    for row in watched["streams"]:
        cells = [cell.replace("|", "\\|") for cell in cells_of(watched, row)]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *(f"- {note}" for note in below(watched))]
    return "\n".join(lines) + "\n"


def to_csv(watched: Row) -> str:
    """Return a row per metric and pair of policies."""
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(_FIELDS)
    table.writerows([row[field] for field in _FIELDS] for row in watched["streams"])
    return written.getvalue()


def below(watched: Row) -> list[str]:
    """Return what stands below the table: what is not in it, how it was made, and passports."""
    found = []
    for row in watched["streams"]:
        who = row["a"] if row["b"] is None else f"{row['a']} and {row['b']}"
        found += [f"{row['metric']}, {who}: {part}." for part in left_out(row)]
    return [*found, *watched["notes"], *passport_notes(judges_of(watched))]
