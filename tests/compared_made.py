"""Episodes and finished audits of made-up policies, to be compared with each other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from assay.jobs._compare_cases import Case
from assay.jobs._compare_metrics import Metric
from assay.jobs.audit import AuditSettings, audit
from curve_files import write_csv
from human_made import curve

MP = Metric("mp", "mp", None, is_share=False, bounds=(0.0, 1.0), up_is_good=True)
HALF = Metric("mp@50", "mp", 0.5, is_share=True, bounds=(0.0, 1.0), up_is_good=True)
A = (0.6, 0.7, 0.8, 0.5, 0.6, 0.9)
B = (0.5, 0.5, 0.5, 0.4, 0.4, 0.6)
"""In the same six scenes a is higher by .1 .2 .3 .1 .2 .3: by .2 on average."""


def case(policy: str, number: int, mp: float | None, **more: Any) -> Case:
    """Return an episode of task "lift" in a scene of its number, unless told otherwise."""
    given = {"checkpoint": "", "task": "lift", "scene": f"s{number}", "perturbation": "", **more}
    status = "ok" if mp is not None else "missing_frame"
    name = f"{policy}-{given['task']}-{number}-{given['checkpoint']}-{given['perturbation']}"
    return Case(name, policy, **given, status=status, row={"mp": mp})


def cases(policy: str, values, **more: Any) -> list[Case]:
    """Return an episode per value, in scenes 0, 1, 2, ..."""
    return [case(policy, number, value, **more) for number, value in enumerate(values)]


def policy_run(
    folder: Path, policy: str, tops, *, scenes: bool = True, task: str = "lift", **settings
) -> Path:
    """Audit curves that rise to each of `tops`; one that is None has a gap. Return the run."""
    curves, success = {}, {}
    for number, top in enumerate(tops):
        values: list[float | None] = [*curve(0.5 if top is None else top)]
        curves[f"e{number}", task, policy] = [*values[:-1], None] if top is None else values
        success[f"e{number}"] = top == 1.0
    out = folder / f"run-{policy}"
    source = write_csv(folder / f"{policy}.csv", curves, success=success)
    if scenes:
        lines = ["episode,scene", *(f"e{k},scene-{k}" for k in range(len(tops)))]
        settings["labels"] = folder / f"{policy}-labels.csv"
        settings["labels"].write_text("\n".join(lines) + "\n")
    audit([source], AuditSettings(out=out, jobs=1, video="none", **settings))
    return out


def rewritten(run: Path, columns: Mapping[str, Mapping[str, Any]]) -> Path:
    """Give episodes of a finished run other values: `{episode: {column: value}}`."""
    path = run / "episodes.parquet"
    table = pq.read_table(path)
    rows = [{**row, **columns.get(row["episode"], {})} for row in table.to_pylist()]
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
    return run
