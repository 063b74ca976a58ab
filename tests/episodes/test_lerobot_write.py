"""Writing LeRobot v3.0 datasets: what goes in comes out, and the files are as LeRobot's."""

import hashlib
import json
import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from assay.episodes.catalogue import format_of
from assay.episodes.formats.lerobot import LeRobot
from assay.episodes.lerobot.writer import LeRobotWriter, Limits, write_lerobot
from assay.episodes.lerobot.writing.mp4 import CODECS, Encoder
from assay.errors import EpisodeError, InputError, UsageError
from assay.records import Episode, Segment, Series, View
from clips import number_of, numbered
from lerobot_sets import FPS, NumberedFrames, lean_episode, made_episode

COUNTS = (10, 4, 7)
PLAIN = (
    "id",
    "task",
    "instruction",
    "segments",
    "outcome",
    "policy",
    "world",
    "scene",
    "perturbation",
    "seed",
)


def made(**changes):
    return [made_episode(number, count, **changes) for number, count in enumerate(COUNTS)]


def read(root):
    return list(LeRobot().read(root))


def info_of(root):
    return json.loads((root / "meta/info.json").read_text())


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    root = tmp_path_factory.mktemp("written") / "set"
    write_lerobot(root, made(), fps=FPS, robot_type="panda")
    return root


def test_every_field_comes_back(written):
    for before, after in zip(made(), read(written), strict=True):
        assert {n: getattr(after, n) for n in PLAIN} == {n: getattr(before, n) for n in PLAIN}
        assert after.source == str(written)


def test_every_signal_comes_back(written):
    for before, after in zip(made(), read(written), strict=True):
        assert set(after.signals) == set(before.signals)
        for name, series in before.signals.items():
            back = after.signals[name]
            np.testing.assert_allclose(back.times, series.times, atol=1e-9)
            assert back.values.shape == series.values.shape
            assert back.values.dtype.kind == series.values.dtype.kind
            if series.values.dtype.kind == "f":
                np.testing.assert_allclose(back.values, series.values, rtol=0, atol=1e-6)
                assert back.values.dtype == series.values.dtype
            else:
                np.testing.assert_array_equal(back.values, series.values)


def test_signals_of_our_own_come_back_exactly(written):
    """Only what LeRobot wants as float32 is rounded: the state and the action."""
    for before, after in zip(made(), read(written), strict=True):
        for name in ("ee_position", "force", "progress", "lonely", "attempts"):
            np.testing.assert_array_equal(after.signals[name].values, before.signals[name].values)


def test_every_view_comes_back(written):
    for before, after in zip(made(), read(written), strict=True):
        assert set(after.views) == {"front", "wrist"}
        front, wrist = after.views["front"], after.views["wrist"]
        assert (front.moves, wrist.moves, wrist.camera) == (False, True, None)
        camera = before.views["front"].camera
        np.testing.assert_array_equal(front.camera.intrinsics, camera.intrinsics)
        np.testing.assert_array_equal(front.camera.world_from_camera, camera.world_from_camera)


@pytest.mark.parametrize("codec", ["h264", "av1"])
def test_frames_come_back_within_the_loss_of_the_codec(tmp_path, codec):
    write_lerobot(tmp_path / "set", made(), fps=FPS, codec=codec)
    for before, after in zip(made(), read(tmp_path / "set"), strict=True):
        for name, view in after.views.items():
            clock = view.frames.clock()
            np.testing.assert_allclose(clock, before.views[name].frames.clock(), atol=1e-6)
            first = before.views[name].frames.first
            for number, frame in enumerate(view.frames.at(clock), start=first):
                assert number_of(frame) == number
                assert np.abs(frame.astype(int) - numbered(number)).mean() < 3


def test_frames_of_odd_size_are_kept(tmp_path):
    episode = made_episode(views={"front": View(NumberedFrames(5, size=(65, 49)))})
    write_lerobot(tmp_path / "set", [episode], fps=FPS)
    frames = read(tmp_path / "set")[0].views["front"].frames
    found = list(frames.at(frames.clock()))
    assert found[0].shape == (49, 65, 3)
    assert [number_of(frame) for frame in found] == list(range(5, 15))


def test_the_same_episodes_give_the_same_bytes(tmp_path, written):
    write_lerobot(tmp_path / "again", made(), fps=FPS, robot_type="panda")

    def digests(root):
        files = sorted(p for p in root.rglob("*") if p.is_file())
        return {str(p.relative_to(root)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}

    assert digests(tmp_path / "again") == digests(written)


def test_info_json_is_as_lerobot_writes_it(written):
    info = info_of(written)
    features = info.pop("features")
    assert info == {
        "codebase_version": "v3.0",
        "robot_type": "panda",
        "total_episodes": 3,
        "total_frames": 21,
        "total_tasks": 2,
        "chunks_size": 1000,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200,
        "fps": 10,
        "splits": {"train": "0:3"},
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4",
    }
    assert features["observation.state"]["dtype"] == "float32"
    assert features["observation.state"]["shape"] == [8]
    assert features["observation.state"]["names"][6:] == ["joint_position_6", "gripper_opening"]
    assert features["next.success"] == {"dtype": "bool", "shape": [1], "names": None}
    assert features["assay.phase"]["dtype"] == "string"
    front = features["observation.images.front"]
    assert front["shape"] == [48, 64, 3]
    assert front["info"]["video.codec"] == "h264"
    assert not any("/" in name for name in features)


def test_the_data_file_has_a_row_group_for_each_episode(written):
    file = pq.ParquetFile(written / "data/chunk-000/file-000.parquet")
    rows = [file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups)]
    assert rows == list(COUNTS)
    assert str(file.schema_arrow.field("action").type).startswith("fixed_size_list<")
    assert file.read()["index"].to_pylist() == list(range(21))


def test_the_episode_table_places_the_videos(written):
    rows = pq.read_table(written / "meta/episodes/chunk-000/file-000.parquet").to_pylist()
    key = "videos/observation.images.wrist"
    # 10, 4 and 7 frames at 10 fps follow each other in one file.
    assert [row[f"{key}/from_timestamp"] for row in rows] == [0.0, 1.0, 1.4]
    assert [row[f"{key}/to_timestamp"] for row in rows] == [1.0, 1.4, 2.1]
    assert [row["dataset_to_index"] for row in rows] == [10, 14, 21]
    assert np.shape(rows[0]["stats/observation.images.wrist/q99"]) == (3, 1, 1)
    assert rows[1]["stats/action/count"] == [4]


def test_tasks_are_the_index_of_a_pandas_frame(written):
    table = pq.read_table(written / "meta/tasks.parquet")
    note = json.loads(table.schema.metadata[b"pandas"])
    assert note["index_columns"] == ["__index_level_0__"]
    assert table.to_pydict() == {
        "task_index": [0, 1],
        "__index_level_0__": ["stack the blocks, way 0", "stack the blocks, way 1"],
    }


def test_subtasks_are_also_there_in_lerobots_form(written, tmp_path):
    """Without our own table the subtasks are read from the frames, a frame exact."""
    names = pq.read_table(written / "meta/subtasks.parquet")["__index_level_0__"].to_pylist()
    assert names == ["reach", "lift"]
    copy = tmp_path / "copy"
    write_lerobot(copy, made(), fps=FPS)
    (copy / "meta/assay_episodes.parquet").unlink()
    # 10 frames: times 0 .. 0.9, the middle is 0.45, so frame 5 at 0.5 s is the first of "lift".
    assert read(copy)[0].segments == (Segment("reach", 0.0, 0.5), Segment("lift", 0.5, 0.9))


def test_frames_between_subtasks_have_none(tmp_path):
    marks = (Segment("reach", 0.0, 0.1), Segment("lift", 0.3, 0.5))
    episode = replace(lean_episode(count=8), segments=marks)
    write_lerobot(tmp_path / "set", [episode], fps=FPS)
    (tmp_path / "set/meta/assay_episodes.parquet").unlink()
    found = read(tmp_path / "set")[0].segments
    assert [(s.name, s.start_s) for s in found] == [("reach", 0.0), ("lift", 0.3)]
    assert [s.end_s for s in found] == pytest.approx([0.1, 0.5])


def test_the_whole_datasets_statistics(written):
    stats = json.loads((written / "meta/stats.json").read_text())
    every = np.concatenate([e.signals["action"].values for e in made()]).astype(np.float32)
    np.testing.assert_allclose(stats["action"]["mean"], every.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(stats["action"]["std"], every.std(axis=0), rtol=1e-5)
    assert stats["action"]["count"] == [21]
    assert "assay.phase" not in stats
    # Pictures are dark and light fields, counted in 0..1.
    mean = np.array(stats["observation.images.front"]["mean"])
    assert mean.shape == (3, 1, 1)
    assert 0.15 < mean.min() <= mean.max() < 0.6


def test_files_roll_over_at_their_limits(tmp_path):
    episodes = [made_episode(number, 12) for number in range(6)]
    with LeRobotWriter(tmp_path / "set", fps=FPS, limits=Limits(0.003, 0.001, 2)) as writer:
        for episode in episodes:
            writer.add(episode)
    data = sorted(str(p.relative_to(tmp_path / "set")) for p in tmp_path.glob("set/data/*/*"))
    assert len(data) > 2
    assert data[2] == "data/chunk-001/file-000.parquet"
    clips = tmp_path / "set/videos/observation.images.front"
    names = sorted(str(p.relative_to(clips)) for p in clips.glob("*/*"))
    assert names[:3] == [
        "chunk-000/file-000.mp4",
        "chunk-000/file-001.mp4",
        "chunk-001/file-000.mp4",
    ]
    for before, after in zip(episodes, read(tmp_path / "set"), strict=True):
        np.testing.assert_allclose(
            after.signals["action"].values, before.signals["action"].values, atol=1e-6
        )
        first = before.views["front"].frames.first
        frames = after.views["front"].frames
        assert [number_of(f) for f in frames.at(frames.clock())] == list(range(first, first + 12))


def test_other_clocks_are_resampled(tmp_path):
    """Numbers are interpolated, flags and texts take the nearest sample, vectors hold."""
    slow = np.array([0.0, 0.3, 0.6])
    episode = Episode(
        "e",
        "task",
        signals={
            "progress": Series(slow, np.array([0.0, 0.3, 0.9])),
            "phase": Series(slow, np.array(["approach", "engage", "release"])),
            "contact": Series(slow, np.array([False, True, False])),
            "ee_position": Series(slow, np.array([[0.0, 0, 0], [1, 1, 1], [2, 2, 2]])),
        },
    )
    write_lerobot(tmp_path / "set", [episode], fps=FPS)
    found = {k: s.values for k, s in read(tmp_path / "set")[0].signals.items()}
    np.testing.assert_allclose(found["progress"], [0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9])
    assert found["phase"].tolist() == ["approach"] * 2 + ["engage"] * 3 + ["release"] * 2
    assert found["contact"].tolist() == [False] * 2 + [True] * 3 + [False] * 2
    assert found["ee_position"][:, 0].tolist() == [0, 0, 0, 1, 1, 1, 2]


def test_views_of_another_rate_and_length_are_resampled(tmp_path):
    episode = replace(
        lean_episode(count=7), views={"cam": View(NumberedFrames(30, count=3, fps=5))}
    )
    write_lerobot(tmp_path / "set", [episode], fps=FPS)
    frames = read(tmp_path / "set")[0].views["cam"].frames
    # 0.2 s a frame is two of ours; the last one holds to the end at 0.6 s.
    found = [number_of(f) for f in frames.at(frames.clock())]
    assert found == [30, 30, 31, 31, 32, 32, 32]


def test_two_arms_join_one_state(tmp_path):
    arms = {
        "joint_position.left": np.ones((3, 2)),
        "gripper_opening.left": np.full(3, 2.0),
        "joint_position.right": np.full((3, 2), 3.0),
        "gripper_opening.right": np.full(3, 4.0),
    }
    write_lerobot(tmp_path / "set", [lean_episode(**arms)], fps=FPS)
    table = pq.read_table(tmp_path / "set/data/chunk-000/file-000.parquet")
    assert table["observation.state"].to_pylist()[0] == [1, 1, 2, 3, 3, 4]
    found = read(tmp_path / "set")[0].signals
    assert set(found) == set(arms)
    assert found["gripper_opening.right"].values.tolist() == [4.0] * 3


def test_a_foreign_state_stays_a_state(tmp_path):
    write_lerobot(tmp_path / "set", [lean_episode(state=np.arange(6.0).reshape(3, 2))], fps=FPS)
    found = read(tmp_path / "set")[0].signals
    np.testing.assert_array_equal(found["state"].values, np.arange(6.0).reshape(3, 2))


def test_values_that_are_not_finite_stay_out_of_the_statistics(tmp_path):
    gaps = np.array([1.0, np.nan, 3.0])
    write_lerobot(tmp_path / "set", [lean_episode(force=gaps, torque=gaps * np.nan)], fps=FPS)
    np.testing.assert_array_equal(read(tmp_path / "set")[0].signals["force"].values, gaps)
    stats = json.loads((tmp_path / "set/meta/stats.json").read_text())
    assert stats["assay.force"]["mean"] == [2.0]
    assert "assay.torque" not in stats


def test_an_episode_of_one_moment(tmp_path):
    write_lerobot(tmp_path / "set", [lean_episode(count=1)], fps=FPS)
    found = read(tmp_path / "set")[0]
    assert found.signals["progress"].times.tolist() == [0.0]


def test_many_episodes_pass_the_batch_of_the_table(tmp_path):
    write_lerobot(tmp_path / "set", (lean_episode(number) for number in range(205)), fps=FPS)
    assert [e.id for e in read(tmp_path / "set")] == [f"e{number}" for number in range(205)]


def test_a_failed_episode_leaves_the_others_whole(tmp_path):
    class Breaking(NumberedFrames):
        def at(self, times):
            yield from list(super().at(times))[:2]
            raise EpisodeError("the camera fell")

    good, bad = made_episode(0, 5), made_episode(1, 5)
    bad = replace(bad, views=bad.views | {"wrist": View(Breaking(9000, 5))})
    with LeRobotWriter(tmp_path / "set", fps=FPS) as writer:
        writer.add(good)
        with pytest.raises(EpisodeError, match="the camera fell"):
            writer.add(bad)
        writer.add(made_episode(2, 5))
    found = read(tmp_path / "set")
    assert [e.id for e in found] == ["run-0", "run-2"]
    for view, first in (("front", 2000), ("wrist", 2500)):
        frames = found[1].views[view].frames
        assert [number_of(f) for f in frames.at(frames.clock())] == list(range(first, first + 5))


def test_a_dataset_that_was_not_finished_is_none(tmp_path):
    def interrupted():
        yield lean_episode()
        raise KeyError

    with pytest.raises(KeyError):
        write_lerobot(tmp_path / "set", interrupted(), fps=FPS)
    assert (tmp_path / "set/data").is_dir()
    assert not LeRobot().sniff(tmp_path / "set")


def test_a_closed_dataset_takes_no_more(tmp_path):
    writer = LeRobotWriter(tmp_path / "set", fps=FPS)
    writer.add(lean_episode())
    writer.close()
    writer.close()  # closing twice does nothing
    with pytest.raises(UsageError, match="is closed"):
        writer.add(lean_episode())


def test_fields_of_a_changed_dataset_are_refused(tmp_path, written):
    """Our table belongs to the episodes it was written with: their lengths must agree."""
    root = tmp_path / "set"
    write_lerobot(root, made(), fps=FPS)
    file = root / "meta/assay_episodes.parquet"
    table = pq.read_table(file)
    lengths = table.schema.get_field_index("length")
    pq.write_table(table.set_column(lengths, "length", [[4, 10, 7]]), file)
    with pytest.raises(InputError, match=r"has 4 frames here and 10 in .* Remove this file"):
        read(root)


def test_a_dataset_is_claimed_by_one_format(written):
    assert format_of(written) == "lerobot"


@pytest.mark.parametrize("codec", ["h264", "av1"])
def test_an_encoder_leaves_no_thread_of_a_higher_priority(tmp_path, codec):
    # As root, opening SVT-AV1 by itself makes its threads and the one that opens it SCHED_FIFO 99.
    encoder = Encoder(tmp_path / "a.mp4", Fraction(10), CODECS[codec], (64, 64))
    encoder.add(np.zeros((64, 64, 3), np.uint8), first=True)
    threads = [0, *(int(path.name) for path in Path("/proc/self/task").iterdir())]
    policies = {os.sched_getscheduler(thread) for thread in threads}
    assert not policies & {os.SCHED_FIFO, os.SCHED_RR}  # Mesa has threads below the usual ones
    encoder.close()
    assert os.sched_getscheduler(0) == os.SCHED_OTHER
