"""From the files of a LeRobot dataset to `Episode` records."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from assay.episodes.encoded_frames import EncodedFrames
from assay.episodes.faults import PARSING, shown, worded
from assay.episodes.lerobot.reading.data import DataFiles, Rows
from assay.episodes.lerobot.reading.identity import bare_episode
from assay.episodes.lerobot.reading.images import RowImages
from assay.episodes.lerobot.reading.info import Info, expand, load_info
from assay.episodes.lerobot.reading.labels import outcome, segments
from assay.episodes.lerobot.reading.meta import episode_rows, load_names
from assay.episodes.lerobot.reading.own import OwnFields, load_own
from assay.episodes.lerobot.reading.signals import check_columns, clock, signals
from assay.episodes.names import slug
from assay.episodes.video import VideoFrames
from assay.errors import EpisodeError, InputError
from assay.records import Camera, Episode, Floats, Frames, Segment, Status, Unreadable, View

__all__ = ["read_lerobot"]


@dataclass(frozen=True, slots=True)
class _Dataset:
    """What all episodes of a dataset share."""

    info: Info
    tasks: Mapping[int, str]
    subtasks: Mapping[int, str]
    own: OwnFields


def read_lerobot(root: Path) -> Iterator[Episode | Unreadable]:
    """Yield the episodes of the dataset at `root`, in the order of its episode table."""
    info = load_info(root)
    shared = _Dataset(info, load_names(info, "task"), load_names(info, "subtask"), load_own(info))
    files = DataFiles(heavy=frozenset(info.of_dtype("image")))
    try:
        for row in episode_rows(info):
            yield _episode(shared, files, row)
    finally:
        files.close()


def _episode(shared: _Dataset, files: DataFiles, row: Mapping[str, Any]) -> Episode | Unreadable:
    index = int(row["episode_index"])
    own = shared.own.of(index)
    bare = bare_episode(shared.info, row, own)
    try:
        rows = files.rows(_data_path(shared.info, row, index), index)
        check_columns(rows, shared.info)
        _check_own(own, rows, shared.own.file)
        if not bare.instruction and not own:
            bare = _with_instruction(bare, _first_task(rows, shared.tasks))
        return _filled(bare, shared, row, rows, own)
    except EpisodeError as error:
        return Unreadable.of(bare, str(error), cast("Status", error.status))
    except PARSING as error:
        detail = f"{shared.info.root}, episode {index}: can't be used ({worded(error)})."
        lost = isinstance(error, OSError)  # such as a file without permission
        return Unreadable.of(bare, detail, "missing_frame" if lost else "invalid_value")


def _with_instruction(bare: Episode, text: str) -> Episode:
    return replace(bare, instruction=text, task=slug(text)) if text else bare


def _filled(
    bare: Episode,
    shared: _Dataset,
    row: Mapping[str, Any],
    rows: Rows,
    own: Mapping[str, Any],
) -> Episode:
    """Return the episode with its data."""
    info = shared.info
    times = clock(rows, info.fps)
    found, skipped = signals(rows, info, times, shared.own.layout)
    marked = own.get("segments")
    return replace(
        bare,
        views=_views(info, row, rows, times, own),
        signals=found,
        segments=segments(row, rows, times, info.fps, shared.subtasks)
        if marked is None
        else tuple(Segment(s["name"], s["start_s"], s["end_s"], s["kind"]) for s in marked),
        outcome=bare.outcome if "outcome" in own else outcome(bare.outcome, rows, found),
        extra=_extra(info, row, skipped),
    )


def _data_path(info: Info, row: Mapping[str, Any], index: int) -> Path:
    return expand(info.data_path, "data_path", info, _fields(info, row, index, "data"))


def _fields(info: Info, row: Mapping[str, Any], index: int, group: str) -> dict[str, int | str]:
    """Return the values for a path template: of both layouts, as far as the table has them."""
    fields: dict[str, int | str] = {
        "episode_index": index,
        "episode_chunk": index // info.chunks_size,
    }
    for name in ("chunk_index", "file_index"):
        value = row.get(f"{group}/{name}")
        if value is not None:
            fields[name] = _place(value, f"{group}/{name}")
    return fields


def _place(value: object, name: str) -> int:
    number = _moment(value, name)
    if not number.is_integer():
        raise EpisodeError(f"'{name}' of the episode table is {number:g}.", "invalid_value")
    return int(number)


def _moment(value: object, name: str) -> float:
    """Return a number of the episode table, which is finite and not below 0."""
    if not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise EpisodeError(
            f"'{name}' of the episode table is {shown(repr(value))}; a number from 0 on is needed.",
            "invalid_value",
        )
    return float(value)


def _views(
    info: Info, row: Mapping[str, Any], rows: Rows, times: Floats, own: Mapping[str, Any]
) -> dict[str, View]:
    keys = [
        k for k in (*info.of_dtype("video"), *info.of_dtype("image")) if not info.features[k].depth
    ]
    short = Counter(_view_name(key) for key in keys)
    notes = {note["name"]: note for note in own.get("views") or []}
    views = {}
    for key in keys:
        name = _view_name(key) if short[_view_name(key)] == 1 else key
        frames = (
            _video(info, row, key)
            if info.features[key].dtype == "video"
            else _stored(info, key, rows, times)
        )
        views[name] = _noted(frames, notes.get(name))
    return views


def _view_name(key: str) -> str:
    return key.removeprefix("observation.").removeprefix("images.") or key


def _video(info: Info, row: Mapping[str, Any], key: str) -> VideoFrames:
    """Return one episode's stretch of its mp4; a missing or empty file is an `EpisodeError`."""
    group = f"videos/{key}"
    fields = _fields(info, row, int(row["episode_index"]), group) | {"video_key": key}
    path = expand(info.video_path, "video_path", info, fields)
    if not path.is_file() or path.stat().st_size == 0:
        raise EpisodeError(f"{path}: the video file is missing or empty.")
    names = [f"{group}/from_timestamp", f"{group}/to_timestamp"]
    start, end = (None if row.get(n) is None else _moment(row[n], n) for n in names)
    if start is None and "{episode_index" not in info.video_path:
        raise InputError(
            f"the episode table has no column '{group}/from_timestamp', and 'video_path' names "
            "one file for several episodes.",
            info.file,
        )
    return VideoFrames(str(path), start or 0.0, end)


def _stored(info: Info, key: str, rows: Rows, times: Floats) -> EncodedFrames:
    """Return the pictures that stand in the rows themselves."""
    images = RowImages(str(info.root), str(rows.file), key, rows.start, rows.start + len(times))
    return EncodedFrames(images, times)


def _noted(frames: Frames, note: Mapping[str, Any] | None) -> View:
    """Return the view with the flags and the camera that our writer kept."""
    if note is None:
        return View(frames)
    camera = None
    if note["intrinsics"] is not None:
        camera = Camera(
            np.array(note["intrinsics"], dtype=np.float64).reshape(3, 3),
            np.array(note["world_from_camera"], dtype=np.float64).reshape(4, 4),
        )
    return View(frames, camera, bool(note["moves"]))


def _first_task(rows: Rows, tasks: Mapping[int, str]) -> str:
    """Return the text of the first frame's task; older tables don't repeat it by episode."""
    if "task_index" not in rows.table.column_names:
        return ""
    return tasks.get(rows.table["task_index"][0].as_py(), "")


def _check_own(own: Mapping[str, Any], rows: Rows, file: Path) -> None:
    """Refuse our fields when they belong to other episodes, as after editing the dataset."""
    length = rows.stop - rows.start
    if own.get("length", length) != length:
        raise InputError(
            f"episode {own['episode_index']} has {own['length']} frames here and {length} in "
            f"{rows.file}; the dataset was changed after Assay wrote it. Remove this file to read "
            "the dataset without it.",
            file,
        )


def _extra(info: Info, row: Mapping[str, Any], skipped: list[str]) -> dict[str, Any]:
    """Return leftovers that may help a person: all tasks, names of dimensions, unread columns."""
    names = {name: feature.names for name, feature in info.features.items() if feature.names}
    depth = [name for name, feature in info.features.items() if feature.depth]
    found = {"tasks": row.get("tasks"), "names": names, "depth_views": depth, "unread": skipped}
    return {key: value for key, value in found.items() if value}
