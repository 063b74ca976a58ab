"""Datasets of one folder or file per episode, with videos: DROID, AgiBot World, REASSEMBLE, RH20T.

They are made from the same episodes as those of `hdf5_made`.
"""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np

from hdf5_made import Made, write_video

START_MS = 1_700_000_000_000  # a moment of 2023


def write_droid(folder: Path, made: Made | None = None, **changes) -> Path:
    """Write one raw episode of DROID at 15 steps a second and return its folder.

    Args:
        folder: The folder.
        made: The episode.
        changes: Keys of the metadata that differ; None takes one away.
    """
    made = made or Made()
    (folder / "recordings/MP4").mkdir(parents=True, exist_ok=True)
    told = {
        "uuid": f"LAB+{made.number}",
        "current_task": "Put the cup away",
        "success": True,
        "scene_id": 77,
        "wrist_cam_serial": "111",
        "ext1_cam_serial": "222",
        "ext2_cam_serial": "333",
    }
    told = {k: v for k, v in (told | changes).items() if v is not None}
    (folder / f"metadata_LAB+{made.number}.json").write_text(json.dumps(told))
    stamps = START_MS + np.round(np.arange(made.count) / 15 * 1000).astype(np.int64)
    with h5py.File(folder / "trajectory.h5", "w") as file:
        state = file.create_group("observation/robot_state")
        state["joint_positions"] = made.trace(7)
        state["joint_velocities"] = made.trace(7, 1)
        state["motor_torques_measured"] = made.trace(7, 2)
        state["cartesian_position"] = made.trace(6, 3)
        state["gripper_position"] = 1 - made.open()
        file["observation/timestamp/robot_state/read_start"] = stamps
        file["observation/timestamp/control/step_start"] = stamps - 3
        file["observation/timestamp/cameras/111_estimated_capture"] = stamps + 20
        file["action/joint_velocity"] = made.trace(7, 4)
        file["action/gripper_position"] = made.open()
    for view, serial in enumerate(("111", "222")):  # the third camera has no file
        # The file's own clock is wrong: it says 60 frames a second.
        write_video(folder / f"recordings/MP4/{serial}.mp4", made, view, fps=60)
    return folder


def write_agibot(root: Path, count: int = 2, *, simulated: bool = False) -> Path:
    """Write episodes of AgiBot World, of the real robot or of the simulated one."""
    steps = [
        {"start_frame": 0, "end_frame": 3, "action_text": "Grasp the cup", "skill": "Pick"},
        {"start_frame": 3, "end_frame": 6, "action_text": "Put it down", "skill": "Place"},
    ]
    rows = [
        {
            "episode_id": 600 + number,
            "task_id": 327,
            "task_name": "Tidy the table",
            "init_scene_text": "A table.",
            "label_info": {"action_config": steps},
        }
        for number in range(count)
    ]
    (root / "task_info").mkdir(parents=True)
    (root / "task_info/task_327.json").write_text(json.dumps(rows))
    for number in range(count):
        made = Made(number)
        inner = f"327/{600 + number}"
        for view, name in enumerate(("hand_left_color", "head_color")):
            write_video(root / f"observations/{inner}/videos/{name}.mp4", made, view)
        path = root / f"proprio_stats/{inner}/proprio_stats.h5"
        path.parent.mkdir(parents=True)
        _write_proprio(path, made, simulated=simulated)
    return root


def _write_proprio(path: Path, made: Made, *, simulated: bool) -> None:
    stamps = START_MS * 10**6 + np.arange(made.count) * 33_333_333
    turn = made.quaternions() if simulated else np.roll(made.quaternions(), -1, axis=1)
    with h5py.File(path, "w") as file:
        file["timestamp"] = np.arange(made.count) / 30 if simulated else stamps
        file["state/joint/position"] = made.trace(34 if simulated else 14)
        file["state/end/position"] = np.stack([made.trace(3, 1), made.trace(3, 2)], axis=1)
        file["state/end/orientation"] = np.stack([turn, turn], axis=1)
        file["state/end/wrench"] = np.zeros(0)
        file["state/effector/position"] = made.trace(2, 3) * 40 + 80
        file["state/effector/force"] = np.zeros(0)
        file["state/head/position"] = made.trace(2, 4)
        file["action/joint/position"] = made.trace(14, 5)
        file["action/effector/position"] = made.trace(2, 6)


START_S = START_MS / 1000


def write_reassemble(path: Path, made: Made | None = None) -> Path:
    """Write one recording of REASSEMBLE: clocks of several rates, videos as bytes."""
    made = made or Made()
    path.parent.mkdir(parents=True, exist_ok=True)
    slow = START_S + 0.01 + np.arange(made.count) / 30
    fast = START_S + np.arange(50) / 1000
    wide = Made(made.number, 50)
    pose = np.hstack([made.trace(3, 3), made.quaternions()])
    state = {
        "joint_positions": (fast, wide.trace(7)),
        "joint_velocities": (fast, wide.trace(7, 1)),
        "joint_efforts": (fast, wide.trace(7, 2)),
        "pose": (slow, pose),
        "compensated_base_force": (fast, wide.trace(3, 4)),
        "compenseted_base_torque": (fast, wide.trace(3, 5)),
        "gripper_positions": (slow, made.trace(2, 6)),
    }
    with h5py.File(path, "w") as file:
        for key, (times, values) in state.items():
            file[f"robot_state/{key}"] = values
            file[f"timestamps/{key}"] = times
        for view, name in enumerate(("hama1", "hand")):
            video = write_video(path.parent / "made.mp4", made, view, fps=25)
            file[name] = np.void(video.read_bytes())
            file[f"timestamps/{name}"] = slow
            video.unlink()
        file["hand_audio"] = np.void(b"ID3")
        file["events"] = np.zeros((5, 3), np.int16)
        file["timestamps/events"] = START_S + np.zeros(5)
        _write_step(file, "segments_info/0", 0.0, 0.1, "Pick gear")
        _write_step(file, "segments_info/0/low_level/0", 0.02, 0.05, "Grasp")
        _write_step(file, "segments_info/0/low_level/1", 0.05, 0.08, "Lift")
        _write_step(file, "segments_info/1", 0.1, 0.17, "Insert gear")
    return path


def _write_step(file: h5py.File, place: str, start: float, end: float, text: str) -> None:
    group = file.create_group(place)
    for key, value in (("start", START_S + start), ("end", START_S + end), ("success", True)):
        group[key] = value
    group["text"] = text


SCENE = "task_0001_user_0016_scene_0001_cfg_0001"
CAMERAS = ("cam_036422060215", "cam_043322070878")  # the second one is on the hand


def write_rh20t(root: Path, name: str = SCENE, made: Made | None = None, rating: int = 9) -> Path:
    """Write one scene of RH20T below `root` and return its folder."""
    made = made or Made()
    folder = root / name
    stamps = {
        camera: [START_MS + 100 * k + 7 * view for k in range(made.count)]
        for view, camera in enumerate(CAMERAS)
    }
    for view, camera in enumerate(CAMERAS):
        write_video(folder / camera / "color.mp4", made, view, fps=10)
        save(folder / camera / "timestamps.npy", {"color": stamps[camera], "depth": []})
    serials = {camera.removeprefix("cam_"): stamps[camera] for camera in CAMERAS}

    def rows(kind, width, *keys):
        values = made.trace(width, kind)
        return {
            serial: [
                {"timestamp": stamp, **dict.fromkeys(keys, value)}
                for stamp, value in zip(own, values, strict=True)
            ]
            for serial, own in serials.items()
        }

    pose = rows(3, 7, "tcp")
    for own in pose.values():
        for row, turn in zip(own, made.quaternions(), strict=True):
            row["tcp"] = np.concatenate([row["tcp"][:3], turn])
    save(folder / "transformed/tcp_base.npy", pose)
    save(folder / "transformed/force_torque_base.npy", rows(4, 6, "zeroed", "raw"))
    joints = made.trace(7, 5)
    save(
        folder / "transformed/joint.npy",
        {serial: dict(zip(own, joints, strict=True)) for serial, own in serials.items()},
    )
    width = [{"gripper_info": [95.0 * o, 0, 0], "gripper_command": [0]} for o in made.open()]
    save(
        folder / "transformed/gripper.npy",
        {serial: dict(zip(own, width, strict=True)) for serial, own in serials.items()},
    )
    (folder / "metadata.json").write_text(json.dumps({"rating": rating, "calib": 1}))
    words = {"task_description_english": "Press the button"}
    (root / "task_description.json").write_text(json.dumps({"task_0001": words}))
    return folder


def save(path: Path, value: object) -> None:
    """Keep a value as numpy does: pickled inside an array of no dimension."""
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, np.array(value, dtype=object), allow_pickle=True)
