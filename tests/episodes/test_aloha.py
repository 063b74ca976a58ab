"""ALOHA episodes: everything comes back, and a fault is named with file and key."""

import h5py
import numpy as np
import pytest

from assay.episodes import catalogue
from assay.episodes.rates import NOTE
from assay.errors import EpisodeError
from assay.records import Unreadable
from hdf5_made import Made, check_frames, check_signals, jpeg, rename, write_aloha

TIMES = np.arange(6) / 50


def read(path):
    return list(catalogue.read(path))


@pytest.mark.parametrize("coded", [False, True])
def test_what_went_in_comes_back(tmp_path, coded):
    made = Made(3)
    (episode,) = read(write_aloha(tmp_path / "transfer/episode_0.hdf5", made, jpeg=coded))
    assert (episode.id, episode.task) == ("episode_0", "transfer")
    due = {
        "action": made.trace(14, 2),
        "joint_position.left": made.trace(6),
        "joint_position.right": made.trace(6, 1),
        "gripper_opening.left": made.open(),
        "gripper_opening.right": 1 - made.open(),
        "joint_velocity.left": made.trace(14, 3)[:, :6],
        "joint_velocity.right": made.trace(14, 3)[:, 7:13],
        "effort": made.trace(14, 4),
    }
    check_signals(episode, due, TIMES)
    assert due.keys() == episode.signals.keys()
    worst = 24 if coded else 0  # grey levels that JPEG may differ by at the edges of fields
    check_frames(episode.views["cam_high"], made.images(), TIMES, worst)
    check_frames(episode.views["cam_left_wrist"], made.images(1), TIMES, worst)
    assert [view.moves for view in episode.views.values()] == [False, True]


def test_bytes_of_any_length(tmp_path):
    path = write_aloha(tmp_path / "a.hdf5")
    blobs = [jpeg(image) for image in Made().images()]
    with h5py.File(path, "a") as file:
        images = file["observations/images"]
        ragged = images.create_dataset("lists", (6,), h5py.vlen_dtype(np.uint8))
        for row, blob in enumerate(blobs):
            ragged[row] = np.frombuffer(blob, np.uint8)
        images["opaque"] = np.array([np.void(blob.ljust(2000, b"\0")) for blob in blobs])
    (episode,) = read(path)
    assert {"lists", "opaque"} <= episode.views.keys()
    for name in ("lists", "opaque"):
        check_frames(episode.views[name], Made().images(), TIMES, 24)


def test_files_come_by_number_and_words_from_where_they_are(tmp_path, caplog):
    for number in (10, 9):
        write_aloha(tmp_path / f"set/episode_{number}.hdf5", Made(number), success=number == 9)
    with h5py.File(tmp_path / "set/episode_10.hdf5", "a") as file:
        file["language_raw"] = np.array([b"hand it over"])
    write_aloha(tmp_path / "set/episode_11.hdf5", fps=10, instruction="hand it over")
    with caplog.at_level("WARNING", logger="assay"):
        found = read(tmp_path / "set")
    assert [(e.id, e.task, e.outcome) for e in found] == [
        ("episode_9", "set", True),
        ("episode_10", "hand-it-over", False),
        ("episode_11", "hand-it-over", None),
    ]
    assert found[2].signals["action"].times[1] == 0.1
    (words,) = caplog.messages  # once, not for each file
    assert words.startswith(
        f"{tmp_path / 'set'}: the attribute 'fps' tells no rate; 50 steps a second are assumed."
    )
    (tmp_path / "set" / NOTE).write_text('{"fps": 25}')
    assert [e.signals["action"].times[1] for e in read(tmp_path / "set")] == [0.04, 0.04, 0.1]


def test_what_is_not_known_is_not_guessed(tmp_path):
    path = write_aloha(tmp_path / "a.hdf5")
    with h5py.File(path, "a") as file:
        file["observations/qpos"][:, 6] = np.linspace(0, 90, 6)  # some other unit
    (episode,) = read(path)
    assert "gripper_opening.left" not in episode.signals
    assert episode.signals["gripper.left"].values[-1] == 90
    with h5py.File(path, "a") as file:
        del file["observations/qpos"]
        file["observations/qpos"] = np.zeros((6, 7))
    (episode,) = read(path)
    assert episode.signals.keys() == {"action", "qpos", "qvel", "effort"}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("observations/qpos", "observations/qpos_", "the key 'observations/qpos' is missing. Near"),
        ("observations/images/cam_high", "observations/images/cam_low", None),
    ],
)
def test_a_key_that_moves_is_told(tmp_path, old, new, words):
    path = write_aloha(tmp_path / "a.hdf5")
    rename(path, old, new)
    (episode,) = read(path)
    if words:
        assert isinstance(episode, Unreadable)
        assert f"{path}: {words}" in episode.detail
    else:
        assert sorted(episode.views) == ["cam_left_wrist", "cam_low"]


def test_a_broken_file_is_one_broken_episode(tmp_path):
    for number in range(3):
        write_aloha(tmp_path / f"e{number}.hdf5", Made(number))
    whole = (tmp_path / "e1.hdf5").read_bytes()
    (tmp_path / "e1.hdf5").write_bytes(whole[: len(whole) // 2])
    with h5py.File(tmp_path / "e2.hdf5", "a") as file:
        del file["observations/images/cam_high"]
        file["observations/images/cam_high"] = np.zeros((5, 4, 4, 3), np.uint8)
    good, cut, short = read(tmp_path)
    assert good.id == "e0"
    assert f"{tmp_path / 'e1.hdf5'}: is no HDF5 file that can be read" in cut.detail
    assert "'observations/images/cam_high' has 5 rows where 6 are due." in short.detail
    assert (cut.task, short.task) == (tmp_path.name, tmp_path.name)


def test_a_damaged_picture_is_found_when_it_is_asked_for(tmp_path):
    path = write_aloha(tmp_path / "a.hdf5", jpeg=True)
    with h5py.File(path, "a") as file:
        file["observations/images/cam_high"][3] = 0
    (episode,) = read(path)
    frames = episode.views["cam_high"].frames
    assert len(list(frames.at(TIMES[:3]))) == 3
    with pytest.raises(EpisodeError, match=r"a\.hdf5::observations/images/cam_high.*picture 3"):
        list(frames.at(TIMES))
