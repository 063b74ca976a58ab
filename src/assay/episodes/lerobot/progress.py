"""Progress files that lerobot writes beside a dataset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.episodes import tables
from assay.episodes.faults import reading
from assay.episodes.lerobot.reading.identity import bare_episode
from assay.episodes.lerobot.reading.info import Info, load_info
from assay.episodes.recorded.clocks import suspects
from assay.errors import InputError
from assay.records import Episode, Series, Unreadable

__all__ = ["progress_episodes"]

_INDEXES = ("episode_index", "frame_index")
_SCORES = ("progress_dense", "progress_sparse")


def progress_episodes(path: Path) -> Iterator[Episode | Unreadable]:
    """Yield the episodes of a progress file, in the order in which they first appear in it.

    `progress` is the dense score if the file has any, else the sparse; both stay available under
    their own names. All else is the dataset's.
    """
    with reading(path):
        columns, model = _load(path)
    info = load_info(_dataset_of(path))
    known = _bare_episodes(info)
    scores = [name for name in _SCORES if name in columns]
    # One choice for the whole file: dense and sparse scores are not on one scale.
    chosen = next((n for n in scores if np.isfinite(columns[n]).any()), scores[0])
    for index, rows in _groups(columns["episode_index"]):
        bare = known.get(index) or bare_episode(info, {"episode_index": index}, {})
        bare = replace(bare, source=str(path))
        frames = columns["frame_index"][rows]
        fault = _frame_fault(frames)
        if fault:
            where = f"{path}, episode {index}: {fault}"
            yield Unreadable.of(bare, where, "invalid_value")
            continue
        times = frames / info.fps
        signals = {name: Series(times, columns[name][rows]) for name in scores}
        signals["progress"] = signals[chosen]
        extra = {"reward_model_path": model} if model else {}
        yield replace(bare, signals=signals, extra=extra)


def _load(path: Path) -> tuple[dict[str, npt.NDArray[Any]], str]:
    """Return the columns, each of shape (N,), and the path of the reward model if it is noted."""
    import pyarrow as pa

    from assay.episodes.lerobot.reading.parquet import open_parquet

    file = open_parquet(path)
    found = file.schema_arrow.names
    tables.check_required(path, found, _INDEXES)
    scores = [name for name in _SCORES if name in found]
    if not scores:
        raise InputError(
            "neither the column 'progress_dense' nor 'progress_sparse' is there. "
            f"Columns found: {', '.join(found)}.",
            path,
        )
    if not file.metadata.num_rows:
        raise InputError("has no rows.", path)
    try:
        table = file.read(columns=[*_INDEXES, *scores])
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"the file is damaged ({error}).", path) from error
    model = (table.schema.metadata or {}).get(b"reward_model_path", b"").decode("utf-8", "replace")
    columns = {}
    for name in (*_INDEXES, *scores):
        wanted = pa.int64() if name in _INDEXES else pa.float64()
        try:
            column = table[name].cast(wanted)
        except pa.ArrowException as error:
            raise InputError(f"the column {name!r} does not hold numbers.", path) from error
        columns[name] = _to_numpy(path, name, column)
    return columns, model


def _to_numpy(path: Path, name: str, column: Any) -> npt.NDArray[Any]:  # noqa: ANN401 - pyarrow is imported late
    if name not in _INDEXES:
        column = column.fill_null(float("nan"))
    elif column.null_count:
        raise InputError(f"the column {name!r} has empty cells: {column.null_count}.", path)
    return np.asarray(column.to_numpy())


def _dataset_of(path: Path) -> Path:
    for folder in path.absolute().parents:
        if (folder / "meta" / "info.json").is_file():
            return folder
    raise InputError(
        "the frame rate is not known, because no folder above has a meta/info.json; "
        "put the file into the folder of its LeRobot dataset.",
        path,
    )


def _bare_episodes(info: Info) -> dict[int, Episode]:
    """Return what the dataset calls its episodes, by episode index."""
    from assay.episodes.lerobot.reading.meta import episode_rows
    from assay.episodes.lerobot.reading.own import load_own

    own = load_own(info)
    return {
        int(row["episode_index"]): bare_episode(info, row, own.of(int(row["episode_index"])))
        for row in episode_rows(info)
    }


def _groups(episodes: npt.NDArray[np.int64]) -> Iterator[tuple[int, npt.NDArray[np.intp]]]:
    """Yield each episode index with its rows, by first appearance."""
    indexes, firsts = np.unique(episodes, return_index=True)
    order = np.argsort(episodes, kind="stable")
    rows = np.split(order, np.cumsum(np.bincount(np.searchsorted(indexes, episodes)))[:-1])
    for at in np.argsort(firsts).tolist():
        yield int(indexes[at]), rows[at]


def _frame_fault(frames: npt.NDArray[np.int64]) -> str:
    """Say what is wrong with the frame numbers of an episode; empty when they increase from 0."""
    marked = suspects(frames.astype(np.float64))
    if not marked.any():
        return ""
    at = int(np.argmax(marked))
    if frames[at] < 0:
        return f"the frame number {frames[at]} is below 0."
    return f"the frame {frames[at]} does not come after the frame {frames[at - 1]}."
