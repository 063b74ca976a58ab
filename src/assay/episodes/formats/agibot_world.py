"""AgiBot World: task_info in JSON, proprio_stats in HDF5, videos of a robot with two arms."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from assay.episodes import jsonlines, tables
from assay.episodes.guarding import guarded
from assay.episodes.hdf5.clocks import fitted, seconds, stamps
from assay.episodes.hdf5.nodes import Node, opened
from assay.episodes.names import slug
from assay.episodes.paths import inside, listed
from assay.episodes.retimed import retimed
from assay.episodes.rotations import of_wxyz, of_xyzw
from assay.episodes.video import VideoFrames
from assay.errors import EpisodeError, InputError
from assay.records import Episode, Floats, Segment, Series, Unreadable, View

__all__ = ["AgibotWorld"]

_SIDES = ("left", "right")
_NS = 1e9  # whole stamps are nanoseconds
_ARMS = 14  # joints of both arms: the real robot, which keeps quaternions as x,y,z,w
_BODY = 34  # joints of the simulated one (Digital World), which keeps them as w,x,y,z
_SLACK = 2  # frames by which a video may differ from the rows


class AgibotWorld:
    """Read AgiBot World (task_info, observations, proprio_stats), one episode at a time."""

    reads: ClassVar[str] = "a folder of AgiBot World with task_info/, observations/, proprio_stats/"

    def sniff(self, path: Path) -> bool:
        """Tell whether `path` is the folder that holds task_info."""
        inner = [(path / name).is_dir() for name in ("task_info", "observations", "proprio_stats")]
        return inner[0] and any(inner[1:])

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield the episodes in the order of the task files.

        Episodes of which nothing is there, as after a download of some tasks, are left out with a
        warning. One of which something is missing is `Unreadable`.
        """
        absent = 0
        for row in _rows(path):
            if row.is_there():
                yield guarded(row.bare(), row.file, row.episode)
            else:
                absent += 1
        if absent:
            logging.getLogger("assay").warning(
                "%s: %d episodes of task_info have neither videos nor proprio_stats "
                "and were left out.", path, absent,
            )  # fmt: skip


def _rows(root: Path) -> Iterator[_Row]:
    """Yield the entries of all task files."""
    files = [p for p in listed(root / "task_info") if p.suffix == ".json"]
    if not files:
        raise InputError("holds no task_*.json.", root / "task_info")
    for file in files:
        found = jsonlines.parse(tables.read_text(inside(root, file.relative_to(root))), file)
        if not isinstance(found, list):
            raise InputError("the file must hold a list of episodes.", file)
        for number, row in enumerate(found):
            if not isinstance(row, dict) or not isinstance(row.get("episode_id"), int):
                raise InputError(f"entry {number} must be an object with an 'episode_id'.", file)
            task = row.get("task_id", file.stem.removeprefix("task_"))
            yield _Row(root, file, str(task), row)


@dataclass(frozen=True, slots=True)
class _Row:
    """One entry of a task file."""

    root: Path
    file: Path
    task: str
    told: Mapping[str, Any]

    def _place(self, kind: str, inner: str) -> Path:
        relative = f"{kind}/{self.task}/{self.told['episode_id']}/{inner}"
        return inside(self.root, relative, file=self.file)

    def is_there(self) -> bool:
        """Tell whether anything of the episode is on this disk."""
        try:
            return any(self._place(kind, "").exists() for kind in ("observations", "proprio_stats"))
        except (
            InputError,
            OSError,
        ):  # a path that leads out, or is too long: worded when it is read
            return True

    def bare(self) -> Episode:
        """Return the episode without its data."""
        text = str(self.told.get("task_name") or "").strip()
        scene = self.told.get("init_scene_text")
        return Episode(
            f"{self.task}/{self.told['episode_id']}",
            task=slug(text) if text else self.task,
            instruction=text,
            source=str(self.root),
            extra={"init_scene_text": scene} if scene else {},
        )

    def episode(self) -> Episode:
        """Return the episode with its data."""
        path = self._place("proprio_stats", "proprio_stats.h5")
        with opened(path) as root:
            stamped = stamps(root, "timestamp")
            if not len(stamped):
                raise root.fault("timestamp", "is empty")
            unit = 1.0 if stamped.dtype.kind == "f" else _NS
            times = seconds(root, "timestamp", stamped, stamped[0], unit)
            found = _state(root, times)
            actions = [_filled(root, f"action/{name}/position", times) for name in _ACTED]
        acted = [part for part in actions if part is not None]
        if acted:
            found["action"] = Series(times, np.hstack(acted))
        return replace(
            self.bare(), signals=found, views=self._views(times), segments=self._segments(times)
        )

    def _views(self, times: Floats) -> dict[str, View]:
        """Return the colour videos; their frames go with the rows, one by one."""
        folder = self._place("observations", "videos")
        if not folder.is_dir():
            raise EpisodeError(f"{folder}: the folder of videos is missing.")
        views = {}
        for file in listed(folder):
            if file.suffix == ".mp4" and "depth" not in file.name:
                path = str(inside(self.root, file.relative_to(self.root.resolve()), file=folder))
                frames = retimed(VideoFrames(path), times, path, _SLACK)
                views[file.stem] = View(frames, moves="hand" in file.stem)
        return views

    def _segments(self, times: Floats) -> tuple[Segment, ...]:
        label = self.told.get("label_info")
        steps = label.get("action_config") if isinstance(label, dict) else None
        found = []
        for number, step in enumerate(steps if isinstance(steps, list) else ()):
            where = f"{self.file}: episode {self.told['episode_id']}, action {number}"
            if not isinstance(step, dict):
                raise EpisodeError(f"{where} is no object.", "invalid_value")
            start, end = step.get("start_frame"), step.get("end_frame")
            if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end):
                raise EpisodeError(f"{where} goes from {start!r} to {end!r}.", "invalid_value")
            if start >= len(times):
                words = f"{where} starts at frame {start} of {len(times)}."
                raise EpisodeError(words, "invalid_value")
            name = str(step.get("action_text") or step.get("skill") or "")
            until = float(times[min(end, len(times) - 1)])
            found.append(Segment(name, float(times[start]), until))
        return tuple(found)


_ACTED = ("joint", "effector")  # what a policy of this robot commands
_KEPT = ("head", "waist")  # positions that keep their own names


def _filled(root: Node, key: str, times: Floats) -> Floats | None:
    """Return the array at `key`; None where it is not there or empty, as many are."""
    if not root.has(key) or 0 in root.shape(key):
        return None
    values = root.numbers(key, (None,) * len(root.shape(key)))
    return fitted(root, key, times, values).values


def _state(root: Node, times: Floats) -> dict[str, Series]:
    found: dict[str, Series] = {}
    joints = fitted(
        root, "state/joint/position", times, root.numbers("state/joint/position", (None, None))
    ).values
    place = _filled(root, "state/end/position", times)
    turn = _filled(root, "state/end/orientation", times)
    gripper = _filled(root, "state/effector/position", times)
    for number, side in enumerate(_SIDES):
        if joints.shape[1] == _ARMS:
            found[f"joint_position.{side}"] = Series(times, np.hsplit(joints, 2)[number])
        if place is not None:
            root.check_shape("state/end/position", place.shape, (None, 2, 3))
            found[f"ee_position.{side}"] = Series(times, place[:, number])
        if turn is not None and joints.shape[1] in (_ARMS, _BODY):
            root.check_shape("state/end/orientation", turn.shape, (None, 2, 4))
            with root.faults("state/end/orientation"):
                convert = of_xyzw if joints.shape[1] == _ARMS else of_wxyz
                found[f"ee_rotation.{side}"] = Series(times, convert(turn[:, number]))
        if gripper is not None and gripper.shape[1:] == (
            2,
        ):  # opening in mm; its range is not told
            found[f"gripper_width.{side}"] = Series(times, gripper[:, number] / 1000)
        elif gripper is not None and gripper.shape[1:] == (12,):  # the joints of a hand [rad]
            found[f"hand_joint_position.{side}"] = Series(times, np.hsplit(gripper, 2)[number])
    if joints.shape[1] != _ARMS:
        found["joint"] = Series(times, joints)
    kept = {name: _filled(root, f"state/{name}/position", times) for name in _KEPT}
    more = {f"{n}_position": Series(times, v) for n, v in kept.items() if v is not None}
    return found | more
