"""Write episodes as a LeRobot v3.0 dataset that the lerobot library opens.

A LeRobot dataset has one clock, k / fps. Signals and views on other clocks are resampled to it;
`docs/formats/lerobot.md` says how.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from assay.episodes.lerobot.layout import DATA_PATH, OWN, VIDEO_PATH
from assay.episodes.lerobot.writing import features, parquet
from assay.episodes.lerobot.writing.clip import Clip
from assay.episodes.lerobot.writing.episode_table import EpisodeTable
from assay.episodes.lerobot.writing.labels import (
    Grain,
    Stages,
    dense,
    grains,
    sparse,
    subtask_columns,
)
from assay.episodes.lerobot.writing.mp4 import CODECS, Codec, Mp4Files, Stretch
from assay.episodes.lerobot.writing.places import Limits, Places
from assay.episodes.lerobot.writing.plan import SLACK_S, Plan, columns, grid, make_plan
from assay.episodes.lerobot.writing.stats import PictureStats, Stats, of_values
from assay.errors import UnknownNameError, UsageError
from assay.records import Episode, Floats, Image, Segment

__all__ = ["LeRobotWriter", "Limits", "write_lerobot"]

_MB = 1024**2


def write_lerobot(
    root: Path,
    episodes: Iterable[Episode],
    *,
    fps: float,
    robot_type: str = "unknown",
    codec: Codec = "h264",
) -> None:
    """Write `episodes` as a LeRobot v3.0 dataset in the new folder `root`.

    Args:
        root: A folder that doesn't exist yet, or is empty.
        episodes: Read one at a time.
        fps: The dataset's clock [1/s].
        robot_type: What info.json calls the robot.
        codec: "h264", which browsers play, or "av1", which is smaller.
    """
    with LeRobotWriter(root, fps=fps, robot_type=robot_type, codec=codec) as writer:
        for episode in episodes:
            writer.add(episode)


class LeRobotWriter:
    """Write a LeRobot v3.0 dataset one episode at a time; frames are encoded as they come.

    The first episode decides the columns: later ones must have the same signals and views.
    `meta/info.json` is written last, so a dataset that was not closed is not taken for one. As a
    context manager it closes the dataset unless an exception passes through.

    Args:
        root: A folder that doesn't exist yet, or is empty.
        fps: The dataset's clock [1/s].
        robot_type: What info.json calls the robot.
        codec: "h264" or "av1".
        labels: Which labels are written, "sparse" for subtasks and "dense" for what is labelled
            within them; None: those that the first episode has.
        limits: When new files are begun; None for LeRobot's own limits.
        adopt: Whether the views' files are in their places already: `add` is told of each as a
            `Clip`, and the folder may hold anything but `data` and `meta`.
    """

    def __init__(
        self,
        root: Path,
        *,
        fps: float,
        robot_type: str = "unknown",
        codec: Codec = "h264",
        labels: Collection[Grain] | None = None,
        limits: Limits | None = None,
        adopt: bool = False,
    ) -> None:
        if codec not in CODECS:
            raise UnknownNameError("codec", codec, CODECS)
        if not 0 < fps < float("inf"):
            raise UsageError(f"A dataset's fps must be a number above 0, not {fps!r}.")
        _refuse_occupied(root, adopt=adopt)
        self._adopts = adopt
        self._root, self._robot, self._codec = root, robot_type, codec
        self._rate = Fraction(fps).limit_denominator(10_000)
        self._fps = float(self._rate)
        self._labels = labels
        self._limits = limits or Limits()
        self._places = Places(root, self._limits.chunk_files)
        size = int(self._limits.data_mb * _MB)
        self._data = parquet.RollingParquet(self._places.path_of(DATA_PATH), size)
        self._table = EpisodeTable(self._places, size)
        self._videos: dict[str, Mp4Files] = {}
        self._clips: dict[str, Clip] = {}
        self._plan: Plan | None = None
        self._columns: dict[str, Any] = {}
        self._own: list[dict[str, Any]] = []
        self._tasks: dict[str, int] = {}
        self._stages = Stages()
        self._frames = 0
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._release()

    def add(self, episode: Episode, clips: Mapping[str, Clip] | None = None) -> None:
        """Write one more episode.

        An episode that can't be written raises before it is counted: the dataset stays whole.

        Args:
            episode: What to write.
            clips: Where its views are, when the writer adopts them.
        """
        if self._closed:
            raise UsageError(f"{self._root} is closed; no episode can be added.")
        if self._adopts != (clips is not None):
            raise UsageError("A writer with adopt=True is given the clips of every episode.")
        # The clock of a file that is adopted is known: there is no need to open it.
        times = grid(episode if clips is None else replace(episode, views={}), self._fps)
        plan = self._planned(episode)
        labelled = self._labelled(episode)
        data = columns(plan, episode, times)
        if "sparse" in labelled:
            data["subtask_index"] = self._stages.index(episode, times)
        if clips is None:
            written = {name: self._write_view(episode, name, times) for name in plan.views}
        else:
            written = {name: self._adopt(episode, name, clips, times) for name in plan.views}
        self._write_rows(episode, times, data, written, labelled)

    def close(self) -> None:
        """Finish all files and write what describes the dataset."""
        if self._closed:
            return
        self._release()
        if self._plan is None or not self._own:
            raise UsageError(f"There are no episodes to write to {self._root}.")
        meta = self._root / "meta"
        parquet.write_names(meta / "tasks.parquet", "task", list(self._tasks))
        if "sparse" in (self._labels or ()):
            parquet.write_names(meta / "subtasks.parquet", "subtask", self._stages.names())
        parquet.write_own(self._root / OWN, self._own, self._plan.layout())
        _write_json(meta / "stats.json", self._table.total.as_json())
        _write_json(meta / "info.json", self._info())

    def _planned(self, episode: Episode) -> Plan:
        """Return the plan; the first episode makes it."""
        if self._plan is None:
            self._plan = make_plan(episode)
            if self._labels is None:
                self._labels = grains(episode)
            limit = int(self._limits.video_mb * _MB)
            for name in () if self._adopts else self._plan.views:
                path_of = self._places.path_of(VIDEO_PATH, video_key=features.view_key(name))
                self._videos[name] = Mp4Files(path_of, self._rate, self._codec, limit)
        return self._plan

    def _labelled(self, episode: Episode) -> dict[Grain, list[Segment]]:
        """Return the labels of an episode; refuse those that the dataset has no columns for."""
        found: dict[Grain, list[Segment]] = {"sparse": sparse(episode), "dense": dense(episode)}
        wanted = self._labels or ()
        for grain, marked in found.items():
            if marked and grain not in wanted:
                raise UsageError(
                    f"The episode {episode.id!r} has {grain} labels, such as {marked[0].name!r}, "
                    f"and the first one had none; make the writer with labels={{{grain!r}}}."
                )
        return {grain: marked for grain, marked in found.items() if grain in wanted}

    def _write_view(self, episode: Episode, name: str, times: Floats) -> tuple[Stretch, Stats]:
        """Encode one view of an episode, looking at some of its frames on the way."""
        seen = PictureStats(len(times))

        def frames() -> Iterator[Image]:
            for number, frame in enumerate(episode.views[name].frames.at(times + SLACK_S)):
                seen.see(number, frame)
                yield frame

        stretch = self._videos[name].write(frames(), f"The view {name!r} of {episode.id!r}")
        return stretch, seen.result()

    def _adopt(
        self, episode: Episode, name: str, clips: Mapping[str, Clip], times: Floats
    ) -> tuple[Stretch, Stats]:
        """Take up a view that is in a file of its own."""
        clip = clips.get(name)
        if clip is None or clip.length != len(times):
            found = "none" if clip is None else str(clip.length)
            raise UsageError(
                f"The view {name!r} of {episode.id!r} should have a clip of {len(times)} frames, "
                f"not {found}."
            )
        first = self._clips.setdefault(name, clip)
        if clip.size != first.size:
            raise UsageError(
                f"The view {name!r} of {episode.id!r} has frames of {clip.size[0]} x "
                f"{clip.size[1]}; the first episode has {first.size[0]} x {first.size[1]}."
            )
        return Stretch(clip.file, 0.0, float(clip.length / self._rate)), clip.stats

    def _write_rows(
        self,
        episode: Episode,
        times: Floats,
        data: dict[str, npt.NDArray[Any]],
        written: dict[str, tuple[Stretch, Stats]],
        labelled: Mapping[Grain, list[Segment]],
    ) -> None:
        """Write the row group of an episode and its row of the episode table."""
        index, length = len(self._own), len(times)
        text = episode.instruction or episode.task
        task = self._tasks.setdefault(text, len(self._tasks))
        data |= _bookkeeping(times, self._frames, index, task)
        if self._plan is not None and not self._columns:
            self._columns = {k: features.column_feature(k, v, self._plan) for k, v in data.items()}
        table = pa.table({name: parquet.to_arrow(values) for name, values in data.items()})
        fields: dict[str, Any] = {
            "episode_index": index,
            "tasks": [text],
            "length": length,
            **self._places.columns("data", self._data.place(table.nbytes)),
            "dataset_from_index": self._frames,
            "dataset_to_index": self._frames + length,
        }
        for grain, marked in labelled.items():
            fields |= subtask_columns(grain, marked, self._fps, length)
        self._data.write(table)
        stretches = {features.view_key(name): stretch for name, (stretch, _) in written.items()}
        stats = {features.view_key(name): seen for name, (_, seen) in written.items()} | {
            name: of_values(values) for name, values in data.items() if values.dtype.kind != "U"
        }
        self._table.add(fields, stretches, stats)
        self._own.append(parquet.own_row(episode, index, length))
        self._frames += length

    def _release(self) -> None:
        """Close every open file."""
        self._closed = True
        self._data.close()
        self._table.close()
        for files in self._videos.values():
            files.close()

    def _info(self) -> dict[str, Any]:
        found = dict(self._columns)
        videos: dict[str, Mp4Files | Clip] = {**self._videos, **self._clips}
        for name, files in videos.items():
            found[features.view_key(name)] = features.view_feature(
                files.size, files.pixels, self._codec, self._fps
            )
        totals = {
            "total_episodes": len(self._own),
            "total_frames": self._frames,
            "total_tasks": len(self._tasks),
        }
        return features.info_json(found, totals, self._fps, self._robot, self._limits)


def _refuse_occupied(root: Path, *, adopt: bool) -> None:
    """Raise when something stands where the dataset should go."""
    if not root.exists():
        return
    if adopt:
        if (root / "data").exists() or (root / "meta").exists():
            raise UsageError(f"{root} holds a dataset already; give another folder.")
    elif not root.is_dir() or any(root.iterdir()):
        raise UsageError(f"{root} exists and is not an empty folder; give a new one.")


def _bookkeeping(times: Floats, first: int, episode: int, task: int) -> dict[str, npt.NDArray[Any]]:
    """Return the five columns every LeRobot dataset has."""
    length = len(times)
    return {
        "timestamp": times.astype(np.float32),
        "frame_index": np.arange(length),
        "episode_index": np.full(length, episode),
        "index": np.arange(first, first + length),
        "task_index": np.full(length, task),
    }


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=4, ensure_ascii=False), encoding="utf-8")
