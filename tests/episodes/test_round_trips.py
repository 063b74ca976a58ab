"""Attempts in a simulated world, written by libraries of others in their formats, and read back.

Pictures come back equal where the coding loses nothing, traces to 1e-6 and times to 1 ms.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
import pytest

from assay.episodes import catalogue
from assay.jobs.convert import ConvertSettings, convert
from assay.jobs.init import look
from assay.jobs.rollout import RolloutSettings, rollout
from formats_made import (
    Made,
    grey,
    png_of,
    write_eval_info,
    write_foxglove,
    write_gif,
    write_roboarena,
    write_ros2,
    write_vla_eval,
    write_zarr,
)
from mcap_made import write_foxglove_raw, write_foxglove_video
from rlds_made import write_rlds

FPS = 5


@dataclass(frozen=True)
class World:
    """Attempts of a simulated world: their dataset, and what of it is written."""

    folder: Path
    episodes: list
    made: list


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world") / "run"
    settings = RolloutSettings(
        out=folder, task="lift-block", seeds="0:2", views=("front",), size=64, fps=FPS,
        quality="fast", jobs=1,
    )  # fmt: skip
    rollout(settings)
    episodes = list(catalogue.read(folder))
    made = []
    for episode in episodes:
        frames = episode.views["front"].frames
        clock = frames.clock()
        traces = {
            "action": episode.signals["action"].values.astype(np.float32),
            "qpos": episode.signals["joint_position"].values.astype(np.float64),
            "qvel": episode.signals["joint_velocity"].values.astype(np.float64),
        }
        made.append(Made(np.stack(list(frames.at(clock))), traces, FPS))
    return World(folder, episodes, made)


def zarr(world, folder):
    path = write_zarr(folder / "b.zarr.zip", world.made, zipped=True, chunk=7)
    (folder / "assay_rate.json").write_text(json.dumps({"fps": FPS}))
    return path, "img", {name: name for name in world.made[0].traces}


def zarr3(world, folder):
    path = write_zarr(folder / "b.zarr", world.made, version=3, chunk=7)
    (path / "assay_rate.json").write_text(json.dumps({"fps": FPS}))
    return path, "img", {name: name for name in world.made[0].traces}


def foxglove_raw(world, folder):
    for number, made in enumerate(world.made):
        write_foxglove_raw(folder / f"{number}.mcap", made)
    return folder, "camera.raw", {}


def foxglove_video(world, folder):
    for number, made in enumerate(world.made):
        write_foxglove_video(folder / f"{number}.mcap", made)
    return folder, "camera.video", {}


def robomimic(world, folder):
    env = {"env_name": "Lift", "env_kwargs": {"robots": ["Panda"], "control_freq": FPS}}
    with h5py.File(folder / "demo.hdf5", "w") as file:
        file.create_group("data").attrs["env_args"] = json.dumps(env)
        for number, made in enumerate(world.made):
            demo = file.create_group(f"data/demo_{number}")
            demo["actions"] = made.traces["action"]
            demo["obs/robot0_joint_pos"] = made.traces["qpos"]
            demo["obs/robot0_joint_vel"] = made.traces["qvel"]
            demo["obs/agentview_image"] = made.frames
    signals = {"action": "action", "qpos": "joint_position", "qvel": "joint_velocity"}
    return folder / "demo.hdf5", "agentview", signals


def aloha(world, folder):
    for number, made in enumerate(world.made):
        with h5py.File(folder / f"episode_{number}.hdf5", "w") as file:
            file.attrs["fps"] = FPS
            file["action"] = made.traces["action"]
            file["observations/qpos"] = made.traces["qpos"]
            file["observations/images/cam_high"] = made.frames
    # One arm of seven joints is none of ALOHA's, so its joints keep their name.
    return folder, "cam_high", {"action": "action", "qpos": "qpos"}


def foxglove(world, folder):
    for number, made in enumerate(world.made):
        write_foxglove(folder / f"{number}.mcap", made)
    return folder, "camera.front", {}


def ros2(world, folder):
    for number, made in enumerate(world.made):
        write_ros2(folder / f"{number}.mcap", made)
    return folder, "front.image", {"qpos": "joint_position", "qvel": "joint_velocity"}


def rlds(world, folder):
    layout = {"steps/observation/image": "uint8", "steps/is_first": ("bool",)}
    names = world.made[0].traces
    layout |= {f"steps/{n}": ("float32", v.shape[1]) for n, v in names.items()}
    episodes = [
        {
            "steps/observation/image": [png_of(picture) for picture in made.frames],
            "steps/is_first": np.arange(made.count) == 0,
            **{f"steps/{name}": values for name, values in made.traces.items()},
        }
        for made in world.made
    ]
    # Bridge was recorded at 5 steps a second, as this world here.
    path = write_rlds(folder / "set", layout, episodes, name="bridge_made")
    return path, "image", {name: name for name in names}


def vla_eval(world, folder):
    path = write_vla_eval(folder, world.made)
    return path, "main", {name: name for name in world.made[0].traces}


def eval_info(world, folder):
    return write_eval_info(folder / "eval", world.made), "main", {}


def roboarena(world, folder):
    # One attempt by two policies.
    world.made[1:] = world.made[:1]
    path = write_roboarena(folder / "s", world.made[0])
    return path, "left", {name: name for name in world.made[0].traces}


def gif(world, folder):
    for number, made in enumerate(world.made):
        write_gif(folder / f"gifs/{number}.gif", made)
    return folder / "gifs", "main", {}


LOSSLESS = (zarr, zarr3, foxglove, foxglove_raw, ros2, rlds, gif, robomimic, aloha)
LOSSY = (vla_eval, eval_info, roboarena, foxglove_video)  # their videos are H.264


@pytest.mark.parametrize("write", [*LOSSLESS, *LOSSY], ids=lambda f: f.__name__)
def test_what_others_write_comes_back(world, tmp_path, write):
    kept = World(world.folder, world.episodes, list(world.made))
    path, view, signals = write(kept, tmp_path)
    found = list(catalogue.read(path))
    assert len(found) == 2
    for made, episode in zip(kept.made, found, strict=True):
        frames = episode.views[view].frames
        clock = frames.clock()
        np.testing.assert_allclose(clock, np.arange(made.count) / FPS, atol=1e-3)
        shown = np.stack(list(frames.at(clock)))
        stored = grey(made.frames) if write is gif else made.frames
        if write in LOSSLESS:
            np.testing.assert_array_equal(shown, stored)
        else:
            assert np.abs(shown.astype(int) - stored).mean() < 3.0  # grey levels
        for name, signal in signals.items():
            series = episode.signals[signal]
            np.testing.assert_allclose(series.times, np.arange(made.count) / FPS, atol=1e-3)
            np.testing.assert_allclose(series.values, made.traces[name], atol=1e-6)
    # The first look recognises it and prints the command for an audit.
    command = look(path).command
    assert command.startswith("assay audit ")
    assert str(path) in command


@pytest.mark.parametrize("write", [zarr, ros2, rlds], ids=lambda f: f.__name__)
def test_what_others_write_becomes_lerobot(world, tmp_path, write):
    (tmp_path / "in").mkdir()
    kept = World(world.folder, world.episodes, list(world.made))
    path, view, signals = write(kept, tmp_path / "in")
    result = convert([str(path)], ConvertSettings(out=tmp_path / "out", to="lerobot", jobs=1))
    assert result.ok
    for made, episode in zip(world.made, catalogue.read(tmp_path / "out"), strict=True):
        frames = episode.views[view].frames
        shown = np.stack(list(frames.at(np.arange(made.count) / FPS)))
        assert np.abs(shown.astype(int) - made.frames).mean() < 3.0
        for name, signal in signals.items():
            values = episode.signals[signal].values
            np.testing.assert_allclose(values, made.traces[name], atol=1e-6)
