"""Sessions of RoboArena: pairs of policies, and traces for those who trust their pickles."""

import io
import logging
import zipfile

import numpy as np
import pytest

from assay.episodes.evaluations import arrays as npz
from assay.episodes.formats.roboarena import RoboArena
from assay.errors import InputError
from assay.records import Episode, Unreadable
from formats_made import Made, bomb, write_roboarena


def fault(reader, path):
    with pytest.raises(InputError) as caught:
        list(reader.read(path))
    return str(caught.value)


def test_a_session_of_roboarena_pairs_its_policies(tmp_path):
    pose = np.array([[0.5, 0.1, 0.2, 0, 0, np.pi]] * 3)
    made = Made.counting(3, cartesian_position=pose, gripper_position=np.full((3, 1), 0.25))
    first, second = RoboArena().read(write_roboarena(tmp_path / "s1", made))
    assert (first.id, first.policy, first.outcome) == ("s1/A", "pi0", True)
    assert (second.policy, second.outcome, second.scene) == ("paligemma", False, "s1")
    assert first.instruction == "Put the cup on the plate"
    assert list(first.views) == ["left", "wrist"]
    assert first.views["wrist"].moves
    assert first.signals["gripper_opening"].values.tolist() == [0.75] * 3
    np.testing.assert_allclose(first.signals["ee_position"].values[0], [0.5, 0.1, 0.2])
    np.testing.assert_allclose(
        np.abs(first.signals["ee_rotation"].values[0]), [0, 0, 0, 1], atol=1e-9
    )


def test_pickled_traces_are_left_out_aloud(tmp_path, caplog):
    folder = write_roboarena(tmp_path / "s1", Made.counting(3), pickled=True)
    with caplog.at_level(logging.WARNING, logger="assay"):
        first, _ = RoboArena().read(folder)
    assert (dict(first.signals), list(first.views)) == ({}, ["left", "wrist"])
    assert "data is pickled and not read" in caplog.text


def test_pickled_traces_are_read_by_those_who_trust_them(tmp_path, caplog):
    made = Made.counting(3, gripper_position=np.full((3, 1), 0.25))
    folder = write_roboarena(tmp_path / "s1", made, pickled=True)
    first, _ = RoboArena(trust_pickles=True).read(folder)
    np.testing.assert_array_equal(first.signals["action"].values, made.traces["action"])
    assert first.signals["gripper_opening"].values.tolist() == [0.75] * 3
    assert "pickled" not in caplog.text


class Runs:
    """What runs a program when it is unpickled."""

    def __reduce__(self):
        return (print, ("it ran",))


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([{"action": np.zeros(2)}, {}], "'data': step 1 lacks 'action'"),
        (
            [{"action": np.zeros(2)}, {"action": np.zeros(3)}],
            "'action' of step 1 is (3,), not (2,)",
        ),
        ([{"action": 0.0}, 5], "'data': step 1 is no dict"),
        ([{"action": Runs()}], "asks for builtins.print, which is not opened"),
    ],
)
def test_odd_steps_spoil_their_episode(tmp_path, capsys, steps, words):
    folder = write_roboarena(tmp_path / "s1", Made.counting(3), pickled=True)
    held = np.empty(len(steps), object)
    held[:] = steps
    np.savez(folder / "A_pi0/pi0_2025_npz_file.npz", data=held)
    bad, good = RoboArena(trust_pickles=True).read(folder)
    assert isinstance(bad, Unreadable)
    assert words in bad.detail
    assert "A_pi0" in bad.detail
    assert isinstance(good, Episode)
    assert capsys.readouterr().out == ""


def test_an_npz_is_checked_before_it_is_unpacked(tmp_path, monkeypatch):
    path = tmp_path / "a.npz"
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"shape": (1 << 40,), "fortran_order": False, "descr": "<f8"}
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", header.getvalue() + bytes(64))
    with pytest.raises(ValueError, match="more than its"):
        npz.load_npz(path)
    monkeypatch.setattr(npz, "_MOST_BYTES", 1 << 20)
    with pytest.raises(ValueError, match="'x' has over 1048576 bytes"):
        npz.load_npz(bomb(path, "x.npy", 1 << 21))
    path.write_bytes(b"nonsense")
    with pytest.raises(ValueError, match="damaged"):
        npz.load_npz(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: [", "is not YAML"),
        ("- 1", "holds no mapping"),
        ("a: 1", "has no 'policies'"),
        ("policies: {A: {}}", "the policy 'A' has no 'policy_name'"),
    ],
)
def test_odd_sessions_are_refused(tmp_path, text, words):
    folder = write_roboarena(tmp_path / "s1", Made.counting(3))
    (folder / "metadata.yaml").write_text(text)
    assert words in fault(RoboArena(), folder)


def test_a_policy_without_its_folder_is_unreadable(tmp_path):
    folder = write_roboarena(tmp_path / "s1", Made.counting(3))
    (folder / "B_paligemma").rename(folder / "B_other")
    _, bad = RoboArena().read(folder)
    assert "B_paligemma is not there" in bad.detail
