"""Write the curves of an audit as a progress file of lerobot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from assay.episodes.catalogue import Source
from assay.episodes.formats.lerobot import LeRobot
from assay.episodes.names import slug
from assay.errors import InputError, UsageError
from assay.jobs._rundir import read_document, write_file

__all__ = ["PROGRESS", "Progress", "write_progress"]

PROGRESS = "lerobot-progress"
"""What `assay convert --to` calls it: the same name as the format that reads it."""


_INDEXES = ("index", "episode_index", "frame_index")


@dataclass(frozen=True)
class Progress:
    """A progress file: where it is, and how many rows, episodes and scored moments it has."""

    file: Path
    rows: int
    episodes: int
    scored: int


def write_progress(run: Path, out: Path, dataset: Path | None = None) -> Progress:
    """Write the main judge's curves of the audit at `run` for its LeRobot dataset.

    There is one row for every judged frame, NaN where the judge gave no score. Frames that were
    not judged have no row: nothing is interpolated.

    Args:
        run: The run directory of an audit.
        out: The folder for the file; that of the dataset is where lerobot looks for it.
        dataset: The LeRobot dataset; None takes the one that was audited.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    settings = _settings(run)
    judge = str(settings["judge"]["name"])
    columns = _columns(run, judge, _frames(_dataset(run, settings) if dataset is None else dataset))
    kinds: dict[str, pa.DataType] = dict.fromkeys(_INDEXES, pa.int64())
    schema = pa.schema({**kinds, "progress_sparse": pa.float32()}).with_metadata(
        {b"reward_model_path": f"assay:{judge}".encode()}
    )
    file = out / f"{slug(judge).replace('-', '_')}_progress.parquet"
    if file.exists():
        raise UsageError(f"{file} exists; move it away or give another --out.")
    table = pa.Table.from_pydict(columns, schema=schema)
    write_file(file, lambda partial: pq.write_table(table, partial))
    scored = int(np.isfinite(columns["progress_sparse"]).sum())
    return Progress(file, table.num_rows, len(set(columns["episode_index"])), scored)


def _settings(run: Path) -> Mapping[str, Any]:
    if not (run / "run.json").is_file() or not (run / "curves.parquet").is_file():
        raise InputError("is no finished audit: it has no run.json and curves.parquet.", run)
    settings: Mapping[str, Any] = read_document(run / "run.json").get("settings") or {}
    if not isinstance(settings.get("judge"), dict) or "name" not in settings["judge"]:
        raise InputError("names no judge.", run / "run.json")
    return settings


def _dataset(run: Path, settings: Mapping[str, Any]) -> Path:
    """Return the one LeRobot dataset that was audited."""
    paths = [Source.parse(text).path for text in settings.get("sources") or []]
    found = [path for path in paths if LeRobot().sniff(path)]
    if len(found) != 1 or len(paths) != 1:
        raise UsageError(
            f"The audit {run} is not one of a single LeRobot dataset that is still there: "
            "say which one is meant with --set dataset=DIR."
        )
    return found[0]


def _frames(dataset: Path) -> dict[str, tuple[int, int, float]]:
    """Return episode index, index of the first frame and frame rate, by our episode ids."""
    from assay.episodes.lerobot.reading.identity import bare_episode
    from assay.episodes.lerobot.reading.info import load_info
    from assay.episodes.lerobot.reading.meta import episode_rows
    from assay.episodes.lerobot.reading.own import load_own

    if not LeRobot().sniff(dataset):
        raise InputError("is no LeRobot dataset.", dataset)
    info = load_info(dataset)
    own = load_own(info)
    found, first = {}, 0
    for row in episode_rows(info):
        index = int(row["episode_index"])
        start = row.get("dataset_from_index")
        first = first if start is None else int(start)
        found[bare_episode(info, row, own.of(index)).id] = (index, first, info.fps)
        first += int(row.get("length") or 0)
    return found


def _columns(
    run: Path, judge: str, frames: Mapping[str, tuple[int, int, float]]
) -> dict[str, np.ndarray[Any, Any]]:
    """Return the columns of the file, sorted by episode and frame."""
    import pyarrow.parquet as pq

    table = pq.read_table(run / "curves.parquet", filters=[("judge", "==", judge)])
    ids, times, values = (
        cast("list[Any]", table[c].to_pylist()) for c in ("episode", "t", "value")
    )
    unknown = sorted(set(ids) - set(frames))
    if unknown:
        raise InputError(f"the episode {unknown[0]!r} is not in the dataset.", run)
    rows: dict[tuple[int, int], tuple[int, float]] = {}
    for name, time, value in zip(ids, times, values, strict=True):
        index, first, fps = frames[name]
        frame = round(time * fps)
        score = float("nan") if value is None else float(value)
        rows.setdefault((index, frame), (first + frame, score))  # of two on a frame the first
    keys = sorted(rows)
    return {
        "index": np.array([rows[key][0] for key in keys], np.int64),
        "episode_index": np.array([key[0] for key in keys], np.int64),
        "frame_index": np.array([key[1] for key in keys], np.int64),
        "progress_sparse": np.array([rows[key][1] for key in keys], np.float32),
    }
