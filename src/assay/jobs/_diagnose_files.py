"""The files of a diagnosis: reports, events, clips, and how each was examined."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from assay.episodes import jsonlines
from assay.episodes.glitches.reports import write_reports
from assay.episodes.glitches.taxonomy import taxonomy
from assay.jobs._calls import read_calls
from assay.jobs._diagnose_document import Clip
from assay.jobs._diagnose_units import Examined
from assay.jobs._rundir import write_file

__all__ = ["read_examined", "write_files"]

_EXAMINED = "examined.jsonl"


def write_files(out: Path, clips: Sequence[Clip], judge: str) -> None:
    """Write `reports.jsonl`, `examined.jsonl`, `events.parquet` and `episodes.parquet`."""
    reports = [clip.examined.report(clip.id, clip.episode.policy) for clip in clips]
    told = [report for report, clip in zip(reports, clips, strict=True) if clip.examined.is_ok]
    write_file(out / "reports.jsonl", lambda path: write_reports(path, told))
    write_file(out / _EXAMINED, "".join(_line(clip) for clip in clips))
    write_file(out / "events.parquet", partial(_write_events, clips, judge))
    write_file(out / "episodes.parquet", partial(_write_clips, clips, judge))


def read_examined(out: Path, judge: str) -> dict[str, Examined]:
    """Return what an earlier report of the same run was made of, by clip."""
    path = out / _EXAMINED
    if not path.is_file():
        return {}
    calls = read_calls(out / "calls.parquet")
    return {
        line["clip"]: Examined.from_json(line, calls.get((judge, line["clip"]), b""))
        for _, line in jsonlines.iterate(path)
    }


def _line(clip: Clip) -> str:
    return json.dumps({"clip": clip.id, **clip.examined.as_json()}, ensure_ascii=False) + "\n"


def _write_events(clips: Sequence[Clip], judge: str, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    text, number = pa.string(), pa.float64()
    texts = ("episode", "source", "dimension", "type")
    fields: list[tuple[str, pa.DataType]] = [
        *[(name, text) for name in texts],
        *[(name, number) for name in ("start_s", "end_s", "severity", "confidence")],
        *[(name, text) for name in ("description", "evidence", "verdict")],
    ]
    schema = pa.schema(fields, metadata={"schema": "assay.events/1"})
    rows = list(_event_rows(clips, judge, [name for name, _ in fields]))
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path, compression="zstd")


def _event_rows(
    clips: Sequence[Clip], judge: str, columns: Sequence[str]
) -> Iterator[Mapping[str, Any]]:
    """Yield what was found, then what was dropped, of one clip after the other."""
    for clip in clips:
        for event in (*clip.examined.events, *clip.examined.found.rejected):
            row = {name: getattr(event, name, None) for name in columns}
            yield {**row, "episode": clip.id, "source": event.source or judge}


def _write_clips(clips: Sequence[Clip], judge: str, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    text, whole, number = pa.string(), pa.int64(), pa.float64()
    fields: list[tuple[str, pa.DataType]] = [
        *[(n, text) for n in ("episode", "task", "policy", "world", "scene", "perturbation")],
        ("seed", whole),
        *[(n, text) for n in ("judge", "status", "detail")],
        ("duration_s", number),
        ("clean", pa.bool_()),
        *[(n, whole) for n in ("events", *(f"events_{d}" for d in taxonomy().dimensions))],
        ("worst_severity", number),
        ("views", pa.list_(text)),
    ]
    schema = pa.schema(fields, metadata={"schema": "assay.episodes/1"})
    rows = sorted((clip.row(judge) for clip in clips), key=lambda row: row["episode"])
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path, compression="zstd")
