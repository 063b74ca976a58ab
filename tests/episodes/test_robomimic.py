"""robomimic and LIBERO files: everything comes back, and a fault is named with file and key."""

import json

import h5py
import numpy as np
import pytest

from assay.episodes import catalogue
from assay.episodes.robomimic.signals import base_pose
from assay.errors import InputError
from assay.records import Unreadable
from clips import write_clip
from hdf5_made import Made, check_frames, check_signals, rename, write_robomimic

TIMES = np.arange(6) / 20  # 20 steps a second


def read(path):
    return list(catalogue.read(path))


@pytest.mark.parametrize("libero", [False, True])
def test_what_went_in_comes_back(tmp_path, libero):
    path = write_robomimic(tmp_path / "set.hdf5", libero=libero)
    found = read(path)
    assert [e.id for e in found] == ["demo_0", "demo_1"]
    for made, episode in zip((Made(0), Made(1)), found, strict=True):
        quaternions = made.quaternions()
        due = {
            "action": made.trace(7, 1),
            "joint_position": made.trace(7),
            "gripper_opening": made.open(),
            "ee_position": made.trace(3, 3),  # the base frame: the base was added on writing
        }
        check_signals(episode, due, TIMES)
        turned = episode.signals["ee_rotation"].values
        sign = np.sign((turned * quaternions).sum(axis=1))  # q and -q are one rotation
        np.testing.assert_allclose(turned * sign[:, None], quaternions, atol=1e-6)
        wrist = "eye_in_hand" if libero else "robot0_eye_in_hand"
        check_frames(episode.views["agentview"], made.images(), TIMES)
        check_frames(episode.views[wrist], made.images(1), TIMES)
        assert [episode.views[v].moves for v in ("agentview", wrist)] == [False, True]
        assert episode.outcome is None  # rewards and dones are no success label
    assert found[0].extra["masks"] == ["train"]


def test_language_and_task(tmp_path):
    (libero, _), (plain, _) = (
        read(write_robomimic(tmp_path / f"{libero}.hdf5", libero=libero))
        for libero in (True, False)
    )
    assert (libero.instruction, libero.task) == ("open the drawer", "open-the-drawer")
    assert (plain.instruction, plain.task) == ("", "Lift")
    words = json.dumps({"language_instruction": ["open", "the", "drawer"]})
    listed = write_robomimic(tmp_path / "list.hdf5", libero=True, problem_info=words)
    assert read(listed)[0].instruction == "open the drawer"
    absent = write_robomimic(tmp_path / "none.hdf5", libero=True, problem_info="{}")
    assert (read(absent)[0].instruction, read(absent)[0].task) == ("", "Lift")
    with h5py.File(absent, "a") as file:
        file["data/demo_1"].attrs["ep_meta"] = json.dumps({"lang": "close it"})
    assert [e.instruction for e in read(absent)] == ["", "close it"]


def test_pictures_are_turned_upright_unless_they_are(tmp_path):
    path = write_robomimic(tmp_path / "a.hdf5", libero=True, macros_image_convention="opencv")
    (image,) = read(path)[0].views["agentview"].frames.at(np.zeros(1))
    np.testing.assert_array_equal(image, Made(0).image(0)[::-1])  # as stored
    path = write_robomimic(tmp_path / "b.hdf5", libero=True, macros_image_convention=None)
    check_frames(read(path)[0].views["agentview"], Made(0).images(), TIMES)


def test_a_rate_that_is_not_told_is_assumed_aloud(tmp_path, caplog):
    path = write_robomimic(tmp_path / "a.hdf5", env_args='{"env_name": "Lift"}')
    with caplog.at_level("WARNING", logger="assay"):
        found = read(path)
    assert "'data@env_args' tells no rate; 20 steps a second are assumed" in caplog.text
    np.testing.assert_allclose(found[0].signals["action"].times, TIMES)
    # Nor is the robot told, so nobody knows how far its fingers open.
    assert "gripper_opening" not in found[0].signals
    assert found[0].signals["robot0_gripper_qpos"].values.shape == (6, 2)


def test_without_a_base_the_hand_stays_in_the_world(tmp_path):
    path = write_robomimic(tmp_path / "a.hdf5")
    with h5py.File(path, "a") as file:
        del file["data/demo_0"].attrs["model_file"]
    first, second = read(path)
    np.testing.assert_allclose(
        first.signals["ee_position_world"].values - second.signals["ee_position"].values,
        Made(0).trace(3, 3) - Made(1).trace(3, 3) + [-0.66, 0, 0.912],
        atol=1e-9,
    )
    assert "ee_position" not in first.signals


def test_a_turned_base():
    # A quarter turn about z: what lies along the world's y lies along the base's x.
    place, turn = base_pose(
        '<body quat="0.70710678 0 0 0.70710678" name="robot0_base" pos="1 2 3" />'
    )
    assert place.tolist() == [1, 2, 3]
    np.testing.assert_allclose(turn, [0.5**0.5, 0, 0, 0.5**0.5], atol=1e-8)
    body = '<body name="robot0_base"'
    for rest in ("", ' pos="1 2"/>', ' pos="a b c"/>', "/> mobilebase0"):
        assert base_pose(body + rest) is None
    assert base_pose('<body name="other"/>') is None


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("actions", "action", "the key 'data/demo_0/actions' is missing. Nearest: 'action'."),
        ("obs/robot0_joint_pos", "obs/robot0_joints_pos", None),
        ("obs/agentview_image", "obs/agentview_images", None),
    ],
)
def test_a_key_that_moves_is_told(tmp_path, old, new, words):
    path = write_robomimic(tmp_path / "a.hdf5")
    before = read(path)[0]
    rename(path, f"data/demo_0/{old}", f"data/demo_0/{new}")
    after = read(path)[0]
    if words:
        assert isinstance(after, Unreadable)
        assert (after.detail, after.status) == (f"{path}: {words}", "invalid_value")
    else:  # observations differ from set to set: it is there under its own name, or named as unread
        gone = {*before.signals, *before.views} - {*after.signals, *after.views}
        new = new.removeprefix("obs/")
        assert len(gone) == 1
        assert new in after.signals or new in after.extra["unread"]


@pytest.mark.parametrize(
    ("key", "values", "words"),
    [
        ("rewards", np.zeros(5), "'data/demo_0/rewards' has 5 rows where 6 are due."),
        ("actions", np.zeros(6), "has the shape (6,); (T, T) is due."),
        ("actions", np.array([b"x"] * 6), "'data/demo_0/actions' holds |S1 where numbers are due."),
        ("obs/robot0_joint_pos", np.zeros((4, 7)), "robot0_joint_pos' has 4 rows where 6 are due."),
        ("obs/robot0_eef_quat", np.zeros((6, 4)), "row 0 has the length 0 and is no rotation"),
        ("obs/robot0_eef_pos", np.zeros((6, 2)), "has the shape (6, 2); (T, 3) is due."),
        ("obs/agentview_image", np.zeros((6, 4, 4)), "of float64; pictures are (T, H, W, 3)"),
        ("obs/agentview_image", np.zeros((5, 4, 4, 3), np.uint8), "has 5 rows where 6 are due."),
    ],
)
def test_a_bad_array_spoils_its_demonstration(tmp_path, key, values, words):
    path = write_robomimic(tmp_path / "a.hdf5")
    with h5py.File(path, "a") as file:
        del file[f"data/demo_0/{key}"]
        file[f"data/demo_0/{key}"] = values
    bad, good = read(path)
    assert isinstance(bad, Unreadable)
    assert (bad.task, str(path) in bad.detail, words in bad.detail) == ("Lift", True, True), bad
    assert good.id == "demo_1"


@pytest.mark.parametrize(
    ("attrs", "words"),
    [
        ({"env_args": "{"}, "'data@env_args' can't be read (JSONDecodeError"),
        (
            {"env_args": '{"env_kwargs": {"control_freq": 0}}'},
            "'data@env_args' is 0, which is no rate.",
        ),
        ({"env_args": '{"env_kwargs": {"control_freq": "x"}}'}, "is 'x', which is no rate."),
        ({"problem_info": "[" * 99999}, "'data@problem_info' can't be read"),
    ],
)
def test_bad_attributes_stop_the_file(tmp_path, attrs, words):
    path = write_robomimic(tmp_path / "a.hdf5", **attrs)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert words in str(caught.value)


def test_a_folder_with_videos_beside_is_read_as_demonstrations(tmp_path):
    write_robomimic(tmp_path / "runs/drawer.hdf5", libero=True)
    write_clip(tmp_path / "runs/playback.mp4", frames=2)
    assert catalogue.sniff(tmp_path / "runs") == ["robomimic"]
    assert [e.id for e in read(tmp_path / "runs")] == ["drawer/demo_0", "drawer/demo_1"]
