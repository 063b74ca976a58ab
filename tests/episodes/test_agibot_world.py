"""AgiBot World: everything comes back, and a fault is named with file and key."""

import json
import shutil

import h5py
import numpy as np
import pytest

from assay.episodes import catalogue
from assay.errors import InputError
from assay.records import Unreadable
from hdf5_made import Made, check_signals, check_video, rename, write_video
from robot_folders_made import write_agibot

TIMES = np.arange(6) / 30
STATS = "proprio_stats/327/600/proprio_stats.h5"


def read(path):
    return list(catalogue.read(path))


@pytest.mark.parametrize("simulated", [False, True])
def test_what_went_in_comes_back(tmp_path, simulated):
    found = read(write_agibot(tmp_path / "set", simulated=simulated))
    assert [e.id for e in found] == ["327/600", "327/601"]
    for made, episode in zip((Made(0), Made(1)), found, strict=True):
        assert (episode.task, episode.instruction) == ("tidy-the-table", "Tidy the table")
        width = (made.trace(2, 3) * 40 + 80) / 1000  # mm to m
        due = {
            "ee_position.left": made.trace(3, 1),
            "ee_position.right": made.trace(3, 2),
            "ee_rotation.left": made.quaternions(),
            "ee_rotation.right": made.quaternions(),
            "gripper_width.left": width[:, 0],
            "gripper_width.right": width[:, 1],
            "head_position": made.trace(2, 4),
            "action": np.hstack([made.trace(14, 5), made.trace(2, 6)]),
        }
        joints = made.trace(34 if simulated else 14)
        if simulated:  # which of the 34 is which is not told in the file
            due["joint"] = joints
        else:
            due |= {"joint_position.left": joints[:, :7], "joint_position.right": joints[:, 7:]}
        check_signals(episode, due, TIMES)
        assert due.keys() == episode.signals.keys()
        check_video(episode.views["hand_left_color"], made, TIMES, 0)
        check_video(episode.views["head_color"], made, TIMES, 1)
        grasp, put = episode.segments
        assert (grasp.name, put.name) == ("Grasp the cup", "Put it down")
        # Frame 3 of 30 a second is shown at 0.1 s; frame 6 would come after the last.
        times = [grasp.start_s, grasp.end_s, put.start_s, put.end_s]
        np.testing.assert_allclose(times, [0, 0.1, 0.1, 5 / 30], atol=1e-6)


def test_of_an_unknown_robot_rotations_are_left_out(tmp_path):
    root = write_agibot(tmp_path / "set", 1)
    with h5py.File(root / STATS, "a") as file:
        del file["state/joint/position"], file["state/effector/position"]
        file["state/joint/position"] = np.zeros((6, 20))
        file["state/effector/position"] = np.arange(72.0).reshape(6, 12)
    (episode,) = read(root)
    assert "ee_rotation.left" not in episode.signals  # x,y,z,w or w,x,y,z?
    assert episode.signals["joint"].values.shape == (6, 20)
    assert episode.signals["hand_joint_position.right"].values[0].tolist() == [6, 7, 8, 9, 10, 11]


def test_what_was_not_downloaded_is_left_out_aloud(tmp_path, caplog):
    root = write_agibot(tmp_path / "set")
    shutil.rmtree(root / "observations/327/600")
    with caplog.at_level("WARNING", logger="assay"):
        half, whole = read(root)
        assert "600/videos: the folder of videos is missing." in half.detail
        assert caplog.messages == []
        shutil.rmtree(root / "proprio_stats/327/600")
        assert [e.id for e in read(root)] == [whole.id]
    assert "1 episodes of task_info have neither videos nor proprio_stats" in caplog.text


@pytest.mark.parametrize(
    ("old", "words"),
    [
        ("timestamp", "the key 'timestamp' is missing."),
        ("state/joint/position", "the key 'state/joint/position' is missing."),
    ],
)
def test_a_key_that_moves_is_told(tmp_path, old, words):
    root = write_agibot(tmp_path / "set", 1)
    rename(root / STATS, old, "state/moved")
    (bad,) = read(root)
    assert isinstance(bad, Unreadable)
    assert bad.detail.startswith(f"{root / STATS}: {words}")


@pytest.mark.parametrize(
    ("key", "values", "words"),
    [
        ("state/end/position", np.zeros((6, 3)), "has the shape (6, 3); (T, 2, 3) is due."),
        ("state/end/position", np.zeros((4, 2, 3)), "has 4 rows where 6 are due."),
        ("state/end/orientation", np.zeros((6, 2, 4)), "row 0 has the length 0"),
        ("timestamp", np.zeros(0), "'timestamp' is empty."),
        ("timestamp", np.zeros(6, np.int64), "can't be a clock: in row 1"),
        ("action/joint/position", np.zeros((5, 14)), "has 5 rows where 6 are due."),
    ],
)
def test_bad_arrays_are_named(tmp_path, key, values, words):
    root = write_agibot(tmp_path / "set", 1)
    with h5py.File(root / STATS, "a") as file:
        del file[key]
        file[key] = values
    (bad,) = read(root)
    assert f"{root / STATS}: '{key}' " in bad.detail
    assert words in bad.detail


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([5], "episode 600, action 0 is no object."),
        ([{"start_frame": 3, "end_frame": 1}], "episode 600, action 0 goes from 3 to 1."),
        ([{"start_frame": 0, "end_frame": None}], "goes from 0 to None."),
        ([{"start_frame": 90, "end_frame": 99}], "starts at frame 90 of 6."),
    ],
)
def test_bad_segments_spoil_their_episode(tmp_path, steps, words):
    root = write_agibot(tmp_path / "set", 1)
    row = {"episode_id": 600, "label_info": {"action_config": steps}}
    (root / "task_info/task_327.json").write_text(json.dumps([row]))
    (bad,) = read(root)
    assert bad.detail.startswith(f"{root / 'task_info/task_327.json'}: ")
    assert words in bad.detail


def test_a_row_may_say_little(tmp_path):
    root = write_agibot(tmp_path / "set", 1)
    (root / "task_info/task_327.json").write_text('[{"episode_id": 600}]')
    (episode,) = read(root)
    assert (episode.task, episode.instruction, episode.segments) == ("327", "", ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "the file must hold a list of episodes."),
        ('[{"episode_id": "../../x"}]', "entry 0 must be an object with an 'episode_id'."),
        ("[", "is not JSON"),
    ],
)
def test_a_bad_task_file_stops_the_run(tmp_path, text, words):
    root = write_agibot(tmp_path / "set", 1)
    (root / "task_info/task_327.json").write_text(text)
    with pytest.raises(InputError) as caught:
        read(root)
    assert str(caught.value).startswith(f"{root / 'task_info/task_327.json'}: {words}")


def test_a_task_with_a_name_too_long_for_a_file_spoils_its_episode(tmp_path):
    root = write_agibot(tmp_path / "set", 1)
    row = {"episode_id": 600, "task_id": "9" * 5000}
    (root / "task_info/task_327.json").write_text(json.dumps([row]))
    (bad,) = read(root)
    assert isinstance(bad, Unreadable)
    assert "task_327.json: can't be used (OSError: [Errno 36] File name too long" in bad.detail


def test_nothing_outside_is_read(tmp_path):
    root = write_agibot(tmp_path / "set", 1)
    (root / "task_info/task_327.json").write_text('[{"episode_id": 600, "task_id": "../../x"}]')
    (bad,) = read(root)
    assert "leads out of the dataset's folder" in bad.detail
    (root / "task_info/task_327.json").write_text('[{"episode_id": 600}]')
    outside = write_video(tmp_path / "outside.mp4", Made())
    (root / "observations/327/600/videos/head_color.mp4").unlink()
    (root / "observations/327/600/videos/head_color.mp4").symlink_to(outside)
    (bad,) = read(root)
    assert "head_color.mp4' leads out of the dataset's folder" in bad.detail
