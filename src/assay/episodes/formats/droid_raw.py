"""Raw episodes of DROID: a folder each, with trajectory.h5, metadata and MP4 files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from assay.episodes.guarding import guarded
from assay.episodes.hdf5.clocks import fitted, seconds, stamps
from assay.episodes.hdf5.nodes import Node, opened
from assay.episodes.jsonlines import read_object
from assay.episodes.names import natural, slug
from assay.episodes.paths import inside, listed
from assay.episodes.retimed import retimed
from assay.episodes.rotations import of_euler
from assay.episodes.video import VideoFrames
from assay.errors import EpisodeError
from assay.records import Episode, Floats, Series, Unreadable, View

__all__ = ["DroidRaw"]

_FILE = "trajectory.h5"
_DEEPEST = 5  # folders between a copy of the dataset and an episode: lab, outcome, day, episode
_GLANCED = 1000  # folders looked into for a first episode; half the world has no trajectory.h5
_STATE = "observation/robot_state"
_CLOCK = "observation/timestamp/robot_state/read_start"
_STEP = "observation/timestamp/control/step_start"
_MS = 1000.0  # stamps are in milliseconds
_PLAIN = {
    "joint_positions": ("joint_position", 7),
    "joint_velocities": ("joint_velocity", 7),
    "motor_torques_measured": ("joint_torque", 7),
}
_VIEWS = {"wrist": "wrist", "ext1": "exterior_1", "ext2": "exterior_2"}
_SHARE = 0.05  # of the steps for which a video may lack or have frames


class DroidRaw:
    """Read raw DROID episodes (trajectory.h5, metadata_*.json, recordings/MP4), one at a time."""

    reads: ClassVar[str] = (
        "a folder of DROID with trajectory.h5 and recordings/MP4, or folders of such folders"
    )

    def sniff(self, path: Path) -> bool:
        """Tell whether `path` is an episode's folder or file, or a folder with one below."""
        if path.is_file():
            return path.name == _FILE
        return next(_folders(path, _GLANCED), None) is not None

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield the episodes, sorted folder by folder; a broken folder is one broken episode."""
        root = path.parent if path.is_file() else path
        for folder in [root] if path.is_file() else _folders(root):
            inner = folder.relative_to(root).as_posix()
            name = folder.resolve().name if inner == "." else inner
            bare = Episode(name, task=root.resolve().name, source=str(folder))
            yield guarded(bare, folder, partial(_read, bare, root, folder))


def _folders(root: Path, most: int | None = None) -> Iterator[Path]:
    """Yield the folders with a trajectory at or below `root`, sorted; links are not followed.

    With `most`, only so many folders are looked into.
    """
    for here, folders, files in islice(os.walk(root), most):
        folder = Path(here)
        if _FILE in files:
            folders.clear()
            yield folder
        depth = len(folder.relative_to(root).parts)
        kept = [name for name in folders if not name.startswith(".") and depth < _DEEPEST]
        folders[:] = sorted(kept, key=natural)


def _read(bare: Episode, root: Path, folder: Path) -> Episode:
    told = _metadata(root, folder)
    text = str(told.get("current_task") or "").strip()
    success = told.get("success")
    scene = told.get("scene_id")
    bare = replace(
        bare,
        instruction=text,
        task=slug(text) if text else bare.task,
        outcome=success if isinstance(success, bool) else None,
        scene=None if scene is None else str(scene),
        extra={k: told[k] for k in ("uuid", "lab", "building", "robot_serial") if k in told},
    )
    file = inside(root, (folder / _FILE).relative_to(root))
    with opened(file) as trajectory:
        origin, times = _clock(trajectory, _CLOCK)
        found = _signals(trajectory, times)
        if trajectory.has("action"):
            found |= _action(trajectory, origin)
        return replace(
            bare, signals=found, views=_views(trajectory, root, folder, told, (origin, times))
        )


def _metadata(root: Path, folder: Path) -> Mapping[str, Any]:
    """Return what metadata_*.json says; only whole episodes have such a file."""
    files = [p for p in listed(folder) if p.name.startswith("metadata_") and p.suffix == ".json"]
    if len(files) != 1:
        raise EpisodeError(f"{folder}: needs one metadata_*.json and has {len(files)}.")
    return read_object(inside(root, files[0].relative_to(root)))


def _clock(trajectory: Node, key: str, origin: float | None = None) -> tuple[float, Floats]:
    """Return the first stamp [ms] and the times since `origin`, by default the first stamp [s]."""
    found = stamps(trajectory, key)
    if not len(found):
        raise trajectory.fault(key, "is empty")
    start = float(found[0]) if origin is None else origin
    # A step may begin, or a camera look, a little before the robot is read for the first time.
    return start, seconds(trajectory, key, np.maximum(found, start), start, _MS)


def _signals(trajectory: Node, times: Floats) -> dict[str, Series]:
    state = trajectory.at(_STATE)
    found = {
        name: fitted(state, key, times, state.numbers(key, (None, width)))
        for key, (name, width) in _PLAIN.items()
        if state.has(key)
    }
    pose = fitted(
        state, "cartesian_position", times, state.numbers("cartesian_position", (None, 6))
    ).values
    found["ee_position"] = Series(times, pose[:, :3])
    with state.faults("cartesian_position"):
        found["ee_rotation"] = Series(times, of_euler(pose[:, 3:]))
    key = "gripper_position"
    closed = fitted(state, key, times, state.numbers(key, (None,))).values
    found["gripper_opening"] = Series(times, np.clip(1 - closed, 0, 1))
    return found


def _action(trajectory: Node, origin: float) -> dict[str, Series]:
    """Return what was commanded: joint velocities and the gripper, as DROID's policies act."""
    action = trajectory.at("action")
    _, times = _clock(trajectory, _STEP, origin)
    joints = fitted(
        action, "joint_velocity", times, action.numbers("joint_velocity", (None, 7))
    ).values
    key = "gripper_position"
    gripper = fitted(action, key, times, action.numbers(key, (None,))).values
    return {"action": Series(times, np.column_stack([joints, gripper]))}


def _views(
    trajectory: Node,
    root: Path,
    folder: Path,
    told: Mapping[str, Any],
    clock: tuple[float, Floats],
) -> dict[str, View]:
    """Return the cameras whose MP4 file is there; frame k belongs to step k."""
    views = {}
    for role, name in _VIEWS.items():
        serial = told.get(f"{role}_cam_serial")
        path = inside(root, folder.relative_to(root) / f"recordings/MP4/{serial}.mp4", file=folder)
        if serial is None or not path.exists():
            continue
        key = f"observation/timestamp/cameras/{serial}_estimated_capture"
        times = clock[1]
        if trajectory.has(key):
            _, times = _clock(trajectory, key, clock[0])
        slack = max(2, round(_SHARE * len(times)))
        frames = retimed(VideoFrames(str(path)), times, str(path), slack)
        views[name] = View(frames, moves=role == "wrist")
    return views
