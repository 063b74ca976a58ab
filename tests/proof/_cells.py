"""What the campaigns of coverage share: sizes, options, and cells that go to a file.

Every campaign takes `--json FILE` and writes there how often each interval held the truth, by
population and n. `coverage_table.py` makes the table of docs/metrics.md of these files.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import dataclass, field
from pathlib import Path

SIZES = (10, 20, 50, 200)
"""How many of what is drawn: episodes, scenes, items, votes of a policy."""


def add_options(parser: argparse.ArgumentParser, simulations: int) -> None:
    """Add --simulations and --json."""
    parser.add_argument("--simulations", type=int, default=simulations, help="studies of each cell")
    parser.add_argument("--json", type=Path, default=None, help="write all coverages to this file")


def error_of(simulations: int) -> str:
    """Word the Monte-Carlo error of a coverage."""
    return f"Monte-Carlo error of a coverage: {math.sqrt(0.95 * 0.05 / simulations):.3f}"


@dataclass
class Cells:
    """The coverages that a campaign has measured.

    Attributes:
        path: The file that they go to; None to write none.
        simulations: How many studies stand behind a cell, unless it says otherwise.
    """

    path: Path | None
    simulations: int
    rows: list[dict[str, str | int | float]] = field(default_factory=list)

    def add(
        self, interval: str, case: str, n: int, held: float, *, simulations: int | None = None
    ) -> None:
        """Put one coverage in; simulations = 0 means that it was computed exactly."""
        if math.isnan(held):  # no study led to an interval
            return
        studies = self.simulations if simulations is None else simulations
        row = {"interval": interval, "case": case, "n": n, "held": round(held, 4)}
        self.rows.append({**row, "studies": studies})

    def write(self) -> None:
        """Write the file, a line for each cell; cells that were not measured anew stay in it."""
        if self.path is not None:
            fresh = {_name(row) for row in self.rows}
            kept = json.loads(self.path.read_text()) if self.path.is_file() else []
            rows = [row for row in kept if _name(row) not in fresh] + self.rows
            lines = ",\n ".join(json.dumps(row) for row in rows)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(f"[{lines}]\n")


def _name(row: dict[str, str | int | float]) -> tuple[str | int | float, ...]:
    return row["interval"], row["case"], row["n"]
