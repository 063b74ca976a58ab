"""Print what a built benchmark of glitches holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.reports import words

if TYPE_CHECKING:
    from rich.console import Group

__all__ = ["built_to_terminal"]


def built_to_terminal(build: Mapping[str, Any]) -> Group:
    """Return the number of clips of every type and split, and notes on the rest."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    splits = sorted(build["clips"], reverse=True)  # train, then test
    table = Table(box=None, pad_edge=False)
    table.add_column("type")
    for split in splits:
        table.add_column(split, justify="right")
    for kind, counts in build["types"].items():
        if counts:
            table.add_row(kind, *(str(counts.get(split, 0)) for split in splits))
    return Group(table, *(Text(line, style="dim") for line in _notes(build)))


def _notes(build: Mapping[str, Any]) -> list[str]:
    whole, clean = sum(build["clips"].values()), sum(build["clean"].values())
    made = sum(bool(counts) for counts in build["types"].values())
    grave = ", ".join(f"{level}: {n}" for level, n in build["severities"].items() if n)
    kinds = ", ".join(f"{name} {n}" for name, n in build["clean"].items())
    types = f"{made} of {len(build['types'])} types"
    return [
        f"{words.counted(whole, 'clip')}, {types}; by severity {grave or 'none'}.",
        f"{words.points(clean / whole)} % are clean ({kinds or 'none'}).",
    ]
