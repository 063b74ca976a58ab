"""RH20T: a folder per scene, with videos, metadata and pickled traces."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from assay.episodes.faults import PARSING, worded
from assay.episodes.guarding import guarded
from assay.episodes.jsonlines import read_object
from assay.episodes.names import slug
from assay.episodes.paths import inside, listed
from assay.episodes.pickles import load_npy
from assay.episodes.retimed import retimed
from assay.episodes.rotations import of_wxyz
from assay.episodes.video import VideoFrames
from assay.errors import EpisodeError, UsageError
from assay.records import Episode, Floats, Series, Unreadable, View

__all__ = ["Rh20t"]

_SCENE = re.compile(r"(task_\d{4})_user_\d{4}_scene_\d{4}_cfg_(\d{4})")
_MS = 1000.0  # stamps are in milliseconds
_GOOD = 2  # ratings: 0 the robot stopped, 1 the task failed, 2 to 9 how well it went
_SLACK = 2  # frames by which a video may differ from its stamps
_IN_HAND = {
    "0001": {"043322070878"},
    "0002": {"104422070042"},
    "0003": {"045322071843"},
    "0004": {"045322071843"},
    "0005": {"104422070042", "135122079702"},
    "0006": {"135122075425", "135122070361"},
    "0007": {"135122075425", "135122070361"},
}  # the cameras on the hand, by the number of the robot's set-up


@dataclass(frozen=True)
class Rh20t:
    """Read RH20T scenes, one at a time; their pickles only with `--trust-pickles`."""

    reads: ClassVar[str] = (
        "a folder of RH20T scenes (task_*_user_*_scene_*_cfg_*), or one; needs --trust-pickles"
    )

    trust_pickles: bool = False

    def sniff(self, path: Path) -> bool:
        """Tell whether `path` is a scene's folder, or holds one."""
        return next(_scenes(path), None) is not None

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield the scenes, sorted by name; a broken scene is one broken episode."""
        if not self.trust_pickles:
            raise UsageError(
                f"{path} is RH20T, which keeps times and traces as pickles, and opening a pickle "
                "can run what its author wants: if you trust where the data came from, "
                "say --trust-pickles (assay audit, convert, init and replay know it)."
            )
        texts = _descriptions(path)
        for folder in _scenes(path):
            name = folder.resolve().name
            match = _SCENE.match(name)
            task = match.group(1) if match else name
            text = texts.get(task, "")
            bare = Episode(name, slug(text) if text else task, text, source=str(folder))
            yield guarded(bare, folder, partial(_episode, bare, path, folder))


def _scenes(path: Path) -> Iterator[Path]:
    """Yield the scenes at, in, or two folders below `path`."""
    if not path.is_dir():
        return
    if _SCENE.match(path.resolve().name):
        yield path
        return
    for entry in (e for e in listed(path) if e.is_dir() and not e.is_symlink()):
        if _SCENE.match(entry.name):
            yield entry
        elif entry.name.startswith("RH20T"):
            yield from (e for e in listed(entry) if e.is_dir() and _SCENE.match(e.name))


def _descriptions(path: Path) -> dict[str, str]:
    """Return the words for each task from task_description.json, if it is there."""
    file = inside(path, "task_description.json", file=path)
    told = read_object(file) if file.is_file() else {}
    return {
        task: str(words.get("task_description_english") or "").strip()
        for task, words in told.items()
        if isinstance(words, dict)
    }


def _episode(bare: Episode, root: Path, folder: Path) -> Episode:
    def place(inner: str) -> Path:
        return inside(root, folder.relative_to(root) / inner, file=folder)

    told = read_object(place("metadata.json"))
    rating = told.get("rating")
    outcome = rating >= _GOOD if isinstance(rating, int) and rating >= 0 else None
    stamps = {entry.name: _stamps(place(f"{entry.name}/timestamps.npy")) for entry in _cams(folder)}
    traces = _traces(place)
    starts = [found[0] for found in stamps.values()] + [t.stamps[0] for t in traces.values()]
    if not starts:
        raise EpisodeError(f"{folder}: holds neither a camera nor traces.")
    origin = int(min(starts))
    return replace(
        bare,
        outcome=outcome,
        views={
            name: _view(place(f"{name}/color.mp4"), (found - origin) / _MS, _is_in_hand(bare, name))
            for name, found in stamps.items()
        },
        signals={name: trace.series(origin) for name, trace in traces.items()},
        extra={k: told[k] for k in ("rating", "calib", "calib_quality") if k in told},
    )


def _cams(folder: Path) -> list[Path]:
    return [e for e in listed(folder) if e.name.startswith("cam_") and (e / "color.mp4").exists()]


def _is_in_hand(bare: Episode, camera: str) -> bool:
    match = _SCENE.match(bare.id)
    known = _IN_HAND.get(match.group(2), set()) if match else set()
    return camera.removeprefix("cam_") in known


def _stamps(file: Path) -> npt.NDArray[np.int64]:
    """Return when the colour frames of a camera were taken [ms], increasing."""
    found = load_npy(file)
    if not isinstance(found, dict) or "color" not in found:
        raise EpisodeError(f"{file}: the key 'color' is missing.", "invalid_value")
    return _increasing(np.sort(_whole(found["color"], file)), file)


def _whole(values: object, file: Path) -> npt.NDArray[np.int64]:
    try:
        stamps = np.asarray(values, np.float64)
    except PARSING as error:
        raise EpisodeError(f"{file}: stamps can't be read ({worded(error)}).") from error
    if stamps.ndim != 1 or not len(stamps) or not (np.abs(stamps) < 2**53).all():
        raise EpisodeError(f"{file}: must hold stamps in milliseconds.", "invalid_value")
    return stamps.astype(np.int64)


def _increasing(stamps: npt.NDArray[np.int64], file: Path) -> npt.NDArray[np.int64]:
    same = np.flatnonzero(np.diff(stamps) <= 0)
    if len(same):
        raise EpisodeError(f"{file}: the stamp {stamps[same[0]]} stands there twice.")
    return stamps


def _view(file: Path, times: Floats, moves: bool) -> View:  # noqa: FBT001 - of the view
    return View(retimed(VideoFrames(str(file)), times, str(file), _SLACK), moves=moves)


@dataclass(frozen=True, slots=True, eq=False)
class _Trace:
    """Values with the stamps [ms] at which they were taken."""

    stamps: npt.NDArray[np.int64]
    values: Floats

    def series(self, origin: int) -> Series:
        return Series((self.stamps - origin) / _MS, self.values)


def _traces(place: Callable[[str], Path]) -> dict[str, _Trace]:
    """Return the traces of the folder `transformed`, whose axes and units RH20T has made alike."""
    found: dict[str, _Trace] = {}
    if not place("transformed").is_dir():  # a person's demonstration has none
        return found
    fast = place("transformed/high_freq_data.npy")
    slow = {name: place(f"transformed/{name}_base.npy") for name in ("tcp", "force_torque")}
    tcp = fast if fast.exists() else slow["tcp"]
    pose = _gathered(tcp, "tcp", 7)
    found["ee_position"] = _Trace(pose.stamps, pose.values[:, :3])
    try:
        found["ee_rotation"] = _Trace(pose.stamps, of_wxyz(pose.values[:, 3:]))
    except ValueError as error:
        raise EpisodeError(f"{tcp}: the key 'tcp': {error}.", "invalid_value") from error
    force = fast if fast.exists() else slow["force_torque"]
    if force.exists():
        wrench = _gathered(force, "zeroed", 6)
        found["force"] = _Trace(wrench.stamps, wrench.values[:, :3])
        found["torque"] = _Trace(wrench.stamps, wrench.values[:, 3:])
    if place("transformed/joint.npy").exists():
        found["joint"] = _gathered(place("transformed/joint.npy"), "", None)
    if place("transformed/gripper.npy").exists():
        told = _gathered(place("transformed/gripper.npy"), "gripper_info", None)
        found["gripper_width"] = _Trace(told.stamps, told.values[:, 0] / 1000)  # mm to m
    return found


def _gathered(file: Path, key: str, width: int | None) -> _Trace:
    """Return the values under `key` of all cameras' rows, in the order of their stamps.

    The robot is read whenever one of the cameras is, so each camera has rows of its own.
    """
    found = load_npy(file)
    if not isinstance(found, dict) or not found:
        raise EpisodeError(f"{file}: must hold a dict by camera.", "invalid_value")
    try:
        rows = [pair for own in found.values() for pair in _pairs(own, key)]
        stamps = _whole([stamp for stamp, _ in rows], file)
        values = np.array([np.asarray(value, np.float64).reshape(-1) for _, value in rows])
    except KeyError as error:
        raise EpisodeError(f"{file}: the key {error} is missing.", "invalid_value") from error
    except PARSING as error:
        raise EpisodeError(f"{file}: can't be used ({worded(error)}).", "invalid_value") from error
    if values.ndim != 2 or (width is not None and values.shape[1] != width):
        raise EpisodeError(
            f"{file}: the key {key!r} has values of the shape {values.shape[1:]}; "
            f"({'D' if width is None else width},) is due.",
            "invalid_value",
        )
    order, first = np.unique(stamps, return_index=True)
    return _Trace(order, values[first])


def _pairs(own: object, key: str) -> Iterator[tuple[Any, Any]]:
    """Yield stamp and value of one camera's rows: a list of dicts, or a dict by stamp."""
    if isinstance(own, dict):
        for stamp, row in own.items():
            yield stamp, row[key] if key else row
    elif isinstance(own, list):
        for row in own:
            yield row["timestamp"], row[key]
    else:
        raise TypeError(f"{type(own).__name__} where rows are due")
