"""From a recording of vla-eval to `Episode` records."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from assay.episodes.evaluations.databases import opened, tables_of
from assay.episodes.faults import PARSING, shown
from assay.episodes.guarding import guarded
from assay.episodes.names import slug
from assay.episodes.paths import inside
from assay.episodes.rates import steps_per_second
from assay.episodes.video import VideoFrames, probe
from assay.errors import InputError
from assay.records import Episode, Series, Unreadable, View

__all__ = ["NEEDED", "read_vla_eval"]

NEEDED = {
    "episode_results": {
        *("sid", "eid", "task_name", "episode_id", "status", "jsonl_path", "eval_id"),
        *("failure_reason", "failure_detail"),
    },
    "step_rows": {"sid", "eid", "step_id", "fields"},
}
"""The tables of a recording, and those of their columns that are read."""

_OUTCOMES = {"success": True, "fail": False}
_MOST_STEPS = 1_000_000  # of one episode
_RESULTS = (
    "SELECT sid, eid, task_name, episode_id, status, jsonl_path, eval_id, failure_reason, "
    "failure_detail FROM episode_results ORDER BY sid, eid"
)


@dataclass(frozen=True, slots=True)
class _Result:
    """A row of episode_results, as it stands there."""

    sid: str
    eid: str
    task_name: object
    episode_id: object
    status: object
    jsonl_path: object
    eval_id: object
    failure_reason: object
    failure_detail: object


def read_vla_eval(file: Path) -> Iterator[Episode | Unreadable]:
    """Yield the episodes sorted by shard and episode id; the steps of one are in memory."""
    found = tables_of(file)
    for table, columns in NEEDED.items():
        missing = columns - found.get(table, set())
        if missing:
            raise InputError(f"the table {table!r} lacks {', '.join(sorted(missing))}.", file)
    root = file.parent
    rate: list[float] = []
    with opened(file) as base:
        about = _evaluations(base, found)
        for row in base.execute(_RESULTS):
            result = _Result(*row)
            if not isinstance(result.sid, str) or not isinstance(result.eid, str):
                raise InputError("an episode has no text for its sid and eid.", file)
            bare = _bare(result, about.get(str(result.eval_id), {}), file)
            if result.status not in _OUTCOMES:
                reason = result.failure_reason or result.failure_detail or "no reason is given"
                detail = f"{file}, {bare.id}: the harness failed ({shown(reason)})."
                yield Unreadable.of(bare, detail)
                continue
            yield guarded(
                bare, f"{file}, {bare.id}", partial(_filled, base, bare, result, root, rate)
            )


def _evaluations(base: sqlite3.Connection, tables: Mapping[str, set[str]]) -> dict[str, Any]:
    """Return what is noted of each evaluation, by its id."""
    if not {"eval_id", "metadata"} <= tables.get("eval_metadata", set()):
        return {}
    rows = base.execute("SELECT eval_id, metadata FROM eval_metadata").fetchall()
    return {str(name): note for name, text in rows if isinstance(note := _parsed(text), dict)}


def _parsed(text: object) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return json.loads(text) if isinstance(text, str | bytes) else None
    except PARSING:
        return None


def _bare(result: _Result, about: Mapping[str, Any], file: Path) -> Episode:
    name = str(result.task_name or "")
    server = about.get("server_info")
    model = server.get("model_server") if isinstance(server, dict) else None
    benchmark = about.get("benchmark")
    return Episode(
        f"{result.sid}/{result.eid}",
        slug(name) if name else file.stem,
        instruction=name if " " in name.strip() else "",
        outcome=_OUTCOMES.get(str(result.status)),
        policy=model if isinstance(model, str) and model else Episode("", "").policy,
        world=benchmark if isinstance(benchmark, str) and benchmark else None,
        source=str(file),
    )


def _filled(
    base: sqlite3.Connection, bare: Episode, result: _Result, root: Path, rate: list[float]
) -> Episode:
    views = {}
    fps = 0.0
    video = _video(root, result.jsonl_path)
    if video is not None:
        views["main"] = View(VideoFrames(str(video)))
        fps = probe(str(video)).fps
    if not fps:  # asked once: it may be assumed aloud
        rate[:] = rate or [steps_per_second(root)]
        fps = rate[0]
    signals, unread = _signals(base, result, fps)
    return replace(bare, views=views, signals=signals, extra={"unread": unread})


def _video(root: Path, jsonl: object) -> Path | None:
    """Return the video of an episode: it is named like its table of steps."""
    if not isinstance(jsonl, str) or not jsonl:
        return None
    path = inside(root, Path(jsonl).with_suffix(".mp4"), file=root)
    return path if path.is_file() else None


def _signals(
    base: sqlite3.Connection, result: _Result, fps: float
) -> tuple[dict[str, Series], list[str]]:
    """Return the fields of the steps that hold numbers or texts, each where it was written."""
    query = "SELECT step_id, fields FROM step_rows WHERE sid = ? AND eid = ? ORDER BY step_id"
    steps: dict[str, tuple[list[int], list[Any]]] = {}
    for count, (step, text) in enumerate(base.execute(query, (result.sid, result.eid))):
        fields = _parsed(text)
        if not isinstance(step, int) or not 0 <= step < _MOST_STEPS or count > _MOST_STEPS:
            raise ValueError(f"step_id {step!r} is no step")
        if not isinstance(fields, dict):
            raise TypeError(f"the fields of step {step} are no JSON object")
        for name, value in fields.items():
            where, values = steps.setdefault(str(name), ([], []))
            where.append(step)
            values.append(value)
    signals, unread = {}, []
    for name, (where, values) in sorted(steps.items()):
        array = _stacked(values)
        if array is None:
            unread.append(name)
        else:
            signals[name.replace("/", ".")] = Series(np.array(where) / fps, array)
    return signals, unread


def _stacked(values: list[Any]) -> np.ndarray[Any, np.dtype[Any]] | None:
    """Return values of one shape as an array of shape (T,) or (T, D), else None."""
    if all(isinstance(value, str) for value in values):
        return np.array(values, dtype=np.str_)
    try:
        array = np.array(values)
    except ValueError:  # lists of differing lengths
        return None
    return array if array.dtype.kind in "biuf" and array.ndim <= 2 and array.size else None
