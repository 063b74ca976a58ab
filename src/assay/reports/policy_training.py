"""Show the training of a policy on the terminal: how far it is from what demonstrations did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from assay.reports import words

__all__ = ["MEASURED_ON", "NULLS", "to_terminal"]

MEASURED_ON = {
    "held_out": "held-out demonstrations",
    "trained": "the demonstrations it learnt from",
}
"""What the figures were taken on, in words."""

NULLS = {
    "stay": "keeps every joint where it is",
    "mean": "does at every moment what is done on average",
}
"""What stands beside the policy, and what it does."""


def to_terminal(training: Mapping[str, Any]) -> Table:
    """Return a row for the policy and for each null of `train-policy.json`."""
    table = Table(box=None, pad_edge=False)
    table.add_column("policy")
    table.add_column("joint error, rad", justify="right")
    table.add_column("gripper wrong %", justify="right")
    table.add_column("success %", justify="right")
    tried = {row["policy"]: row["success"] for row in (training["tried"] or {}).get("rows", ())}
    names = dict.fromkeys([*training["figures"], *tried])
    for name in names:
        row = training["figures"].get(name, {})
        table.add_row(
            Text(name),
            words.amount(row.get("joints_rad")),
            words.number(row.get("gripper")),
            words.number(tried.get(name)),
        )
    return table
