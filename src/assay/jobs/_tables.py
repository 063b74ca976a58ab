"""The parquet files of a run directory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.jobs._rundir import write_file
from assay.records import STATUSES, Curve, status_codes

__all__ = ["read_rows", "write_curves", "write_rows"]


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
        *[(n, number) for n in ("mc", "mp", "ppl", "cra", "str")],
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


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of `episodes.parquet`."""
    import pyarrow.parquet as pq

    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return rows


def _write(path: Path, table: Any) -> None:  # noqa: ANN401 - pyarrow is imported by the callers
    import pyarrow.parquet as pq

    write_file(path, lambda partial: pq.write_table(table, partial, compression="zstd"))
