"""ManiSkill trajectories: an HDF5 file with a JSON file of the same name beside it."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from assay.episodes.guarding import guarded
from assay.episodes.hdf5.clocks import evenly, fitted
from assay.episodes.hdf5.files import hdf5_files, looks
from assay.episodes.hdf5.nodes import Node, opened, whole_file
from assay.episodes.hdf5.sets import picture_view, rate_of
from assay.episodes.jsonlines import read_object
from assay.episodes.paths import inside
from assay.episodes.rotations import in_base, of_wxyz
from assay.errors import InputError
from assay.records import Episode, Floats, Series, Unreadable, View

__all__ = ["ManiSkill"]

_RATE = 20.0  # control steps a second unless a task says otherwise
_POSE = 7  # x,y,z [m], then the quaternion w,x,y,z
_BODY = 13  # a pose, then linear and angular velocity
_PANDA = 9  # joints of a Panda: seven, then two fingers
_OPEN_M = 0.08  # between the fingers of a Panda's hand
_PICTURES = (("obs/sensor_data", "rgb"), ("obs/image", "rgb"))  # ManiSkill 3, ManiSkill 2


class ManiSkill:
    """Read ManiSkill trajectories (`traj_*` in HDF5, episodes in JSON), one at a time."""

    reads: ClassVar[str] = (
        "an HDF5 file with traj_* of ManiSkill and its JSON file, or a folder of them"
    )

    def sniff(self, path: Path) -> bool:
        """Tell whether `path` is such a file, or a folder whose first HDF5 file is one."""
        return looks(path, lambda root: bool(root.groups("traj_")))

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield the episodes in the order of the JSON file."""
        for file in hdf5_files(path):
            prefix = f"{file.stem}/" if path.is_dir() else ""
            with whole_file(), opened(file) as root:
                shared = _dataset(file, prefix)
                _warn_of_others(root, shared)
                for row in shared.rows:
                    yield _episode(root, shared, row)


@dataclass(frozen=True, slots=True)
class _Dataset:
    """What the JSON file says of all episodes."""

    prefix: str
    env_id: str
    rate: float
    rows: tuple[Mapping[str, Any], ...]
    told: Mapping[str, Any]


def _dataset(file: Path, prefix: str) -> _Dataset:
    beside = inside(file.parent, file.with_suffix(".json").name)
    if not beside.is_file():
        raise InputError(f"needs {file.with_suffix('.json').name} beside it.", file)
    told = read_object(beside)
    info = _object(told.get("env_info"), "env_info", beside)
    kwargs = _object(info.get("env_kwargs", {}), "env_kwargs", beside)
    simulated = _object(kwargs.get("sim_config", {}), "sim_config", beside)
    rows = told.get("episodes")
    known = isinstance(rows, list) and all(
        isinstance(row, dict) and isinstance(row.get("episode_id"), int) for row in rows
    )
    if not known or not isinstance(rows, list):
        raise InputError("'episodes' must be a list of objects, each with an 'episode_id'.", beside)
    if not isinstance(info.get("env_id"), str):
        raise InputError("'env_info' has no 'env_id'.", beside)
    where = "'control_freq' of 'sim_config'"
    rate = rate_of(simulated.get("control_freq"), _RATE, beside, where)
    return _Dataset(prefix, info["env_id"], rate, tuple(rows), told)


def _object(stored: object, name: str, file: Path) -> dict[str, Any]:
    if not isinstance(stored, dict):
        raise InputError(f"'{name}' must be an object.", file)
    return stored


def _warn_of_others(root: Node, shared: _Dataset) -> None:
    listed = {f"traj_{row['episode_id']}" for row in shared.rows}
    others = [name for name in root.groups("traj_") if name not in listed]
    if others:
        logging.getLogger("assay").warning(
            "%s: %d trajectories are not in the JSON file and were left out, such as %r.",
            root.path, len(others), others[0],
        )  # fmt: skip


def _episode(root: Node, shared: _Dataset, row: Mapping[str, Any]) -> Episode | Unreadable:
    seed = row.get("episode_seed")
    seed = seed if isinstance(seed, int) and not isinstance(seed, bool) else None
    success = row.get("success")
    bare = Episode(
        f"{shared.prefix}traj_{row['episode_id']}",
        task=shared.env_id,
        outcome=success if isinstance(success, bool) else None,
        world=shared.env_id,
        scene=None if seed is None else f"{shared.env_id}-{seed}",
        seed=seed,
        source=str(root.path),
        extra={k: v for k in ("source_type", "control_mode") if (v := _told(shared, row, k))},
    )
    return guarded(
        bare, root.path, lambda: _filled(bare, root.at(f"traj_{row['episode_id']}"), shared.rate)
    )


def _told(shared: _Dataset, row: Mapping[str, Any], name: str) -> object:
    return row.get(name) or shared.told.get(name)


def _filled(bare: Episode, trajectory: Node, rate: float) -> Episode:
    """Return the episode with its data: T actions, and T + 1 states around them."""
    actions = trajectory.numbers("actions", (None, None))
    steps = evenly(len(actions), rate)
    states = evenly(len(actions) + 1, rate)
    found = {"action": Series(steps, actions)}
    if trajectory.has("rewards"):
        found["reward"] = fitted(trajectory, "rewards", steps, trajectory.numbers("rewards"))
    outcome = bare.outcome
    if trajectory.has("success"):  # told of the state after each step
        reached = trajectory.numbers("success") > 0
        found["success"] = fitted(trajectory, "success", states[1:], reached)
        outcome = bool(reached[-1]) if outcome is None and len(reached) else outcome
    robot, poses = _bodies(trajectory, states)
    found |= poses | _robot(trajectory, robot, states)
    views = _views(trajectory, states)
    return replace(bare, views=views, signals=found, outcome=outcome)


def _bodies(trajectory: Node, times: Floats) -> tuple[Floats | None, dict[str, Series]]:
    """Return the state of the robot, of shape (T + 1, 13 + 2 J), and the poses of all else."""
    found: dict[str, Series] = {}
    robots: list[Floats] = []
    for kind in ("actors", "articulations"):
        place = f"env_states/{kind}"
        if not trajectory.has(place):
            continue
        group = trajectory.at(place)
        for name in group.names():
            state = fitted(group, name, times, group.numbers(name, (None, None))).values
            if state.shape[1] < _BODY:
                raise group.fault(name, f"has {state.shape[1]} columns; {_BODY} or more are due")
            if kind == "articulations" and _is_panda(name, state):
                robots.append(state)
                continue
            with group.faults(name):
                turned = of_wxyz(state[:, 3:_POSE])
            found[f"object.{name}.position"] = Series(times, state[:, :3])
            found[f"object.{name}.rotation"] = Series(times, turned)
    return robots[0] if len(robots) == 1 else None, found


def _is_panda(name: str, state: Floats) -> bool:
    return name.startswith("panda") and state.shape[1] == _BODY + 2 * _PANDA


def _robot(trajectory: Node, robot: Floats | None, times: Floats) -> dict[str, Series]:
    """Return joints, gripper and hand. Of other robots than a Panda, joints as they are stored."""
    found: dict[str, Series] = {}
    if robot is not None:
        joints, speeds = robot[:, _BODY : _BODY + _PANDA], robot[:, _BODY + _PANDA :]
        found["joint_position"] = Series(times, joints[:, :7])
        found["joint_velocity"] = Series(times, speeds[:, :7])
        opening = np.clip(joints[:, 7:].sum(axis=1) / _OPEN_M, 0, 1)
        found["gripper_opening"] = Series(times, opening)
    elif trajectory.has("obs/agent"):
        agent = trajectory.at("obs/agent")
        for key in (k for k in ("qpos", "qvel") if agent.has(k)):
            found[key] = fitted(agent, key, times, agent.numbers(key, (None, None)))
    if trajectory.has("obs/extra/tcp_pose"):
        extra = trajectory.at("obs/extra")
        pose = fitted(extra, "tcp_pose", times, extra.numbers("tcp_pose", (None, _POSE))).values
        with extra.faults("tcp_pose"):
            place, turn = pose[:, :3], of_wxyz(pose[:, 3:])
        suffix = "_world"
        if robot is not None:
            with trajectory.faults("env_states/articulations"):
                base = robot[:, :3], of_wxyz(robot[:, 3:_POSE])
            suffix, (place, turn) = "", in_base(base, place, turn)
        found[f"ee_position{suffix}"] = Series(times, place)
        found[f"ee_rotation{suffix}"] = Series(times, turn)
    return found


def _views(trajectory: Node, times: Floats) -> dict[str, View]:
    if not trajectory.has("obs") or not trajectory.is_group("obs"):
        return {}
    for place, picture in _PICTURES:
        if not trajectory.has(place):
            continue
        cameras = trajectory.at(place)
        return {
            name: picture_view(cameras, f"{name}/{picture}", times, moves="hand" in name)
            for name in cameras.names()
            if cameras.is_group(name) and cameras.has(f"{name}/{picture}")
        }
    return {}
