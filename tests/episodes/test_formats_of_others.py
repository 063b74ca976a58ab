"""Formats of others: what each field becomes, and what is said of files that can't be true."""

import json
import sqlite3
import struct
from contextlib import closing

import numpy as np
import pytest

from assay.episodes.formats.gif import Gif
from assay.episodes.formats.lerobot_eval import LeRobotEval
from assay.episodes.formats.mcap import Mcap
from assay.episodes.formats.vla_eval import VlaEval
from assay.episodes.formats.zarr_buffer import ZarrBuffer
from assay.episodes.zarr_groups import codecs
from assay.episodes.zarr_groups import stores as zarr_stores
from assay.errors import InputError, MissingExtraError
from assay.records import Episode, Unreadable
from clips import number_of
from formats_made import (
    Made,
    bomb,
    write_eval_info,
    write_foxglove,
    write_gif,
    write_ros2,
    write_vla_eval,
    write_zarr,
)

TWO = [Made.counting(3), Made.counting(4, first=3)]


def numbers(episode, view):
    frames = episode.views[view].frames
    return [number_of(picture) for picture in frames.at(frames.clock())]


def fault(reader, path):
    with pytest.raises(InputError) as caught:
        list(reader.read(path))
    return str(caught.value)


# Zarr


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("chunk", [1, 2, 100])
def test_zarr_episodes_are_cut_where_they_end(tmp_path, zipped, chunk):
    path = write_zarr(
        tmp_path / ("b.zarr.zip" if zipped else "b.zarr"), TWO, zipped=zipped, chunk=chunk
    )
    first, second = ZarrBuffer().read(path)
    assert (first.id, second.id, second.task) == ("episode_000000", "episode_000001", "b")
    assert (numbers(first, "img"), numbers(second, "img")) == ([0, 1, 2], [3, 4, 5, 6])
    np.testing.assert_array_equal(second.signals["action"].values, TWO[1].traces["action"])
    np.testing.assert_allclose(second.signals["action"].times, [0, 0.1, 0.2, 0.3])


@pytest.mark.parametrize("kind", ["gzip", "zlib", "zstd", "lz4", "blosc", None])
def test_zarr_chunks_of_every_coding_are_unpacked(tmp_path, kind):
    import numcodecs

    made = {"gzip": "GZip", "zlib": "Zlib", "zstd": "Zstd", "lz4": "LZ4", "blosc": "Blosc"}
    coder = None if kind is None else getattr(numcodecs, made[kind])()
    path = write_zarr(tmp_path / "b.zarr", TWO, compressors=coder)
    about = json.loads((path / "data/img/.zarray").read_text())
    assert (about["compressor"] or {"id": None})["id"] == kind
    assert numbers(list(ZarrBuffer().read(path))[1], "img") == [3, 4, 5, 6]


def test_zarr_pictures_may_be_floats_or_have_their_channels_first(tmp_path):
    plain = Made.counting(3)
    turned = Made(np.moveaxis(plain.frames, -1, 1).astype(np.float32), plain.traces)
    (found,) = ZarrBuffer().read(write_zarr(tmp_path / "b.zarr", [turned]))
    assert numbers(found, "img") == [0, 1, 2]
    unit = Made(plain.frames / 255, plain.traces)
    (found,) = ZarrBuffer().read(write_zarr(tmp_path / "c.zarr", [unit]))
    assert not found.views
    assert "img (of shape (3, 48, 64, 3))" in found.extra["unread"]


def test_zarr_chunks_that_are_not_stored_hold_the_fill_value(tmp_path):
    path = write_zarr(tmp_path / "b.zarr", TWO)
    (path / "data/action/0.0").unlink()
    first = next(ZarrBuffer().read(path))
    assert first.signals["action"].values[:2].tolist() == [[0, 0], [0, 0]]


def edit(path, **changes):
    about = json.loads(path.read_text())
    path.write_text(json.dumps(about | changes))


@pytest.mark.parametrize(
    ("array", "changes", "words"),
    [
        ("meta/episode_ends", {"shape": [10**9]}, "claims 1000000000 episodes"),
        ("meta/episode_ends", {"shape": "x"}, "'shape' of meta/episode_ends is x"),
        ("meta/episode_ends", {"zarr_format": 3}, "Zarr format 3; 2 is due"),
        ("meta/episode_ends", {"dtype": "|O"}, "not numbers"),
        ("meta/episode_ends", {"dtype": "zzz"}, "holds 'zzz', not numbers"),
        ("meta/episode_ends", {"dtype": "<f3"}, "TypeError"),
        ("meta/episode_ends", {"dtype": "9" * 5000}, "not numbers"),  # numpy reads it as Python
        ("meta/episode_ends", {"chunks": [1 << 30]}, "chunks of more than"),
        ("meta/episode_ends", {"compressor": {"id": "evil"}}, "coding 'evil' is not known"),
        ("meta/episode_ends", {"filters": [{"id": "pickle"}]}, "has filters"),
    ],
)
def test_zarr_arrays_that_cannot_be_true_are_refused(tmp_path, array, changes, words):
    path = write_zarr(tmp_path / "b.zarr", TWO)
    edit(path / array / ".zarray", **changes)
    assert words in fault(ZarrBuffer(), path)


def test_zarr_faults_of_one_episode_spoil_that_episode(tmp_path):
    path = write_zarr(tmp_path / "b.zarr", TWO)
    chunk = path / "data/action/3.0"
    chunk.write_bytes(chunk.read_bytes()[:10])
    good, bad = ZarrBuffer().read(path)
    assert (type(good), bad.status) == (Episode, "invalid_value")
    edit(path / "data/action/.zarray", shape=[5, 2])
    assert (
        "data/action has 5 rows, the episode ends at 7" in list(ZarrBuffer().read(path))[1].detail
    )


def test_zarr_ends_must_increase(tmp_path):
    path = write_zarr(tmp_path / "b.zarr", TWO, chunk=2, compressors=None)
    (path / "meta/episode_ends/0").write_bytes(np.array([7, 3]).tobytes())
    assert "meta/episode_ends does not increase" in fault(ZarrBuffer(), path)


def test_zarr_links_that_lead_out_are_not_followed(tmp_path):
    path = write_zarr(tmp_path / "b.zarr", TWO)
    chunk = path / "data/action/0.0"
    chunk.rename(tmp_path / "secret")
    chunk.symlink_to(tmp_path / "secret")
    first = next(ZarrBuffer().read(path))
    assert isinstance(first, Unreadable)
    assert "leads out of the dataset's folder" in first.detail


def test_a_zip_bomb_is_not_expanded(tmp_path, monkeypatch):
    monkeypatch.setattr(zarr_stores, "MOST_BYTES", 1 << 20)
    path = bomb(tmp_path / "b.zarr.zip", "meta/episode_ends/.zarray", 1 << 21)
    assert "has more than 1048576 bytes" in fault(ZarrBuffer(), path)
    (tmp_path / "c.zarr.zip").write_bytes(b"PK\x03\x04 no zip")
    assert "is no zip file that can be read" in fault(ZarrBuffer(), tmp_path / "c.zarr.zip")


def test_a_chunk_gives_no_more_bytes_than_its_shape_allows():
    import zlib

    packed = zlib.compress(bytes(1 << 20))
    with pytest.raises(ValueError, match="a chunk has 11 bytes where 10 are due"):
        codecs.unpack(packed, {"id": "zlib"}, 10)


def test_jpeg_xl_asks_for_its_package(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"'imagecodecs': pip install 'assay\[umi\]'"):
        codecs.check_codec({"id": "imagecodecs_jpegxl"})
    with pytest.raises(MissingExtraError, match=r"pip install 'assay\[zarr\]'"):
        codecs.check_codec({"id": "blosc"})


# MCAP


@pytest.mark.parametrize("compression", ["none", "lz4", "zstd"])
def test_foxglove_pictures_are_read(tmp_path, compression):
    path = write_foxglove(tmp_path / "a.mcap", Made.counting(5), compression=compression)
    (found,) = Mcap().read(path)
    assert (found.id, list(found.views)) == ("a", ["camera.front"])
    assert numbers(found, "camera.front") == [0, 1, 2, 3, 4]
    times = found.views["camera.front"].frames.clock()
    np.testing.assert_allclose(times, np.arange(5) / 10, atol=1e-6)


def test_ros_2_joints_have_names_and_units(tmp_path):
    made = Made.counting(4, qpos=np.arange(12.0).reshape(4, 3), qvel=np.ones((4, 3)))
    (found,) = Mcap().read(write_ros2(tmp_path / "a.mcap", made))
    assert sorted(found.signals) == ["joint_position", "joint_velocity"]
    np.testing.assert_array_equal(found.signals["joint_position"].values, made.traces["qpos"])
    np.testing.assert_allclose(found.signals["joint_velocity"].times, [0, 0.1, 0.2, 0.3])
    assert found.extra["joint_names"] == ["joint0", "joint1", "joint2"]
    assert numbers(found, "front.image") == [0, 1, 2, 3]


def test_two_arms_keep_their_topics(tmp_path):
    made = Made.counting(2, qpos=np.zeros((2, 1)), qvel=np.zeros((2, 1)))
    path = write_ros2(tmp_path / "a.mcap", made, topics=("/left/joints", "/right/joints"))
    (found,) = Mcap().read(path)
    assert sorted(found.signals) == [
        *("left.joints.joint_position", "left.joints.joint_velocity"),
        *("right.joints.joint_position", "right.joints.joint_velocity"),
    ]


@pytest.mark.parametrize(
    ("edit_bytes", "words"),
    [
        (lambda data: b"nonsense" + data[8:], "does not begin as an MCAP file"),
        (lambda data: data[:200], "the file is cut off"),
        (lambda data: data[:9] + struct.pack("<Q", 1 << 60) + data[17:], "cut off within a record"),
    ],
)
def test_a_damaged_mcap_file_is_an_unreadable_episode(tmp_path, edit_bytes, words):
    path = write_foxglove(tmp_path / "a.mcap", Made.counting(3))
    write_foxglove(tmp_path / "b.mcap", Made.counting(3))
    path.write_bytes(edit_bytes(path.read_bytes()))
    bad, good = Mcap().read(tmp_path)
    assert (type(good), words in bad.detail) == (Episode, True)


def test_a_chunk_that_claims_gigabytes_is_refused(tmp_path):
    from assay.episodes.mcap_files.records import chunk_records

    def chunk(size, compression, packed):
        head = struct.pack("<QQQI", 0, 0, size, 0) + struct.pack("<I", len(compression))
        return head + compression + struct.pack("<Q", len(packed)) + packed

    with pytest.raises(ValueError, match="has 1099511627776 bytes; at most"):
        chunk_records(chunk(1 << 40, b"", b""))
    with pytest.raises(ValueError, match="unknown compression 'bz2'"):
        chunk_records(chunk(1, b"bz2", b"x"))
    import lz4.frame
    import zstandard

    large = bytes(1 << 20)
    with pytest.raises(ValueError, match="more than it says"):
        chunk_records(chunk(10, b"zstd", zstandard.compress(large)))
    packed = lz4.frame.compress(large)
    assert len(chunk_records(chunk(1 << 20, b"lz4", packed))) == 1 << 20
    assert len(chunk_records(chunk(10, b"lz4", packed))) == 10  # and no more was made of it


# lerobot-eval


def test_results_of_lerobot_eval_have_their_videos(tmp_path):
    folder = write_eval_info(tmp_path / "e", [*TWO, TWO[0]], successes=[True, False, 0], kept=2)
    first, second, third = LeRobotEval().read(folder)
    assert [e.outcome for e in (first, second, third)] == [True, False, False]
    assert (first.id, first.task) == ("libero-goal-3_0000", "libero-goal-3")
    assert numbers(second, "main") == [3, 4, 5, 6]
    assert not third.views
    assert first.extra == {"sum_rewards": 1.0}


def test_older_results_of_lerobot_eval_are_read_too(tmp_path):
    rows = [{"episode_ix": 0, "sum_reward": 3.0, "success": True, "seed": 7}]
    (tmp_path / "eval_info.json").write_text(json.dumps({"per_episode": rows}))
    (found,) = LeRobotEval().read(tmp_path)
    assert (found.outcome, found.task, found.extra["seed"]) == (True, tmp_path.name, 7)


def test_a_video_that_is_not_below_the_folder_is_missing(tmp_path):
    folder = write_eval_info(tmp_path / "e", [TWO[0]])
    (tmp_path / "videos").mkdir()
    next(folder.rglob("*.mp4")).rename(tmp_path / "videos/x.mp4")
    edited = (folder / "eval_info.json").read_text().replace("eval_episode_0", "../../videos/x")
    (folder / "eval_info.json").write_text(edited)
    (bad,) = LeRobotEval().read(folder)
    assert isinstance(bad, Unreadable)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[]", "has neither a list 'per_task' nor 'per_episode'"),
        ('{"per_task": [5]}', "has no object 'metrics'"),
        ('{"per_task": [{"metrics": {}}]}', "has no list 'successes'"),
        ('{"per_task": [{"metrics": {"successes": ["x"]}}]}', "a success is 'x'"),
    ],
)
def test_odd_results_are_refused(tmp_path, content, words):
    (tmp_path / "eval_info.json").write_text(content)
    assert words in fault(LeRobotEval(), tmp_path)


# vla-eval


def test_a_recording_of_vla_eval_has_results_steps_and_videos(tmp_path):
    made = Made.counting(4, reward=np.arange(4.0), note=np.array(["a", "b", "c", "d"]))
    (found,) = VlaEval().read(write_vla_eval(tmp_path, [made]))
    assert (found.id, found.task, found.outcome) == ("s0/ep0", "pick-up-the-bowl", True)
    assert (found.instruction, found.policy, found.world) == (
        "pick up the bowl",
        "Pi0Server",
        "libero",
    )
    np.testing.assert_allclose(found.signals["action"].values, made.traces["action"])
    np.testing.assert_allclose(
        found.signals["reward"].times, [0, 0.1, 0.2, 0.3]
    )  # the video's rate
    assert found.signals["note"].values.tolist() == ["a", "b", "c", "d"]
    assert numbers(found, "main") == [0, 1, 2, 3]


def test_an_episode_that_the_harness_lost_is_unreadable(tmp_path):
    (found,) = VlaEval().read(write_vla_eval(tmp_path, [TWO[0]], status="error"))
    assert isinstance(found, Unreadable)
    assert "the harness failed (server_unreachable)" in found.detail


def test_a_database_is_never_written(tmp_path):
    path = write_vla_eval(tmp_path, TWO, videos=False)
    before, names = path.read_bytes(), sorted(tmp_path.iterdir())
    list(VlaEval().read(path))
    assert (path.read_bytes(), sorted(tmp_path.iterdir())) == (before, names)
    (tmp_path / "recording-ev1.sqlite-journal").write_bytes(b"x")
    assert "is being written" in fault(VlaEval(), path)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DROP TABLE step_rows", "the table 'step_rows' lacks eid, fields, sid, step_id"),
        ("ALTER TABLE episode_results DROP COLUMN status", "'episode_results' lacks status"),
        (
            "DROP TABLE step_rows; CREATE VIEW step_rows AS SELECT 1 AS sid",
            "the table 'step_rows' lacks",
        ),
    ],
)
def test_a_database_of_another_kind_is_refused(tmp_path, statement, words):
    path = write_vla_eval(tmp_path, TWO, videos=False)
    with closing(sqlite3.connect(path)) as base:
        base.executescript(statement)
    assert words in fault(VlaEval(), path)


@pytest.mark.parametrize("fields", ["5", "{", '{"a": [1, 2]}'])
def test_steps_that_do_not_fit_spoil_their_episode(tmp_path, fields):
    path = write_vla_eval(tmp_path, TWO, videos=False)
    with closing(sqlite3.connect(path)) as base:
        base.execute("UPDATE step_rows SET fields = ? WHERE eid = 'ep0' AND step_id = 1", (fields,))
        base.commit()
    first, second = VlaEval().read(path)
    assert isinstance(second, Episode)
    if fields.startswith('{"'):  # another field at one step has a clock of its own
        assert first.signals["a"].times.tolist() == [0.1]
    else:
        assert (type(first), first.status) == (Unreadable, "invalid_value")


# GIF


def test_a_gif_keeps_its_delays_and_its_greys(tmp_path):
    made = Made.counting(4)
    (found,) = Gif().read(write_gif(tmp_path / "pick/a.gif", made))
    assert (found.id, found.task) == ("a", "pick")
    frames = found.views["main"].frames
    np.testing.assert_allclose(frames.clock(), [0, 0.1, 0.2, 0.3], atol=1e-3)
    np.testing.assert_array_equal(np.stack(list(frames.at(frames.clock()))), made.frames)


def test_gifs_beside_videos_are_no_episodes(tmp_path):
    write_gif(tmp_path / "a.gif", TWO[0])
    assert Gif().sniff(tmp_path)
    (tmp_path / "b.mp4").write_bytes(b"x")
    assert not Gif().sniff(tmp_path)
    (tmp_path / "c.gif").write_bytes(b"GIF89a")
    (bad,) = Gif().read(tmp_path / "c.gif")
    assert isinstance(bad, Unreadable)
