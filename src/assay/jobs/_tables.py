"""The parquet files of a run directory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.jobs._calls import read_calls
from assay.jobs._rundir import write_file
from assay.jobs._units import Scored, unscored
from assay.metrics.results import METRICS
from assay.records import STATUSES, Curve, status_codes, worst_status

__all__ = ["read_scored", "read_views", "write_curves", "write_rows"]


def write_rows(path: Path, rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Write `episodes.parquet`: one row per judge and episode, judge by judge, sorted by id.

    Args:
        path: The file.
        rows: The rows by the judge's name, the main judge first.
    """
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
    ordered = [
        {**row, "judge": judge}
        for judge, own in rows.items()
        for row in sorted(own, key=lambda row: row["episode"])
    ]
    _write(path, pa.Table.from_pylist(ordered, schema=schema))


def write_curves(path: Path, curves: Mapping[str, Mapping[str, Curve]]) -> None:
    """Write `curves.parquet`: one row per judged moment, judge by judge, by episode and time.

    Args:
        path: The file.
        curves: The curves by the judge's name, the main judge first, and by episode.
    """
    import pyarrow as pa

    names = sorted({name for own in curves.values() for name in own})
    code = {name: np.int32(place) for place, name in enumerate(names)}
    keys = [(who, name) for who, own in enumerate(curves.values()) for name in sorted(own)]
    judges = list(curves)
    found = [curves[judges[who]][name] for who, name in keys]
    lengths = [len(c.times) for c in found]
    values = np.concatenate([np.empty(0), *(c.values for c in found)])
    codes = np.concatenate([np.empty(0, np.uint8), *(status_codes(c.status) for c in found)])
    texts = pa.DictionaryArray.from_arrays
    table = pa.table(
        {
            "episode": texts(
                np.repeat(np.array([code[name] for _, name in keys], np.int32), lengths),
                pa.array(names, pa.string()),
            ),
            "judge": texts(
                np.repeat(np.array([who for who, _ in keys], np.int32), lengths), pa.array(judges)
            ),
            "t": np.concatenate([np.empty(0), *(c.times for c in found)]),
            "value": pa.array(values, mask=np.isnan(values)),
            "status": texts(codes, pa.array(STATUSES)),
            "novel": _novel(found),
        }
    )
    _write(path, table.replace_schema_metadata({"schema": "assay.curves/1"}))


def _novel(curves: Sequence[Curve]) -> Any:  # noqa: ANN401 - a pyarrow array, imported late
    """Return which moments are novel, null where the judge can't tell."""
    import pyarrow as pa

    told = [np.full(len(c.times), c.novel is not None) for c in curves]
    flags = [np.zeros(len(c.times), np.bool_) if c.novel is None else c.novel for c in curves]
    nothing = np.empty(0, np.bool_)
    return pa.array(np.concatenate([nothing, *flags]), mask=~np.concatenate([nothing, *told]))


def read_scored(run: Path) -> dict[str, dict[str, Scored]]:
    """Return what an earlier report of the same run was made of, by judge and episode."""
    import pyarrow.parquet as pq

    episodes, moments = run / "episodes.parquet", run / "curves.parquet"
    if not (episodes.is_file() and moments.is_file()):
        return {}
    curves, calls = _read_curves(pq.read_table(moments)), read_calls(run / "calls.parquet")
    scored: dict[str, dict[str, Scored]] = {}
    columns = ["judge", "episode", "status", "detail"]
    for row in pq.read_table(episodes, columns=columns).to_pylist():
        judge, name, status, detail = (row[column] for column in columns)
        own, known = scored.setdefault(judge, {}), calls.get((judge, name), b"")
        if (judge, name) in curves:
            curve = replace(curves[judge, name], detail=detail)
            own[name] = Scored(curve, worst_status(curve.status), detail, known)
        elif status != "ok":
            own[name] = replace(unscored(status, detail), calls=known)
    return scored


def read_views(run: Path) -> dict[str, list[str]]:
    """Return the views of every episode of a finished run."""
    import pyarrow.parquet as pq

    table = pq.read_table(run / "episodes.parquet", columns=["episode", "views"])
    return {row["episode"]: row["views"] for row in table.to_pylist()}


def _read_curves(table: Any) -> dict[tuple[str, str], Curve]:  # noqa: ANN401 - a pyarrow.Table, imported late
    """Return the curves of a table that is sorted by judge, episode and time."""
    names, judges = (table[column].combine_chunks() for column in ("episode", "judge"))
    codes, who = names.indices.to_numpy(), judges.indices.to_numpy()
    starts = np.flatnonzero(np.diff(codes, prepend=-1) | np.diff(who, prepend=-1))
    times = table["t"].to_numpy()
    values = table["value"].to_numpy()
    status = np.array(table["status"].combine_chunks().to_pylist(), dtype="<U16")
    known, novel = _read_novel(table)
    return {
        (judges.dictionary[int(who[a])].as_py(), names.dictionary[int(codes[a])].as_py()): Curve(
            times[a:b], values[a:b], status[a:b], novel=novel[a:b] if known[a] else None
        )
        for a, b in pairwise([*starts.tolist(), len(codes)])
    }


def _read_novel(table: Any) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:  # noqa: ANN401 - as above
    """Return where novelty is told, and what is told; a table may be older than the column."""
    if "novel" not in table.column_names:
        return np.zeros(len(table), np.bool_), np.zeros(len(table), np.bool_)
    column = table["novel"]
    return column.is_valid().to_numpy(), column.fill_null(fill_value=False).to_numpy()


def _write(path: Path, table: Any) -> None:  # noqa: ANN401 - pyarrow is imported by the callers
    import pyarrow.parquet as pq

    write_file(path, lambda partial: pq.write_table(table, partial, compression="zstd"))
