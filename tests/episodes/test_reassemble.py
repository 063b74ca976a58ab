"""REASSEMBLE recordings: everything comes back, and a fault is named with file and key."""

import pickle

import h5py
import numpy as np
import pytest

from assay.episodes import catalogue
from assay.errors import EpisodeError
from assay.records import Unreadable
from hdf5_made import Made, check_signals, check_video, rename
from robot_folders_made import START_S, write_reassemble

SLOW = 0.01 + np.arange(6) / 30  # the first of the clocks starts the episode
FAST = np.arange(50) / 1000


def read(path):
    return list(catalogue.read(path))


def test_what_went_in_comes_back(tmp_path):
    made, wide = Made(2), Made(2, 50)
    (episode,) = read(write_reassemble(tmp_path / "2025.h5", made))
    due = {
        "joint_position": wide.trace(7),
        "joint_velocity": wide.trace(7, 1),
        "joint_torque": wide.trace(7, 2),
        "force": wide.trace(3, 4),
        "torque": wide.trace(3, 5),
    }
    check_signals(episode, due, FAST)
    slow = {
        "ee_position": made.trace(3, 3),
        "ee_rotation": made.quaternions(),
        "gripper_positions": made.trace(2, 6),  # of a gripper that the file doesn't name
    }
    check_signals(episode, slow, SLOW)
    assert episode.signals.keys() == {*due, *slow, "primitive"}
    assert episode.views.keys() == {"hama1", "hand"}  # neither sound nor events
    check_video(episode.views["hama1"], made, SLOW, 0)
    check_video(pickle.loads(pickle.dumps(episode.views["hand"])), made, SLOW, 1)
    assert episode.views["hand"].moves


def test_segments_and_primitives(tmp_path):
    (episode,) = read(write_reassemble(tmp_path / "2025.h5"))
    assert [(s.name, s.kind) for s in episode.segments] == [
        ("Pick gear", "subtask"),
        ("Insert gear", "subtask"),
        ("Grasp", "primitive"),
        ("Lift", "primitive"),
    ]
    marks = [(s.start_s, s.end_s) for s in episode.segments]
    np.testing.assert_allclose(
        marks, [(0, 0.1), (0.1, 0.17), (0.02, 0.05), (0.05, 0.08)], atol=1e-6
    )
    told = episode.at("primitive", np.array([0.0, 0.03, 0.06, 0.09, 0.15]))
    assert told.tolist() == ["none", "grasp", "lift", "none", "none"]
    assert episode.outcome is True


def test_one_failed_step_is_a_failure_and_an_unmarked_one_no_verdict(tmp_path):
    path = write_reassemble(tmp_path / "2025.h5")
    with h5py.File(path, "a") as file:
        file["segments_info/1/success"][()] = False
        file.move("segments_info/0/low_level", "segments_info/0/Low_level")
    (episode,) = read(path)
    assert (episode.outcome, len(episode.segments)) == (False, 4)
    with h5py.File(path, "a") as file:
        del file["segments_info/0/success"]
    assert read(path)[0].outcome is None
    with h5py.File(path, "a") as file:
        del file["segments_info"]
    (episode,) = read(path)
    assert (episode.outcome, episode.segments) == (None, ())


@pytest.mark.parametrize(
    ("old", "words"),
    [
        ("timestamps/pose", "'timestamps/pose' is missing, the clock of 'robot_state/pose'."),
        ("segments_info/0/start", "the key 'segments_info/0/start' is missing."),
        ("segments_info/0/text", "the key 'segments_info/0/text' is missing."),
    ],
)
def test_a_key_that_moves_is_told(tmp_path, old, words):
    path = write_reassemble(tmp_path / "2025.h5")
    rename(path, old, "moved")
    (bad,) = read(path)
    assert isinstance(bad, Unreadable)
    assert bad.detail.startswith(f"{path}: {words}")


def test_an_array_that_moves_keeps_its_clock_only(tmp_path):
    path = write_reassemble(tmp_path / "2025.h5")
    rename(path, "robot_state/compensated_base_force", "robot_state/base_force")
    (bad,) = read(path)
    assert (
        "'timestamps/base_force' is missing, the clock of 'robot_state/base_force'." in bad.detail
    )


@pytest.mark.parametrize(
    ("key", "values", "words"),
    [
        ("robot_state/pose", np.zeros((6, 6)), "has the shape (6, 6); (T, 7) is due."),
        ("robot_state/pose", np.zeros((6, 7)), "row 0 has the length 0 and is no rotation"),
        ("robot_state/joint_efforts", np.zeros((9, 7)), "has 9 rows where 50 are due."),
        ("timestamps/pose", np.arange(6), "must hold times in seconds, at least one."),
        ("timestamps/pose", np.zeros(0), "must hold times in seconds, at least one."),
        ("timestamps/pose", START_S - np.arange(6.0), "can't be a clock: in row 1"),
        ("segments_info/0/end", START_S + 99, "marks 'Pick gear' from 0 s to 99 s of a recording"),
        ("segments_info/0/start", np.zeros(2), "must hold one number."),
        ("segments_info/0/text", np.zeros(2), "must hold one text."),
    ],
)
def test_bad_arrays_are_named(tmp_path, key, values, words):
    path = write_reassemble(tmp_path / "2025.h5")
    with h5py.File(path, "a") as file:
        del file[key]
        file[key] = values
    (bad,) = read(path)
    assert bad.detail.startswith(f"{path}: '{key if 'marks' not in words else 'segments_info'}' ")
    assert words in bad.detail


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (np.void(b"\0\0\0\x18ftypisom" + b"x" * 50), r"2025\.h5::hama1 is an MP4 file that can't"),
        (np.void(b"no video at all"), r"2025\.h5::hama1 can't be read as a video"),
        (np.zeros(3), "'hama1' holds float64 where bytes are due"),
        (np.zeros(0, np.uint8), r"2025\.h5::hama1 is empty"),
    ],
)
def test_a_damaged_video_is_found_when_it_is_asked_for(tmp_path, content, words):
    path = write_reassemble(tmp_path / "2025.h5")
    with h5py.File(path, "a") as file:
        del file["hama1"]
        file["hama1"] = content
    (episode,) = read(path)
    with pytest.raises(EpisodeError, match=words):
        list(episode.views["hama1"].frames.at(SLOW))
    check_video(episode.views["hand"], Made(), SLOW, 1)


def test_bytes_as_numbers_or_lists_and_no_bombs(tmp_path):
    path = write_reassemble(tmp_path / "2025.h5")
    with h5py.File(path, "a") as file:
        data = np.frombuffer(file["hama1"][()].tobytes(), np.uint8)
        del file["hama1"], file["hand"]
        file["hama1"] = data
        lists = file.create_dataset("hand", (1,), h5py.vlen_dtype(np.uint8))
        lists[0] = data
    (episode,) = read(path)
    for name in ("hama1", "hand"):
        check_video(episode.views[name], Made(), SLOW, 0)
    with h5py.File(path, "a") as file:
        del file["hama1"]
        file.create_dataset("hama1", (2**30,), "u1", chunks=(2**20,), compression="gzip")
    (episode,) = read(path)
    with pytest.raises(EpisodeError, match="'hama1' unpacks 0 bytes to 1073741824"):
        list(episode.views["hama1"].frames.at(SLOW))


def test_too_few_frames_for_the_times(tmp_path):
    path = write_reassemble(tmp_path / "2025.h5")
    with h5py.File(path, "a") as file:
        del file["timestamps/hama1"]
        file["timestamps/hama1"] = START_S + np.arange(9) / 30
    (episode,) = read(path)
    with pytest.raises(EpisodeError, match="hama1 has 6 frames, but there are times for 9"):
        list(episode.views["hama1"].frames.at(SLOW))
