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
