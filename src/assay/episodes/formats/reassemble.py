"""REASSEMBLE recordings: video bytes, robot state, force and torque, and segments in HDF5."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from assay.episodes.guarding import guarded
from assay.episodes.hdf5.clocks import fitted, seconds, stamps
from assay.episodes.hdf5.files import hdf5_files, looks
from assay.episodes.hdf5.nodes import Node, opened
from assay.episodes.hdf5.sets import id_of
from assay.episodes.hdf5.videos import StoredVideo
from assay.episodes.retimed import RetimedFrames
from assay.episodes.rotations import of_wxyz
from assay.records import Episode, Segment, Series, Unreadable, View

__all__ = ["Reassemble"]

# Signals by key, with their width. The torque is misspelt in the dataset's own description.
_PLAIN = {
    "joint_positions": ("joint_position", 7),
    "joint_velocities": ("joint_velocity", 7),
    "joint_efforts": ("joint_torque", 7),
    "compensated_base_force": ("force", 3),
    "compensated_base_torque": ("torque", 3),
    "compenseted_base_torque": ("torque", 3),
}
_NO_PICTURES = ("events",)
_PRIMITIVES = ("align", "push", "nudge", "release", "twist", "lift", "grasp", "pull")
_SLACK_S = 1.0  # by which a segment may leave the recording: it is marked by hand
_TASK = "assembly"


class Reassemble:
    """Read REASSEMBLE recordings (robot_state, timestamps, segments_info), one at a time."""

    reads: ClassVar[str] = (
        "HDF5 files with robot_state, timestamps and segments_info of REASSEMBLE, one a recording"
    )

    def sniff(self, path: Path) -> bool:
        """Tell whether `path` is such a file, or a folder whose first HDF5 file is one."""
        return looks(path, lambda root: root.has("robot_state") and root.has("timestamps"))

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield the recordings in the order of their files; a broken file is one of them."""
        for file in hdf5_files(path):
            bare = Episode(id_of(path, file), task=_TASK, source=str(file))
            yield guarded(bare, file, partial(_filled, bare, file))


def _filled(bare: Episode, file: Path) -> Episode:
    with opened(file) as root:
        state, clocks = root.at("robot_state"), root.at("timestamps")
        stamped = {key: stamps(clocks, key) for key in clocks.names() if key not in _NO_PICTURES}
        for key, found in stamped.items():
            if not len(found) or found.dtype.kind != "f":
                raise clocks.fault(key, "must hold times in seconds, at least one")
        if not stamped:
            raise root.fault("timestamps", "is empty")
        origin = min(float(found[0]) for found in stamped.values())
        end = max(float(found[-1]) for found in stamped.values()) - origin
        signals = _signals(state, clocks, stamped, origin)
        views = _views(root, clocks, stamped, origin)
        steps = _steps(root, origin, end)
    low = [inner for step in steps for inner in step.inner]
    if low:
        signals["primitive"] = _primitives(low)
    told = [step.success for step in steps]
    return replace(
        bare,
        signals=signals,
        views=views,
        segments=tuple(s.segment for s in steps) + tuple(s.segment for s in low),
        outcome=None if not told or None in told else all(told),
        extra={"segment_success": told, "primitive_success": [s.success for s in low]},
    )


def _signals(
    state: Node, clocks: Node, stamped: dict[str, npt.NDArray[Any]], origin: float
) -> dict[str, Series]:
    """Return the robot's state, each signal on its own clock; unknown ones keep their names."""
    found: dict[str, Series] = {}
    for key in state.names():
        if key not in stamped:
            raise clocks.fault(key, f"is missing, the clock of '{state.place(key)}'")
        times = seconds(clocks, key, stamped[key], origin)
        name, width = _PLAIN.get(key, (key, None))
        if key == "pose":
            values = fitted(state, key, times, state.numbers(key, (None, 7))).values
            found["ee_position"] = Series(times, values[:, :3])
            with state.faults(key):
                found["ee_rotation"] = Series(times, of_wxyz(values[:, 3:]))
        else:
            found[name] = fitted(state, key, times, state.numbers(key, (None, width)))
    return found


def _views(
    root: Node, clocks: Node, stamped: dict[str, npt.NDArray[Any]], origin: float
) -> dict[str, View]:
    """Return the cameras: what has a clock and bytes beside it. Sound and events are left out."""
    views = {}
    for key in (k for k in stamped if root.has(k)):
        times = seconds(clocks, key, stamped[key], origin)
        root.dataset(key)
        frames = RetimedFrames(StoredVideo(str(root.path), key), times)
        views[key] = View(frames, moves=key == "hand")
    return views


@dataclass(frozen=True, slots=True)
class _Step:
    """A stretch that somebody marked, and the ones inside it."""

    segment: Segment
    success: bool | None
    inner: tuple[_Step, ...] = ()


def _steps(root: Node, origin: float, end: float) -> tuple[_Step, ...]:
    """Return the marked stretches, in seconds from `origin`, which must lie before `end` [s]."""
    if not root.has("segments_info"):
        return ()
    found = _marked(root.at("segments_info"), origin, "subtask")
    for step in (inner for outer in found for inner in (outer, *outer.inner)):
        part = step.segment
        if not -_SLACK_S <= part.start_s < part.end_s <= end + _SLACK_S:
            raise root.fault(
                "segments_info",
                f"marks {part.name!r} from {part.start_s:g} s to {part.end_s:g} s "
                f"of a recording of {end:g} s",
            )
    return tuple(found)


def _marked(group: Node, origin: float, kind: str) -> list[_Step]:
    found = []
    for name in group.groups(""):
        one = group.at(name)
        start, end = (one.scalar(key) - origin for key in ("start", "end"))
        success = bool(one.scalar("success")) if one.has("success") else None
        below = next((k for k in ("low_level", "Low_level") if one.has(k)), None)
        inner = _marked(one.at(below), origin, "primitive") if below else []
        segment = Segment(one.text("text"), max(start, 0.0), end, kind)
        found.append(_Step(segment, success, tuple(inner)))
    return found


def _primitives(steps: list[_Step]) -> Series:
    """Return the primitive that holds from each moment on; "none" where none is marked."""
    times: list[float] = [0.0]
    names: list[str] = ["none"]
    for part in sorted((step.segment for step in steps), key=lambda s: (s.start_s, s.end_s)):
        word = part.name.lower().strip(" .")
        word = word if word in _PRIMITIVES else "none"
        for moment, name in ((part.start_s, word), (part.end_s, "none")):
            if moment <= times[-1]:  # the one before ends where this one begins
                names[-1] = name
            else:
                times.append(moment)
                names.append(name)
    return Series(np.array(times), np.array(names))
