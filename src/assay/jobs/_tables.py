"""The parquet files of a run directory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from assay.jobs._rundir import write_file
from assay.jobs._units import Scored, unscored
from assay.metrics.results import METRICS
from assay.records import STATUSES, Curve, status_codes, worst_status

__all__ = ["read_scored", "write_curves", "write_rows"]


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]], judge: str) -> None:
    """Write `episodes.parquet`: one row per episode, sorted by id."""
    import pyarrow as pa

    text, number, flag = pa.string(), pa.float64(), pa.bool_()
    fields: list[tuple[str, pa.DataType]] = [
        *[(n, text) for n in ("episode", "task", "policy", "world", "scene", "perturbation")],
        ("seed", pa.int64()),
        *[(n, text) for n in ("judge", "status", "detail")],
        ("duration_s", number),
        *[(f"success_{n}", flag) for n in ("once", "held", "end")],
        *[(n, number) for n in METRICS],
        ("views", pa.list_(text)),
    ]
    schema = pa.schema(fields, metadata={"schema": "assay.episodes/1"})
    ordered = sorted(({**row, "judge": judge} for row in rows), key=lambda row: row["episode"])
    _write(path, pa.Table.from_pylist(ordered, schema=schema))


def write_curves(path: Path, curves: Mapping[str, Curve], judge: str) -> None:
    """Write `curves.parquet`: one row per judged moment, sorted by episode and time."""
    import pyarrow as pa

    names = sorted(curves)
    found = [curves[name] for name in names]
    index = np.repeat(np.arange(len(names), dtype=np.int32), [len(c.times) for c in found])
    values = np.concatenate([np.empty(0), *(c.values for c in found)])
    codes = np.concatenate([np.empty(0, np.uint8), *(status_codes(c.status) for c in found)])
    texts = pa.DictionaryArray.from_arrays
    table = pa.table(
        {
            "episode": texts(index, pa.array(names, pa.string())),
            "judge": texts(np.zeros_like(index), pa.array([judge])),
            "t": np.concatenate([np.empty(0), *(c.times for c in found)]),
            "value": pa.array(values, mask=np.isnan(values)),
            "status": texts(codes, pa.array(STATUSES)),
        }
    )
    _write(path, table.replace_schema_metadata({"schema": "assay.curves/1"}))


def read_scored(run: Path) -> dict[str, Scored]:
    """Return what an earlier report of the same run was made of, by episode; empty without one."""
    import pyarrow.parquet as pq

    episodes, moments = run / "episodes.parquet", run / "curves.parquet"
    if not (episodes.is_file() and moments.is_file()):
        return {}
    curves = _read_curves(pq.read_table(moments))
    scored = {}
    for row in pq.read_table(episodes, columns=["episode", "status", "detail"]).to_pylist():
        name, status, detail = row["episode"], row["status"], row["detail"]
        if name in curves:
            curve = replace(curves[name], detail=detail)
            scored[name] = Scored(curve, worst_status(curve.status), detail)
        elif status != "ok":
            scored[name] = unscored(status, detail)
    return scored


def _read_curves(table: Any) -> dict[str, Curve]:  # noqa: ANN401 - a pyarrow.Table, imported late
    """Return the curves of a table that is sorted by episode and time."""
    names = table["episode"].combine_chunks()
    codes = names.indices.to_numpy()
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    times = table["t"].to_numpy()
    values = table["value"].to_numpy()
    status = np.array(table["status"].combine_chunks().to_pylist(), dtype="<U16")
    return {
        names.dictionary[int(codes[a])].as_py(): Curve(times[a:b], values[a:b], status[a:b])
        for a, b in pairwise([*starts.tolist(), len(codes)])
    }


def _write(path: Path, table: Any) -> None:  # noqa: ANN401 - pyarrow is imported by the callers
    import pyarrow.parquet as pq

    write_file(path, lambda partial: pq.write_table(table, partial, compression="zstd"))
