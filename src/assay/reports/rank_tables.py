"""Print a ranking: for a terminal, as Markdown, as csv."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from assay.reports._passports import passport_notes
from assay.reports._rank_words import (
    COLUMNS,
    agreement_words,
    judges_of,
    lead,
    next_words,
    notes,
)

if TYPE_CHECKING:
    from rich.console import Group, RenderableType

__all__ = ["to_csv", "to_markdown", "to_terminal"]

_SHORT = {
    **{name: name for name in ("Rank", "Strength", "Tier")},
    "Ranks left open": "Ranks",
    **{name: name for name in ("Wins", "Losses", "Ties")},
}
"""The columns that fit a terminal, and what they are called there."""

_FIELDS = (
    *("name", "beta", "low", "high", "rank", "tier", "wins", "losses", "ties"),
    *("tier_tests", "rank_low", "rank_high", "first", "why"),
)


def to_terminal(ranked: Mapping[str, Any]) -> Group:
    """Return the table for a terminal; the page has more columns."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    parts: list[RenderableType] = [Text(lead(ranked))]
    for name, ranking in _rankings(ranked):
        title = Text(f"\n{name}") if name else None
        table = Table(box=None, pad_edge=False, title=title, title_justify="left")
        shown = [column for column in COLUMNS if column.heading in _SHORT]
        table.add_column("Policy")
        for column in shown:
            table.add_column(_SHORT[column.heading], justify="right", no_wrap=True)
        for row in ranking["policies"]:
            table.add_row(Text(row["name"]), *(Text(column.word(row)) for column in shown))
        parts.append(table if ranking["policies"] else Text(f"{name}: {ranking['why']}"))
    return Group(*parts, *(Text(note, style="dim") for note in _below(ranked)))


def to_markdown(ranked: Mapping[str, Any]) -> str:
    """Return all columns as a table in Markdown, and the notes below it."""
    lines = [lead(ranked), ""]
    for name, ranking in _rankings(ranked):
        if name:
            lines += [f"{name}:", ""]
        if not ranking["policies"]:
            lines += [str(ranking["why"]), ""]
            continue
        lines += [
            f"| Policy | {' | '.join(column.heading for column in COLUMNS)} |",
            "|---" + "|---:" * len(COLUMNS) + "|",
        ]
        for row in ranking["policies"]:
            cells = [row["name"].replace("|", "\\|"), *(column.word(row) for column in COLUMNS)]
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    lines += [f"- {note}" for note in (*ranked["warnings"], *_below(ranked))]
    return "\n".join(lines) + "\n"


def to_csv(ranked: Mapping[str, Any]) -> str:
    """Return a row per policy, and per task or whatever else was ranked by."""
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    by = ranked.get("by")
    table.writerow((*([by["column"]] if by else []), *_FIELDS))
    for name, ranking in _rankings(ranked):
        for row in ranking["policies"]:
            table.writerow((*([name] if by else []), *map(row.get, _FIELDS)))
    return written.getvalue()


def _rankings(ranked: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the ranking of all votes, then each of its parts with its name."""
    yield "", ranked
    for part in (ranked.get("by") or {}).get("rankings", ()):
        yield part["name"], part


def _below(ranked: Mapping[str, Any]) -> list[str]:
    passports = passport_notes(judges_of(ranked))
    return [*agreement_words(ranked), *passports, *next_words(ranked)[:1], *notes(ranked)]
