"""From `eval_info.json` of lerobot-eval to `Episode` records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from assay.episodes import jsonlines, tables
from assay.episodes.faults import check_file, shown
from assay.episodes.guarding import guarded
from assay.episodes.names import slug
from assay.episodes.paths import inside
from assay.episodes.video import VideoFrames, probe
from assay.errors import EpisodeError, InputError
from assay.records import Episode, Unreadable, View

__all__ = ["read_eval"]


@dataclass(frozen=True, slots=True)
class _Task:
    """One task of an evaluation, with one entry an episode in each list."""

    name: str
    successes: Sequence[object]
    videos: Sequence[object]
    numbers: Mapping[str, Sequence[object]]


def read_eval(file: Path) -> Iterator[Episode | Unreadable]:
    """Yield the episodes of an evaluation, task by task."""
    root = file.parent
    inside(root, file.name, file=root)
    check_file(file)
    tasks = list(_tasks(jsonlines.parse(tables.read_text(file), file), file))
    taken: dict[str, int] = {}
    for task in tasks:
        for number, success in enumerate(task.successes):
            nth = taken.get(task.name, 0)
            taken[task.name] = nth + 1
            extra = {
                name: rows[number] for name, rows in task.numbers.items() if number < len(rows)
            }
            bare = Episode(
                f"{task.name}_{nth:04d}",
                task.name,
                outcome=_flag(success, file),
                source=str(file),
                extra=extra,
            )
            video = task.videos[number] if number < len(task.videos) else None
            yield guarded(bare, file, partial(_filled, bare, root, video))


def _tasks(content: object, file: Path) -> Iterator[_Task]:
    """Yield the tasks of either layout: `per_task`, or the older `per_episode`."""
    if isinstance(content, dict) and isinstance(content.get("per_task"), list):
        for entry in content["per_task"]:
            yield _task(entry, file)
    elif isinstance(content, dict) and isinstance(content.get("per_episode"), list):
        rows = [row for row in content["per_episode"] if isinstance(row, dict)]
        names = ("sum_reward", "max_reward", "seed")
        numbers = {name: [row.get(name) for row in rows] for name in names}
        videos = content.get("video_paths")
        successes = [row.get("success") for row in rows]
        task = file.parent.resolve().name
        yield _Task(task, successes, videos if isinstance(videos, list) else [], numbers)
    else:
        raise InputError("has neither a list 'per_task' nor 'per_episode'.", file)


def _task(entry: object, file: Path) -> _Task:
    metrics = entry.get("metrics") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(metrics, dict):
        raise InputError("an entry of 'per_task' has no object 'metrics'.", file)
    parts = [entry.get("task_group"), entry.get("task_id")]
    name = "-".join(slug(str(part)) for part in parts if part not in (None, "")) or "task"
    lists = {key: value for key, value in metrics.items() if isinstance(value, list)}
    if "successes" not in lists:
        raise InputError(f"the task {shown(name)!r} has no list 'successes'.", file)
    numbers = {key: lists[key] for key in ("sum_rewards", "max_rewards") if key in lists}
    return _Task(name, lists["successes"], lists.get("video_paths", []), numbers)


def _flag(value: Any, file: Path) -> bool | None:  # noqa: ANN401 - any JSON value
    if value is None or isinstance(value, bool):
        return value
    if value in (0, 1):
        return bool(value)
    raise InputError(f"a success is {shown(value)!r}; true or false is needed.", file)


def _filled(bare: Episode, root: Path, video: object) -> Episode:
    """Return the episode with its video, if it has one."""
    if video is None:
        return bare
    path = _under(root, str(video))
    probe(str(path))
    return replace(bare, views={"main": View(VideoFrames(str(path)))})


def _under(root: Path, named: str) -> Path:
    """Return the file that a path means which was written where the evaluation ran.

    Such paths begin where the command was started, or at the root of another machine: the longest
    end of it that leads to a file below `root` is meant.
    """
    parts = [p for p in PurePosixPath(named).parts if p != "/"]
    for start in range(len(parts)):
        path = inside(root, "/".join(parts[start:]), file=root)
        if path.is_file():
            return path
    raise EpisodeError(f"{root}: the video {shown(named)!r} is not there.")
