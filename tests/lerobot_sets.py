"""Tiny LeRobot datasets, written by hand with pyarrow and PyAV: no line of ours reads or writes.

`write_v21` and `write_v30` lay out a dataset as the lerobot library does; arguments bend it into
the deviations that are found in the wild. Every frame shows its own number (see `clips`), so that
a test can tell which frame of which episode it was given. `made_episode` is the same in memory.
"""

from __future__ import annotations

import functools
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from assay.records import Camera, Episode, Segment, Series, View
from clips import numbered, write_clip

__all__ = [
    "FPS",
    "LENGTHS",
    "TASKS",
    "NumberedFrames",
    "edit_info",
    "first_number",
    "get_rows",
    "lean_episode",
    "made_episode",
    "png",
    "set_rows",
    "state",
    "write_v21",
    "write_v30",
]

FPS = 10
LENGTHS = (6, 9, 4)
TASKS = ("Pick up the red block.", "Open the drawer")  # episodes 0 and 2 do the first
SIZE = (64, 48)


def first_number(episode: int) -> int:
    """Return the number that the first frame of an episode shows: 0, 6, 15."""
    return sum(LENGTHS[:episode])


def state(episode: int) -> np.ndarray:
    """Return the episode's `observation.state`, float32 (T, 3): all values differ."""
    count = LENGTHS[episode]
    return (100 * episode + np.arange(count * 3).reshape(count, 3)).astype(np.float32)


def columns(episode: int) -> dict[str, pa.Array]:
    """Return the columns of an episode that every version has."""
    count, before = LENGTHS[episode], sum(LENGTHS[:episode])
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(state(episode).ravel()), 3)
    return {
        "observation.state": vectors,
        "action": pa.FixedSizeListArray.from_arrays(pa.array(-state(episode).ravel()), 3),
        "next.reward": pa.array(np.ones(count, np.float32)),
        "timestamp": pa.array(np.arange(count, dtype=np.float32) / np.float32(FPS)),
        "frame_index": pa.array(np.arange(count)),
        "episode_index": pa.array(np.full(count, episode)),
        "index": pa.array(np.arange(before, before + count)),
        "task_index": pa.array(np.full(count, episode % 2)),
    }


def features(video: str | None = "observation.images.top") -> dict:
    """Return the features of `info.json`."""
    vector = {"dtype": "float32", "shape": [3], "names": ["x", "y", "z"]}
    found = {
        "observation.state": vector,
        "action": vector | {"names": {"motors": ["x", "y", "z"]}},
        "next.reward": {"dtype": "float32", "shape": [1], "names": None},
        "timestamp": {"dtype": "float32", "shape": [1], "names": None},
    }
    for name in ("frame_index", "episode_index", "index", "task_index"):
        found[name] = {"dtype": "int64", "shape": [1], "names": None}
    if video:
        found[video] = {
            "dtype": "video",
            "shape": [SIZE[1], SIZE[0], 3],
            "names": ["height", "width", "channels"],
            "info": {"video.fps": FPS, "video.codec": "h264", "video.is_depth_map": False},
        }
    return found


def write_v21(root: Path, *, version: str = "v2.1", videos: bool = True, extra=None) -> Path:
    """Write a v2.x dataset: a parquet and an mp4 file for every episode, tables in JSON lines.

    Args:
        root: The folder to make.
        version: The tag in info.json; the layout stays the same.
        videos: Whether there is a camera.
        extra: Called with the number of an episode, returns more columns.
    """
    key = "observation.images.top"
    for episode in range(len(LENGTHS)):
        table = columns(episode) | (extra(episode) if extra else {})
        _parquet(root / f"data/chunk-000/episode_{episode:06d}.parquet", pa.table(table))
        if videos:
            path = root / f"videos/chunk-000/{key}/episode_{episode:06d}.mp4"
            _clip(path, range(episode, episode + 1))
    _lines(root / "meta/tasks.jsonl", [{"task_index": i, "task": t} for i, t in enumerate(TASKS)])
    _lines(
        root / "meta/episodes.jsonl",
        [{"episode_index": e, "tasks": [TASKS[e % 2]], "length": n} for e, n in enumerate(LENGTHS)],
    )
    _info(
        root,
        codebase_version=version,
        total_chunks=1,
        data_path="data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
        video_path="videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4",
        features=features(key if videos else None),
    )
    return root


def write_v30(root: Path, *, videos: bool = True, groups: str = "episode", extra=None) -> Path:
    """Write a v3.0 dataset: all episodes in one parquet and one mp4 file.

    Args:
        root: The folder to make.
        videos: Whether there is a camera.
        groups: Row groups of the data file: one an "episode", or "one" for all.
        extra: Called with the number of an episode, returns more columns.
    """
    key = "observation.images.top"
    tables = [pa.table(columns(e) | (extra(e) if extra else {})) for e in range(len(LENGTHS))]
    path = root / "data/chunk-000/file-000.parquet"
    path.parent.mkdir(parents=True)
    with pq.ParquetWriter(path, tables[0].schema) as writer:
        for table in tables if groups == "episode" else [pa.concat_tables(tables)]:
            writer.write_table(table)
    if videos:
        _clip(root / f"videos/{key}/chunk-000/file-000.mp4", range(len(LENGTHS)))
    index = pa.array(TASKS)
    tasks = pa.table({"task_index": pa.array([0, 1]), "__index_level_0__": index})
    note = {b"pandas": json.dumps({"index_columns": ["__index_level_0__"]}).encode()}
    _parquet(root / "meta/tasks.parquet", tasks.replace_schema_metadata(note))
    set_rows(root, [_row(e, key if videos else None) for e in range(len(LENGTHS))])
    _info(
        root,
        codebase_version="v3.0",
        data_path="data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        video_path="videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4",
        features=features(key if videos else None),
    )
    return root


def set_rows(root: Path, rows: list[dict]) -> None:
    """Write the episode table of a v3.0 dataset."""
    names = dict.fromkeys(name for row in rows for name in row)
    table = pa.table({name: [row.get(name) for row in rows] for name in names})
    _parquet(root / "meta/episodes/chunk-000/file-000.parquet", table)


def get_rows(root: Path) -> list[dict]:
    """Return the episode table of a v3.0 dataset."""
    return pq.read_table(root / "meta/episodes/chunk-000/file-000.parquet").to_pylist()


def edit_info(root: Path, **changes: object) -> dict:
    """Change keys of info.json and return it; a value of None takes the key away."""
    file = root / "meta/info.json"
    info = json.loads(file.read_text()) | changes
    info = {key: value for key, value in info.items() if value is not None}
    file.write_text(json.dumps(info))
    return info


def png(number: int) -> bytes:
    """Return the picture of a number as the bytes of a PNG file."""
    import io

    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(numbered(number, SIZE)).save(file, "png")
    return file.getvalue()


@dataclass(frozen=True)
class NumberedFrames:
    """Frames in memory: frame k is shown at k / fps and shows the number `first` + k."""

    first: int = 0
    count: int = 10
    fps: float = FPS
    size: tuple[int, int] = SIZE

    def key(self):
        return f"numbered:{self.first}:{self.count}:{self.fps}:{self.size}"

    def clock(self):
        return np.arange(self.count) / self.fps

    def at(self, times):
        shown = np.searchsorted(self.clock(), np.asarray(times) + 1e-9, side="right") - 1
        for index in np.clip(shown, 0, self.count - 1):
            yield numbered(self.first + int(index), self.size)


def made_episode(number: int = 0, count: int = 10, fps: float = FPS, **changes) -> Episode:
    """Return an episode in memory that uses every field and every kind of signal."""
    rng = np.random.default_rng(number)
    times = np.arange(count) / fps
    late = times >= times[-1] / 2
    end = float(times[-1])
    values = {
        "joint_position": rng.normal(size=(count, 7)),
        "gripper_opening": rng.random(count),
        "action": rng.normal(size=(count, 8)),
        "ee_position": rng.normal(size=(count, 3)),
        "force": rng.normal(size=(count, 3)).astype(np.float32),
        "contact": late,
        "phase": np.where(late, "manipulate", "approach"),
        "progress": np.linspace(0, 1, count),
        "success": times >= end,
        "attempts": np.arange(count),
        "lonely": rng.normal(size=(count, 1)),
    }
    camera = Camera(np.diag([50.0, 50.0, 1.0 + number]), np.eye(4) + number)
    fields = {
        "id": f"run-{number}",
        "task": "stack-blocks",
        "instruction": f"stack the blocks, way {number % 2}",
        "views": {
            "front": View(NumberedFrames(1000 * number, count, fps), camera),
            "wrist": View(NumberedFrames(1000 * number + 500, count, fps), moves=True),
        },
        "signals": {name: Series(times, value) for name, value in values.items()},
        "segments": (
            Segment("reach", 0.0, end / 2),
            Segment("lift", end / 2, end),
            Segment("pause", 0.1, 0.2, "still"),
        ),
        "outcome": number % 2 == 0,
        "policy": "act",
        "world": "table",
        "scene": f"scene-{number}",
        "perturbation": "lights",
        "seed": 40 + number,
    }
    return Episode(**{**fields, **changes})


def lean_episode(number=0, count=3, **signals):
    """Return an episode of one signal, without views."""
    times = np.arange(count) / FPS
    values = signals or {"progress": np.linspace(0, 1, count)}
    return Episode(
        f"e{number}", "task", signals={name: Series(times, v) for name, v in values.items()}
    )


def _row(episode: int, key: str | None) -> dict:
    before = sum(LENGTHS[:episode])
    row = {
        "episode_index": episode,
        "tasks": [TASKS[episode % 2]],
        "length": LENGTHS[episode],
        "data/chunk_index": 0,
        "data/file_index": 0,
        "dataset_from_index": before,
        "dataset_to_index": before + LENGTHS[episode],
        "stats/action/mean": [0.0, 0.0, 0.0],
    }
    if key:
        row |= {
            f"videos/{key}/chunk_index": 0,
            f"videos/{key}/file_index": 0,
            f"videos/{key}/from_timestamp": before / FPS,
            f"videos/{key}/to_timestamp": (before + LENGTHS[episode]) / FPS,
        }
    return row


def _info(root: Path, **content: object) -> None:
    shared = {"robot_type": "arm", "fps": FPS, "chunks_size": 1000, "splits": {"train": "0:3"}}
    totals = {"total_episodes": len(LENGTHS), "total_frames": sum(LENGTHS), "total_tasks": 2}
    (root / "meta").mkdir(parents=True, exist_ok=True)
    (root / "meta/info.json").write_text(json.dumps(shared | totals | content))


def _parquet(path: Path, table: pa.Table) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)


def _lines(path: Path, rows: list[dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _clip(path: Path, episodes: range) -> None:
    """Write the frames of the episodes one after the other into one mp4 file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_clip_bytes(episodes))


@functools.cache
def _clip_bytes(episodes: range) -> bytes:
    """Return the bytes of such a file; the same few clips serve many tests."""
    frames = sum(LENGTHS[e] for e in episodes)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.mp4"
        write_clip(path, frames=frames, fps=FPS, first=first_number(episodes[0]), gop=250)
        return path.read_bytes()
