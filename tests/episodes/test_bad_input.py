"""The faults that datasets have most often, in every format: named with file and key.

Missing keys, wrong shapes, episodes with ragged ends, data and files that lie elsewhere. That
pictures are turned upright, and what is said without language or with several rates, stands with
each format.
"""

import re
import runpy
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import h5py
import numpy as np
import pytest

from assay import plugins
from assay.episodes import catalogue
from assay.errors import AssayError
from assay.records import Episode
from clips import write_clip
from formats_made import Made, write_roboarena, write_vla_eval
from fuzzing import FORMATS, Fuzzer
from hdf5_made import write_aloha, write_robomimic
from openings import Openings
from rlds_made import write_rlds

SAMPLES = Path(__file__).parent / "samples"
KEYS = {  # of every format in HDF5: its file, and arrays that it can't do without or has to check
    "robomimic": ("lift.h5", "data/demo_0/actions", "data/demo_0/obs/robot0_joint_pos"),
    "maniskill": (
        "trajectory.rgb.pd_joint_pos.physx_cpu.h5",
        "traj_0/actions",
        "traj_0/obs/extra/tcp_pose",
    ),
    "aloha": ("episode_2.hdf5", "observations/qpos", "observations/images/cam_high"),
    "reassemble": ("2025-01-09-13-59-54.h5", "timestamps/pose", "robot_state/pose"),
    "droid_raw": (
        "trajectory.h5",
        "action/joint_velocity",
        "observation/robot_state/joint_positions",
    ),
    "agibot_world": ("proprio_stats.h5", "state/joint/position", "state/end/position"),
}


def words_on(path):
    """Return all that reading a path, with its pictures, complains of."""
    found = []
    try:
        for item in catalogue.read(path, trust_pickles=True):
            if not isinstance(item, Episode):
                found.append(item.detail)
                continue
            for view in item.views.values():
                try:
                    list(view.frames.at(view.frames.clock()))
                except AssayError as error:
                    found.append(str(error))
    except AssayError as error:
        found.append(str(error))
    return " ".join(found)


@pytest.fixture
def sample(tmp_path, request):
    """Return the format's keys, its first sample and the file of it that is edited."""
    name, *keys = KEYS[request.param]
    path = runpy.run_path(str(SAMPLES / f"{request.param}.py"))["make"](tmp_path / "data")[0]
    file = path if path.is_file() else min(path.rglob(name))
    return keys, path, file


every = pytest.mark.parametrize("sample", KEYS, indirect=True)


@every
def test_a_missing_key_is_named(sample):
    (needed, _), path, file = sample
    with h5py.File(file, "r+") as edited:
        del edited[needed]
    said = words_on(path)
    assert file.name in said
    assert needed in said


@every
def test_a_wrong_shape_is_named(sample):
    for key in sample[0]:
        _, path, file = sample
        whole = file.read_bytes()
        with h5py.File(file, "r+") as edited:
            del edited[key]
            edited[key] = np.zeros((2, 3, 4, 5, 6))
        said = words_on(path)
        assert (file.name in said, key in said) == (True, True), said
        file.write_bytes(whole)


@every
@pytest.mark.parametrize(
    "change",
    [lambda values: values[:-1], lambda values: values.repeat(2, axis=0)],
    ids=["ragged", "twice the rate"],
)
def test_arrays_of_unequal_length_are_named(sample, change):
    for key in sample[0]:
        _, path, file = sample
        whole = file.read_bytes()
        with h5py.File(file, "r+") as edited:
            values = change(edited[key][()])
            del edited[key]
            edited[key] = values
        said = words_on(path)  # of two arrays that differ, either may be the wrong one
        assert file.name in said
        assert re.search(r"'[\w/]+' (has \d+ rows where \d+ are due|can't be a clock)", said), said
        file.write_bytes(whole)


@every
def test_data_in_another_file_is_named_and_not_opened(sample, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    with h5py.File(outside / "other.h5", "w") as other:
        other["a"] = np.zeros(4)
    for key in sample[0]:
        _, path, file = sample
        whole = file.read_bytes()
        for way in ("link", "storage"):
            with h5py.File(file, "r+") as edited:
                del edited[key]
                if way == "link":
                    edited[key] = h5py.ExternalLink(str(outside / "other.h5"), "/a")
                else:
                    held = [(str(outside / "other.h5"), 0, 4)]
                    edited.create_dataset(key, (4,), "u1", external=held)
            watched = Openings(outside)
            said = words_on(path)
            assert watched.take() == set()
            watched.close()
            assert (file.name in said, key in said) == (True, True), said
            file.write_bytes(whole)


@pytest.mark.parametrize("name", plugins.names(FORMATS))
def test_a_file_behind_a_link_that_leads_out_is_named_and_not_opened(name, tmp_path):
    samples = Fuzzer(name, tmp_path).samples
    sample = next((s for s in samples if s.path.is_dir()), samples[0])
    files = [file for file in sample.files if file != sample.path]  # a link that is named is meant
    assert files or name == "curves"
    for file in files:
        kept = tmp_path / "outside" / f"kept{file.suffix}"
        shutil.move(file, kept)
        file.symlink_to(kept)
        watched = Openings(kept.parent)
        said = words_on(sample.path)
        assert watched.take() == set(), file
        watched.close()
        assert "leads out of the dataset's folder" in said, file
        assert file.name in said
        file.unlink()
        shutil.move(kept, file)


@pytest.mark.parametrize("hostile", ["../x", "/etc/passwd"])
def test_a_path_that_a_harness_noted_stays_below_its_folder(tmp_path, hostile):
    write_clip(tmp_path / "x.mp4", frames=3)
    path = write_vla_eval(tmp_path / "run", [Made.counting(3)])
    with closing(sqlite3.connect(path)) as base:
        base.execute("UPDATE episode_results SET jsonl_path = ?", (f"{hostile}.jsonl",))
        base.commit()
    said = words_on(path)
    assert f"the path '{hostile}.mp4' leads out of the dataset's folder" in said
    session = write_roboarena(tmp_path / "s1", Made.counting(3))
    about = (session / "metadata.yaml").read_text()
    (session / "metadata.yaml").write_text(about.replace("name: pi0", f"name: {hostile}"))
    assert "is not there, though metadata.yaml names its policy" in words_on(session)


def test_without_language_the_task_has_the_name_of_its_place(tmp_path):
    layout = {"steps/action": ("float32", 2), "steps/is_first": ("bool",)}
    steps = {"steps/action": np.zeros((3, 2), np.float32), "steps/is_first": np.array([1, 0, 0])}
    session = write_roboarena(tmp_path / "s1", Made.counting(3))
    about = (session / "metadata.yaml").read_text().splitlines()[1:]  # without its instruction
    (session / "metadata.yaml").write_text("\n".join(about))
    places = {
        "bridge": write_rlds(tmp_path / "bridge/1.0.0", layout, [steps], name="bridge"),
        "s1": session,
        "Lift": write_robomimic(tmp_path / "lift.h5"),
        "transfer": write_aloha(tmp_path / "transfer/episode_0.hdf5"),
    }
    for task, path in places.items():
        first = next(catalogue.read(path))
        assert (first.task, first.instruction) == (task, ""), path
