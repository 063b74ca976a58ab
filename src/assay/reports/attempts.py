"""Show a rollout: what came of each policy's attempts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from assay.reports import words

__all__ = ["to_terminal"]


def to_terminal(rollout: Mapping[str, Any]) -> Table:
    """Return a row for each policy of `rollout.json`."""
    table = Table(box=None, pad_edge=False)
    table.add_column("policy")
    for title in ("attempts", "successes", "success %", "mean time"):
        table.add_column(title, justify="right")
    table.add_column("status")
    for row in rollout["policies"]:
        time = "n/a" if row["mean_time_s"] is None else f"{row['mean_time_s']:.1f} s"
        table.add_row(
            Text(row["policy"]),  # a label in [brackets] is no markup
            str(row["n"]),
            str(row["successes"]),
            words.number(row["success"]),
            time,
            words.statuses({name: n for name, n in row["status"].items() if n}),
        )
    return table
