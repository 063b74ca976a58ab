"""RH20T scenes: nothing without trust; with it, everything comes back, and plain values only."""

import json
import os
import pickle
import shutil

import numpy as np
import pytest

from assay.cli._app import run
from assay.episodes import catalogue
from assay.episodes.pickles import load_npy
from assay.errors import EpisodeError, UsageError
from assay.records import Unreadable
from hdf5_made import Made, check_video
from robot_folders_made import CAMERAS, SCENE, save, write_rh20t

TIMES = np.arange(6) / 10
BOTH = np.sort(np.concatenate([TIMES, TIMES + 0.007]))  # the robot is read with each camera


class Evil:
    """A value whose pickle calls a program when it is opened."""

    def __reduce__(self):
        return os.system, ("touch evil",)


def read(path):
    return list(catalogue.read(path, trust_pickles=True))


def test_what_went_in_comes_back(tmp_path):
    made = Made(5)
    write_rh20t(tmp_path, made=made)
    (episode,) = read(tmp_path)
    assert (episode.id, episode.task, episode.instruction) == (
        SCENE, "press-the-button", "Press the button",
    )  # fmt: skip
    assert (episode.outcome, episode.extra) == (True, {"rating": 9, "calib": 1})
    due = {
        "ee_position": made.trace(7, 3)[:, :3],
        "ee_rotation": made.quaternions(),
        "force": made.trace(6, 4)[:, :3],
        "torque": made.trace(6, 4)[:, 3:],
        "joint": made.trace(7, 5),
        "gripper_width": 0.095 * made.open(),
    }
    assert episode.signals.keys() == due.keys()
    for name, values in due.items():
        series = episode.signals[name]
        np.testing.assert_allclose(series.times, BOTH, atol=1e-9)
        np.testing.assert_allclose(series.values, np.repeat(values, 2, axis=0), atol=1e-6)
    for view, camera in enumerate(CAMERAS):
        check_video(episode.views[camera], made, TIMES + 0.007 * view, view)
    assert [episode.views[c].moves for c in CAMERAS] == [False, True]


def test_the_fast_traces_are_taken_where_they_are(tmp_path):
    folder = write_rh20t(tmp_path)
    start = json.loads(json.dumps(1_700_000_000_000))
    rows = [
        {"timestamp": start + k, "tcp": [0, 0, k, 1, 0, 0, 0], "zeroed": np.full(6, k)}
        for k in range(50)
    ]
    save(folder / "transformed/high_freq_data.npy", {"base": rows})
    (episode,) = read(tmp_path)
    for name in ("ee_position", "force"):
        np.testing.assert_allclose(episode.signals[name].times, np.arange(50) / 1000, atol=1e-9)
    assert episode.signals["ee_position"].values[:, 2].tolist() == list(range(50))


@pytest.mark.parametrize(("rating", "outcome"), [(0, False), (1, False), (2, True), (-1, None)])
def test_ratings(tmp_path, rating, outcome):
    write_rh20t(tmp_path, rating=rating)
    assert read(tmp_path)[0].outcome is outcome


def test_without_trust_nothing_is_opened(tmp_path, capsys):
    folder = write_rh20t(tmp_path)
    with pytest.raises(UsageError, match="RH20T, which keeps times and traces as pickles"):
        list(catalogue.read(tmp_path))
    for verb in (["init", folder], ["audit", folder, "--judge", "ramp", "--out", tmp_path / "r"]):
        with pytest.raises(SystemExit) as caught:
            run([str(word) for word in verb])
        assert caught.value.code == 2
        assert "say --trust-pickles" in capsys.readouterr().err.replace("\n", " ")
    assert not (tmp_path / "r").exists()


def test_a_run_does_not_hand_trust_on(tmp_path, capsys):
    write_rh20t(tmp_path / "data")
    words = ["audit", tmp_path / "data", "--judge", "ramp", "--out", tmp_path / "r", "--jobs", 1]
    with pytest.raises(SystemExit) as caught:
        run([*map(str, words), "--no-video", "--trust-pickles"])
    assert not caught.value.code
    assert "pickle" not in (tmp_path / "r/run.json").read_text()
    for more, code in (([], 2), (["--trust-pickles"], 0)):
        with pytest.raises(SystemExit) as caught:
            run(["replay", str(tmp_path / "r"), "--jobs", "1", *more])
        assert (caught.value.code or 0) == code
    capsys.readouterr()


def test_init_writes_the_flag_into_the_command(tmp_path, capsys):
    write_rh20t(tmp_path)
    with pytest.raises(SystemExit):
        run(["init", str(tmp_path), "--trust-pickles"])
    told = capsys.readouterr().out
    assert "is read as rh20t: 1 episode." in told
    assert told.rstrip().endswith("--trust-pickles")


@pytest.mark.parametrize("file", [f"{CAMERAS[0]}/timestamps.npy", "transformed/tcp_base.npy"])
def test_even_with_trust_only_plain_values_are_opened(tmp_path, monkeypatch, file):
    monkeypatch.chdir(tmp_path)
    folder = write_rh20t(tmp_path / "data")
    save(folder / file, {"color": Evil()})
    (bad,) = read(tmp_path / "data")
    assert isinstance(bad, Unreadable)
    assert (
        f"{folder / file}: can't be used (UnpicklingError: it asks for posix.system" in bad.detail
    )
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_values_of_every_protocol(tmp_path, protocol):
    value = {"a": [1, 2.5, "x", None, True], "b": np.arange(3), "c": np.float64(2), "d": b"\xff"}
    path = tmp_path / "v.npy"
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "|O", "fortran_order": False, "shape": ()}
        )
        pickle.dump(np.array(value, dtype=object), file, protocol)
    found = load_npy(path)
    assert found["a"] == value["a"]
    assert found["b"].tolist() == [0, 1, 2]
    assert (found["c"], found["d"]) == (2.0, b"\xff")


@pytest.mark.parametrize(
    "content", [b"", b"\x93NUMPY", b"\x93NUMPY\x01\x00\x06\x00{}    ", b"x" * 99]
)
def test_files_that_are_none(tmp_path, content):
    path = tmp_path / "v.npy"
    path.write_bytes(content)
    with pytest.raises(EpisodeError, match=r"v\.npy: can't be used"):
        load_npy(path)


@pytest.mark.parametrize(
    ("file", "value", "words"),
    [
        (f"{CAMERAS[0]}/timestamps.npy", {"colour": [1]}, "the key 'color' is missing."),
        (f"{CAMERAS[0]}/timestamps.npy", {"color": [5, 5]}, "the stamp 5 stands there twice."),
        (f"{CAMERAS[0]}/timestamps.npy", {"color": ["x"]}, "stamps can't be read"),
        (f"{CAMERAS[0]}/timestamps.npy", {"color": []}, "must hold stamps in milliseconds."),
        (
            f"{CAMERAS[0]}/timestamps.npy",
            {"color": [1, 2, 3]},
            "6 frames, but there are times for 3",
        ),
        ("transformed/tcp_base.npy", {"a": [{"timestamp": 1}]}, "the key 'tcp' is missing."),
        ("transformed/tcp_base.npy", {"a": [{"tcp": [1]}]}, "the key 'timestamp' is missing."),
        (
            "transformed/tcp_base.npy",
            {"a": [{"timestamp": 1, "tcp": [1, 2]}]},
            "(2,); (7,) is due.",
        ),
        ("transformed/tcp_base.npy", {"a": [{"timestamp": 1, "tcp": [0] * 7}]}, "is no rotation."),
        ("transformed/tcp_base.npy", {"a": 5}, "int where rows are due"),
        ("transformed/tcp_base.npy", [5], "must hold a dict by camera."),
        ("transformed/gripper.npy", {"a": {1: {"x": 1}}}, "the key 'gripper_info' is missing."),
        (
            "transformed/force_torque_base.npy",
            {"a": [{"timestamp": 1}]},
            "key 'zeroed' is missing.",
        ),
    ],
)
def test_a_key_that_moves_is_told(tmp_path, file, value, words):
    folder = write_rh20t(tmp_path)
    save(folder / file, value)
    (bad,) = read(tmp_path)
    assert isinstance(bad, Unreadable)
    assert str(folder) in bad.detail
    assert words in bad.detail


def test_missing_files(tmp_path):
    folder = write_rh20t(tmp_path)
    (folder / "transformed/tcp_base.npy").unlink()
    assert "tcp_base.npy: can't be read: No such file or directory" in read(tmp_path)[0].detail
    shutil.rmtree(folder / "transformed")  # as of a person who shows the task
    (episode,) = read(tmp_path)
    assert (len(episode.views), dict(episode.signals)) == (2, {})
    for camera in CAMERAS:
        shutil.rmtree(folder / camera)
    assert "holds neither a camera nor traces." in read(tmp_path)[0].detail
    (folder / "metadata.json").write_text("{")
    assert f"{folder / 'metadata.json'}: is not JSON" in read(tmp_path)[0].detail


@pytest.mark.parametrize(
    "file", ["metadata.json", f"{CAMERAS[0]}/color.mp4", "transformed/joint.npy"]
)
def test_links_that_lead_out_are_not_followed(tmp_path, file):
    folder = write_rh20t(tmp_path / "set")
    (folder / file).rename(tmp_path / "outside")
    (folder / file).symlink_to(tmp_path / "outside")
    (bad,) = read(tmp_path / "set")
    assert f"{file}' leads out of the dataset's folder" in bad.detail
