"""Show a training on the terminal: the new judge beside the null judges, on held-out episodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from assay.reports import words

__all__ = ["COLUMNS", "DOMAINS", "to_terminal"]

COLUMNS = {
    "pairs": ("pairs", "Share of pairs of moments put in the right order; a tie is wrong."),
    "anti_time": ("anti-time", "The same for pairs whose later moment is worth less."),
    "back": ("there and back", "The same for episodes played forward and then backwards."),
    "error": ("error", "Mean distance to what is known of progress; down is good."),
    "end_auc": ("end AUC", "Chance that a success ends higher than a failure; 50 is a coin."),
}
"""The figures of a judge: heading and meaning by the key in `train.json`."""

DOMAINS = {"held_out": "held-out episodes", "trained": "the episodes it learnt from"}
"""What the figures were taken on, in words."""


def to_terminal(training: Mapping[str, Any]) -> Table:
    """Return a row for each judge of `train.json`."""
    table = Table(box=None, pad_edge=False)
    table.add_column("judge")
    for heading, _ in COLUMNS.values():
        table.add_column(f"{heading} %", justify="right")
    for row in training["judges"]:
        table.add_row(Text(row["judge"]), *(words.number(row[key]) for key in COLUMNS))
    return table
