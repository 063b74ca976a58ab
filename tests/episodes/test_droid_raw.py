"""Raw DROID episodes: everything comes back, and a fault is named with file and key."""

import h5py
import numpy as np
import pytest

from assay.episodes import catalogue
from assay.records import Unreadable
from hdf5_made import Made, check_signals, check_video, rename, write_video
from robot_folders_made import START_MS, write_droid

TIMES = np.round(np.arange(6) / 15 * 1000) / 1000  # stamps are whole milliseconds


def read(path):
    return list(catalogue.read(path))


def test_what_went_in_comes_back(tmp_path):
    made = Made(4)
    (episode,) = read(write_droid(tmp_path / "LAB/day/ep", made))
    assert (episode.id, episode.task, episode.instruction) == (
        "ep", "put-the-cup-away", "Put the cup away",
    )  # fmt: skip
    assert (episode.outcome, episode.scene, episode.extra) == (True, "77", {"uuid": "LAB+4"})
    due = {
        "joint_position": made.trace(7),
        "joint_velocity": made.trace(7, 1),
        "joint_torque": made.trace(7, 2),
        "ee_position": made.trace(6, 3)[:, :3],
        "gripper_opening": made.open(),  # DROID counts 1 as closed
    }
    check_signals(episode, due, TIMES)
    # The step begins 3 ms before the robot is read; nothing is before the episode's start.
    steps = np.maximum(TIMES - 0.003, 0)
    check_signals(episode, {"action": np.column_stack([made.trace(7, 4), made.open()])}, steps)
    # Turns about the fixed axes x, y, z: written out, q = qz qy qx.
    angle = made.trace(6, 3)[0, 3:] / 2
    (cx, cy, cz), (sx, sy, sz) = np.cos(angle), np.sin(angle)
    due = [
        cx * cy * cz + sx * sy * sz,
        sx * cy * cz - cx * sy * sz,
        cx * sy * cz + sx * cy * sz,
        cx * cy * sz - sx * sy * cz,
    ]
    np.testing.assert_allclose(episode.signals["ee_rotation"].values[0], due, atol=1e-6)
    check_video(episode.views["wrist"], made, TIMES + 0.02, 0)  # the camera's own clock
    check_video(episode.views["exterior_1"], made, TIMES, 1)  # without one, the robot's
    assert episode.views.keys() == {"wrist", "exterior_1"}
    assert episode.views["wrist"].moves


def test_folders_of_folders(tmp_path):
    for lab, number in (("B", 0), ("A", 10), ("A", 9)):
        write_droid(tmp_path / f"{lab}/success/day/ep{number}", Made(number))
    assert [e.id for e in read(tmp_path)] == [
        "A/success/day/ep9", "A/success/day/ep10", "B/success/day/ep0",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "words"),
    [
        (
            "observation/robot_state/cartesian_position",
            "robot_state/cartesian_position' is missing",
        ),
        ("observation/robot_state/gripper_position", "robot_state/gripper_position' is missing."),
        ("observation/timestamp/robot_state/read_start", "robot_state/read_start' is missing."),
        ("action/joint_velocity", "the key 'action/joint_velocity' is missing."),
    ],
)
def test_a_key_that_moves_is_told(tmp_path, old, words):
    folder = write_droid(tmp_path / "ep")
    rename(folder / "trajectory.h5", old, "moved")
    (bad,) = read(folder)
    assert isinstance(bad, Unreadable)
    assert bad.detail.startswith(f"{folder / 'trajectory.h5'}: ")
    assert words in bad.detail


@pytest.mark.parametrize(
    ("key", "values", "words"),
    [
        ("observation/robot_state/joint_positions", np.zeros((6, 6)), "(6, 6); (T, 7) is due."),
        ("observation/robot_state/gripper_position", np.zeros(5), "has 5 rows where 6 are due."),
        (
            "observation/timestamp/robot_state/read_start",
            START_MS + np.array([0, 2, 1, 3, 4, 5]),
            "can't be a clock: in row 2 the time 0.001 s does not come after 0.002 s",
        ),
        ("observation/robot_state/cartesian_position", np.full((6, 6), np.nan), "not finite"),
    ],
)
def test_bad_arrays_are_named(tmp_path, key, values, words):
    folder = write_droid(tmp_path / "ep")
    with h5py.File(folder / "trajectory.h5", "a") as file:
        del file[key]
        file[key] = values
    (bad,) = read(folder)
    assert f"'{key}'" in bad.detail
    assert words in bad.detail


def test_frames_that_cannot_be_placed_are_refused(tmp_path):
    folder = write_droid(tmp_path / "ep", Made(0, 6))
    video = folder / "recordings/MP4/111.mp4"
    write_video(video, Made(0, 7))  # one more than there are steps: it is left out
    (episode,) = read(folder)
    check_video(episode.views["wrist"], Made(0, 7), TIMES + 0.02)
    write_video(video, Made(0, 24))
    (bad,) = read(folder)
    assert f"{video} has 24 frames, but there are times for 6" in bad.detail


def test_metadata_is_needed_and_checked(tmp_path):
    folder = write_droid(tmp_path / "a/ep", current_task=None, success="yes", scene_id=None)
    (episode,) = read(tmp_path / "a")
    assert (episode.task, episode.instruction, episode.outcome) == ("a", "", None)
    (file,) = folder.glob("metadata_*.json")
    file.write_text("[1]")
    assert f"{file}: the file must hold one JSON object." in read(tmp_path / "a")[0].detail
    file.unlink()
    assert "needs one metadata_*.json and has 0." in read(tmp_path / "a")[0].detail


@pytest.mark.parametrize("name", ["trajectory.h5", "recordings/MP4/111.mp4"])
def test_links_that_lead_out_are_not_followed(tmp_path, name):
    folder = write_droid(tmp_path / "set/ep")
    (folder / name).rename(tmp_path / "outside")
    (folder / name).symlink_to(tmp_path / "outside")
    (bad,) = read(tmp_path / "set")
    assert isinstance(bad, Unreadable)
    assert f"the path 'ep/{name}' leads out of the dataset's folder" in bad.detail
    write_droid(tmp_path / "other/ep")
    (tmp_path / "other/linked").symlink_to(folder)
    assert [e.id for e in read(tmp_path / "other")] == ["ep"]


def test_a_serial_number_is_no_path(tmp_path):
    folder = write_droid(tmp_path / "set/ep", wrist_cam_serial="../../../../out")
    write_video(tmp_path / "out.mp4", Made())
    (bad,) = read(tmp_path / "set")
    assert "leads out of the dataset's folder" in bad.detail
    assert folder.name == "ep"
