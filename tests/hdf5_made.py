"""Datasets in HDF5 files, made by h5py from made-up episodes whose values are known.

A `Made` episode is what every sample is written from: pictures that carry their number, and traces
that a test computes again.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
import PIL.Image

from clips import number_of, numbered, write_clip

SIZE = (32, 24)  # width and height [px]
BASE = (-0.66, 0.0, 0.912)  # where LIBERO puts the robot [m]
MODEL = (
    '<mujoco><worldbody><body name="robot0_base" pos="-0.66 0 0.912">'
    '<geom type="box"/></body></worldbody></mujoco>'
)


@dataclass(frozen=True)
class Made:
    """A made-up episode of `count` steps; `number` tells it from others."""

    number: int = 0
    count: int = 6

    def trace(self, width: int, kind: int = 0) -> np.ndarray:
        """Return smooth values of shape (count, width) in -1..1."""
        phase = np.arange(width) + self.number + 10 * kind
        return np.sin(0.3 * np.arange(self.count)[:, None] + phase)

    def quaternions(self) -> np.ndarray:
        """Return unit quaternions w,x,y,z of shape (count, 4)."""
        raw = self.trace(4, 7) + np.array([2.0, 0, 0, 0])
        return raw / np.linalg.norm(raw, axis=1, keepdims=True)

    def open(self) -> np.ndarray:
        """Return how far the gripper is open, 0..1, of shape (count,)."""
        return np.linspace(1, 0, self.count)

    def image(self, step: int, view: int = 0) -> np.ndarray:
        """Return the picture of a step; it is not the same upside down."""
        return numbered(1 + 100 * self.number + 1000 * view + step, SIZE)

    def images(self, view: int = 0) -> np.ndarray:
        """Return all pictures of a view, of shape (count, H, W, 3)."""
        return np.stack([self.image(step, view) for step in range(self.count)])


def check_frames(view, images: np.ndarray, times: np.ndarray, worst: float = 0.0) -> None:
    """Compare a view with the pictures that went in, all at once and one in the middle."""
    np.testing.assert_allclose(view.frames.clock(), times, rtol=0, atol=1e-3)
    found = np.stack(list(view.frames.at(view.frames.clock())))
    assert found.dtype == np.uint8
    assert np.abs(found.astype(int) - images.astype(int)).max() <= worst
    middle = len(times) // 2
    (one,) = view.frames.at(times[middle : middle + 1] + 1e-4)
    np.testing.assert_array_equal(one, found[middle])


def check_signals(episode, due: dict[str, np.ndarray], times: np.ndarray) -> None:
    """Compare signals with the traces that went in."""
    for name, values in due.items():
        series = episode.signals[name]
        np.testing.assert_allclose(series.times, times, rtol=0, atol=1e-3, err_msg=name)
        np.testing.assert_allclose(series.values, values, rtol=0, atol=1e-6, err_msg=name)


def rename(path: Path, old: str, new: str) -> None:
    """Move a key of an HDF5 file."""
    with h5py.File(path, "a") as file:
        file.move(old, new)


def write_robomimic(path: Path, episodes: int = 2, *, libero: bool = False, **attrs) -> Path:
    """Write a robomimic file, or a LIBERO one, whose pictures are stored upside down.

    Args:
        path: The file.
        episodes: How many demonstrations.
        libero: Whether it is a LIBERO file.
        attrs: Attributes of `data` that differ; None takes one away.
    """
    env = {"env_name": "Lift", "type": 1, "env_kwargs": {"robots": ["Panda"], "control_freq": 20}}
    told = {"env_args": json.dumps(env), "total": 6 * episodes}
    if libero:
        told |= {
            "problem_info": json.dumps({"language_instruction": "open the drawer"}),
            "bddl_file_name": "drawer.bddl",
            "macros_image_convention": "opengl",
        }
    path.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(path, "w") as file:
        data = file.create_group("data")
        data.attrs.update({k: v for k, v in (told | attrs).items() if v is not None})
        for number in range(episodes):
            _write_demo(data.create_group(f"demo_{number}"), Made(number), libero=libero)
        file["mask/train"] = np.array([b"demo_0"])
    return path


def _write_demo(demo: h5py.Group, made: Made, *, libero: bool) -> None:
    demo.attrs["num_samples"] = made.count
    demo.attrs["model_file"] = MODEL
    demo["actions"] = made.trace(7, 1)
    demo["states"] = made.trace(12, 2)
    demo["rewards"] = np.zeros(made.count)
    demo["dones"] = np.zeros(made.count, np.int64)
    fingers = np.stack([made.open(), -made.open()], axis=1) * 0.04
    place = made.trace(3, 3) + BASE
    xyzw = np.roll(made.quaternions(), -1, axis=1)
    obs = demo.create_group("obs")
    if libero:
        from scipy.spatial.transform import Rotation

        arrays = {
            "joint_states": made.trace(7),
            "gripper_states": fingers,
            "ee_pos": place,
            "ee_ori": Rotation.from_quat(xyzw).as_rotvec(),
            "ee_states": np.zeros((made.count, 6)),
        }
        views = {
            "agentview_rgb": made.images()[:, ::-1],
            "eye_in_hand_rgb": made.images(1)[:, ::-1],
        }
    else:
        arrays = {
            "robot0_joint_pos": made.trace(7),
            "robot0_joint_vel": made.trace(7, 4),
            "robot0_gripper_qpos": fingers,
            "robot0_eef_pos": place,
            "robot0_eef_quat": xyzw,
            "object": made.trace(10, 5),
        }
        views = {"agentview_image": made.images(), "robot0_eye_in_hand_image": made.images(1)}
    for key, values in arrays.items():
        obs[key] = values
    for key, values in views.items():
        obs.create_dataset(key, data=values, chunks=(4, *values.shape[1:]), compression="gzip")


def write_maniskill(folder: Path, count: int = 2, **changes) -> Path:
    """Write a ManiSkill trajectory file and its JSON file; return the former.

    Args:
        folder: The folder for both.
        count: How many trajectories.
        changes: Keys of the JSON file that differ.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "trajectory.rgb.pd_joint_pos.physx_cpu.h5"
    told = {
        "env_info": {
            "env_id": "PickCube-v1",
            "env_kwargs": {"obs_mode": "rgb", "sim_config": {"control_freq": 10}},
        },
        "episodes": [
            {"episode_id": n, "episode_seed": 40 + n, "success": n == 0} for n in range(count)
        ],
        "source_type": "motionplanning",
    }
    path.with_suffix(".json").write_text(json.dumps(told | changes))
    with h5py.File(path, "w") as file:
        for number in range(count):
            _write_trajectory(file.create_group(f"traj_{number}"), Made(number, 7))
    return path


def _write_trajectory(group: h5py.Group, made: Made) -> None:
    """Write a trajectory of 6 actions and 7 states; the robot stands turned by a quarter."""
    turn = np.tile([0.5**0.5, 0, 0, 0.5**0.5], (made.count, 1))  # base x is the world's y
    place = np.tile([1.0, 0, 0], (made.count, 1))
    fingers = np.repeat(made.open()[:, None] * 0.04, 2, axis=1)
    still = np.zeros((made.count, 6))
    robot = [place, turn, still, made.trace(7), fingers, made.trace(7, 1), 0 * fingers]
    hand = made.trace(3, 3)
    group["actions"] = made.trace(8, 2)[:-1]
    group["success"] = np.arange(made.count - 1) == made.count - 2
    group["env_states/articulations/panda_wristcam"] = np.hstack(robot)
    group["env_states/actors/cube"] = np.hstack([made.trace(3, 4), made.quaternions(), still])
    seen = np.stack([1 - hand[:, 1], hand[:, 0], hand[:, 2]], axis=1)  # the base frame in the world
    group["obs/extra/tcp_pose"] = np.hstack([seen, turn])
    group["obs/agent/qpos"] = np.hstack([made.trace(7), fingers])
    group.create_dataset("obs/sensor_data/base_camera/rgb", data=made.images(), compression="gzip")
    group["obs/sensor_data/base_camera/depth"] = np.zeros((made.count, 4, 4, 1), np.int16)
    group.create_dataset("obs/sensor_data/hand_camera/rgb", data=made.images(1), chunks=True)


def write_aloha(path: Path, made: Made | None = None, *, jpeg: bool = False, **attrs) -> Path:
    """Write one episode of two arms as ALOHA does; pictures as pixels, or as padded JPEG bytes.

    Args:
        path: The file.
        made: The episode.
        jpeg: Whether pictures are JPEG bytes.
        attrs: Attributes of the file.
    """
    made = made or Made()
    path.parent.mkdir(parents=True, exist_ok=True)
    state = np.hstack(
        [made.trace(6), made.open()[:, None], made.trace(6, 1), 1 - made.open()[:, None]]
    )
    with h5py.File(path, "w") as file:
        file.attrs.update({"sim": False, "compress": jpeg} | attrs)
        file["action"] = made.trace(14, 2)
        file["observations/qpos"] = state
        file["observations/qvel"] = made.trace(14, 3)
        file["observations/effort"] = made.trace(14, 4)
        for view, name in enumerate(("cam_high", "cam_left_wrist")):
            images = made.images(view)
            file[f"observations/images/{name}"] = padded(images) if jpeg else images
    return path


def jpeg(image: np.ndarray) -> bytes:
    """Return a picture as the bytes of a JPEG file."""
    file = io.BytesIO()
    PIL.Image.fromarray(image).save(file, "jpeg", quality=95)
    return file.getvalue()


def padded(images: np.ndarray) -> np.ndarray:
    """Return pictures as JPEG bytes in rows of one length, filled up with zeros."""
    coded = [jpeg(image) for image in images]
    rows = np.zeros((len(coded), max(map(len, coded)) + 7), np.uint8)
    for row, blob in zip(rows, coded, strict=True):
        row[: len(blob)] = np.frombuffer(blob, np.uint8)
    return rows


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


def write_video(path: Path, made: Made, view: int = 0, fps: float = 30) -> Path:
    """Write the pictures of one view as an H.264 file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    first = 1 + 100 * made.number + 1000 * view
    return write_clip(
        path, frames=made.count, fps=fps, first=first, size=(64, 48), options={"crf": "10"}
    )


def check_video(view, made: Made, times: np.ndarray, number: int = 0) -> None:
    """Compare a view that went through a codec: the right picture at the right time."""
    np.testing.assert_allclose(view.frames.clock(), times, rtol=0, atol=1e-3)
    found = list(view.frames.at(view.frames.clock()))
    first = 1 + 100 * made.number + 1000 * number
    assert [number_of(image) for image in found] == [first + k for k in range(len(times))]
    due = np.stack([numbered(first + k, (64, 48)) for k in range(len(times))])
    assert np.abs(np.stack(found).astype(int) - due).mean() < 4  # grey levels lost in coding


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
