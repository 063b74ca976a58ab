"""ManiSkill trajectories: everything comes back, and a fault is named with file and key."""

import json

import h5py
import numpy as np
import pytest

from assay.episodes import catalogue
from assay.errors import InputError
from assay.records import Unreadable
from hdf5_made import Made, check_frames, check_signals, rename, write_maniskill

STATES = np.arange(7) / 10  # 10 steps a second
STEPS = STATES[:-1]


def read(path):
    return list(catalogue.read(path))


def test_what_went_in_comes_back(tmp_path):
    found = read(write_maniskill(tmp_path))
    assert [(e.id, e.task, e.seed, e.scene, e.outcome) for e in found] == [
        ("traj_0", "PickCube-v1", 40, "PickCube-v1-40", True),
        ("traj_1", "PickCube-v1", 41, "PickCube-v1-41", False),
    ]
    for made, episode in zip((Made(0, 7), Made(1, 7)), found, strict=True):
        due = {
            "joint_position": made.trace(7),
            "joint_velocity": made.trace(7, 1),
            "gripper_opening": made.open(),
            "ee_position": made.trace(3, 3),
            "ee_rotation": np.tile([1.0, 0, 0, 0], (7, 1)),  # turned like the base
            "object.cube.position": made.trace(3, 4),
            "object.cube.rotation": made.quaternions(),
        }
        check_signals(episode, due, STATES)
        check_signals(episode, {"action": made.trace(8, 2)[:-1]}, STEPS)
        # Success is told of the state after a step: step 5 ends at 0.6 s.
        check_signals(episode, {"success": [False] * 5 + [True]}, STATES[1:])
        check_frames(episode.views["base_camera"], made.images(), STATES)
        check_frames(episode.views["hand_camera"], made.images(1), STATES)
        assert episode.extra == {"source_type": "motionplanning"}


def test_of_other_robots_joints_are_kept_as_they_are(tmp_path):
    path = write_maniskill(tmp_path)
    rename(path, "traj_0/env_states/articulations/panda_wristcam", "traj_0/env_states/x/robot")
    first, second = read(path)
    assert first.signals.keys() - second.signals.keys() == {
        "qpos", "ee_position_world", "ee_rotation_world",
    }  # fmt: skip
    assert second.signals.keys() - first.signals.keys() == {
        "joint_position", "joint_velocity", "gripper_opening", "ee_position", "ee_rotation",
    }  # fmt: skip


def test_a_folder_of_several_files(tmp_path):
    path = write_maniskill(tmp_path)
    for suffix in (".h5", ".json"):
        path.with_suffix(suffix).rename(tmp_path / f"b{suffix}")
    write_maniskill(tmp_path)
    found = [e.id for e in read(tmp_path)]
    assert found[0] == "b/traj_0"
    assert len(found) == len(set(found)) == 4


@pytest.mark.parametrize(
    ("old", "words"),
    [
        ("actions", "the key 'traj_0/actions' is missing."),
        ("obs/sensor_data/base_camera/rgb", None),
        ("success", None),
    ],
)
def test_a_key_that_moves_is_told(tmp_path, old, words):
    path = write_maniskill(tmp_path)
    rename(path, f"traj_0/{old}", "traj_0/moved")
    first, second = read(path)
    if words:
        assert isinstance(first, Unreadable)
        assert f"{path}: {words}" in first.detail
    else:  # an observation mode without it
        assert len(first.views) + len(first.signals) == len(second.views) + len(second.signals) - 1


@pytest.mark.parametrize(
    ("key", "values", "words"),
    [
        ("success", np.zeros(3, bool), "'traj_0/success' has 3 rows where 6 are due."),
        ("env_states/actors/cube", np.zeros((7, 5)), "has 5 columns; 13 or more are due."),
        ("env_states/actors/cube", np.zeros((7, 13)), "row 0 has the length 0 and is no rotation"),
        ("env_states/actors/cube", np.full((7, 13), 1e300), "the length inf and is no rotation"),
        ("env_states/actors/cube", np.zeros((6, 13)), "has 6 rows where 7 are due."),
        ("obs/extra/tcp_pose", np.zeros((7, 6)), "has the shape (7, 6); (T, 7) is due."),
        ("obs/sensor_data/base_camera/rgb", np.zeros((7, 4, 4, 4)), "pictures are (T, H, W, 3)"),
    ],
)
def test_a_bad_array_spoils_its_trajectory(tmp_path, key, values, words):
    path = write_maniskill(tmp_path)
    with h5py.File(path, "a") as file:
        del file[f"traj_0/{key}"]
        file[f"traj_0/{key}"] = values
    bad, good = read(path)
    assert isinstance(bad, Unreadable)
    assert (bad.scene, words in bad.detail) == ("PickCube-v1-40", True), bad.detail
    assert good.id == "traj_1"


def test_an_episode_that_is_not_there(tmp_path, caplog):
    path = write_maniskill(tmp_path, count=2)
    told = json.loads(path.with_suffix(".json").read_text())
    told["episodes"][0]["episode_id"] = 7
    path.with_suffix(".json").write_text(json.dumps(told))
    with caplog.at_level("WARNING", logger="assay"):
        bad, good = read(path)
    assert "the key 'traj_7' is missing." in bad.detail
    assert good.id == "traj_1"
    assert "1 trajectories are not in the JSON file and were left out" in caplog.text


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"env_info": 5}, "'env_info' must be an object."),
        ({"env_info": {}}, "'env_info' has no 'env_id'."),
        ({"env_info": {"env_id": "a", "env_kwargs": {"sim_config": 5}}}, "'sim_config' must be an"),
        ({"episodes": [{}]}, "'episodes' must be a list of objects, each with an 'episode_id'."),
        ({"episodes": {}}, "'episodes' must be a list"),
    ],
)
def test_a_bad_json_file_stops_the_run(tmp_path, changes, words):
    path = write_maniskill(tmp_path, **changes)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path.with_suffix('.json')}: {words}")


def test_the_json_file_is_needed_and_the_rate_may_be_assumed(tmp_path, caplog):
    path = write_maniskill(tmp_path, env_info={"env_id": "a"})
    with caplog.at_level("WARNING", logger="assay"):
        assert read(path)[0].signals["action"].times[1] == 0.05
    assert "tells no rate; 20 steps a second are assumed" in caplog.text
    path.with_suffix(".json").unlink()
    with pytest.raises(InputError, match=r"\.h5: needs trajectory.*\.json beside it\."):
        read(path)
