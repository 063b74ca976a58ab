"""RLDS datasets: tfrecord files read without TensorFlow."""

import json
import logging
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.episodes.formats.rlds import Rlds
from assay.episodes.rlds.crc32c import crc32c
from assay.episodes.rlds.example import features
from assay.errors import EpisodeError, InputError, UnsafePathError
from assay.records import Unreadable
from clips import number_of
from lerobot_sets import png
from rlds_made import crc32c as slow_crc32c
from rlds_made import declared, example, framed, masked, write_rlds

LAYOUT = {
    "episode_metadata/file_path": "text",
    "episode_metadata/success": ("bool",),
    "steps/action": ("float32", 2),
    "steps/discount": ("float32",),
    "steps/is_first": ("bool",),
    "steps/language_embedding": ("float32", 512),
    "steps/language_instruction": "text",
    "steps/observation/depth": "uint16",
    "steps/observation/gripper_state": ("int64", 1),
    "steps/observation/image": "uint8",
    "steps/observation/touch": ("bool",),
    "steps/reward": ("float32",),
}


def episode(count=3, first=0, **changes):
    made = {
        "episode_metadata/file_path": [b"/a/b"],
        "episode_metadata/success": np.array([1]),
        "steps/action": np.arange(2.0 * count, dtype=np.float32).reshape(count, 2),
        "steps/discount": np.ones(count, np.float32),
        "steps/is_first": np.arange(count) == 0,
        "steps/language_embedding": np.zeros((count, 512), np.float32),
        "steps/language_instruction": [b"Push the block"] * count,
        "steps/observation/depth": [png(n) for n in range(count)],
        "steps/observation/gripper_state": np.arange(count) - 1,
        "steps/observation/image": [png(first + n) for n in range(count)],
        "steps/observation/touch": np.arange(count) > 0,
        "steps/reward": np.zeros(count, np.float32),
    }
    return made | changes


def shard(folder):
    return next(folder.glob("*.tfrecord*"))


def read(folder):
    return list(Rlds().read(folder))


@pytest.fixture
def made(tmp_path):
    episodes = [episode(3), episode(5, first=3)]
    return write_rlds(tmp_path / "set", LAYOUT, episodes, name="viola")


def test_every_field_comes_from_its_place(made):
    first, second = read(made)
    assert (first.id, second.id) == ("train_000000", "train_000001")
    assert (first.task, first.instruction) == ("push-the-block", "Push the block")
    assert (first.outcome, first.source) == (True, str(shard(made)))
    assert sorted(first.signals) == ["action", "gripper_state", "reward", "touch"]
    np.testing.assert_array_equal(second.signals["action"].values, np.arange(10).reshape(5, 2))
    np.testing.assert_array_equal(first.signals["gripper_state"].values, [[-1], [0], [1]])
    assert first.signals["touch"].values.tolist() == [False, True, True]
    assert first.extra["unread"] == ["steps/language_embedding", "steps/observation/depth"]
    assert first.extra["file_path"] == "/a/b"
    # VIOLA was recorded at 20 steps a second.
    np.testing.assert_allclose(second.signals["reward"].times, [0, 0.05, 0.1, 0.15, 0.2])


def test_pictures_are_read_from_the_middle_of_the_file(made):
    frames = read(made)[1].views["image"].frames
    assert [number_of(picture) for picture in frames.at(frames.clock())] == [3, 4, 5, 6, 7]
    assert str(shard(made)) in frames.key()
    shard(made).write_bytes(shard(made).read_bytes()[:200])
    with pytest.raises(EpisodeError, match="image"):
        list(frames.at(frames.clock()))


def test_the_state_of_bridge_is_a_pose_in_the_base_frame(tmp_path):
    # A quarter turn about z: w = z = cos 45 deg. The gripper's 1.02 is read as open.
    state = np.array([[0.1, 0.2, 0.3, 0, 0, np.pi / 2, 1.02]], np.float32)
    layout = {"steps/observation/state": ("float32", 7)}
    folder = write_rlds(
        tmp_path, layout, [{"steps/observation/state": state}], name="bridge_dataset"
    )
    (found,) = read(folder)
    np.testing.assert_allclose(found.signals["ee_position"].values, [[0.1, 0.2, 0.3]], atol=1e-7)
    half = np.sqrt(0.5)
    np.testing.assert_allclose(found.signals["ee_rotation"].values, [[half, 0, 0, half]], atol=1e-6)
    assert found.signals["gripper_opening"].values.tolist() == [1.0]


def test_the_gripper_of_droid_is_open_at_zero(tmp_path):
    layout = {
        "steps/observation/cartesian_position": ("float64", 6),
        "steps/observation/gripper_position": ("float64", 1),
        "steps/observation/joint_position": ("float64", 7),
    }
    made = {
        "steps/observation/cartesian_position": np.array([[0.5, 0, 0.25, 0, 0, 0]]),
        "steps/observation/gripper_position": np.array([[0.25]]),
        "steps/observation/joint_position": np.arange(7.0)[None],
    }
    (found,) = read(write_rlds(tmp_path, layout, [made], name="droid_100"))
    assert found.signals["gripper_opening"].values.tolist() == [0.75]
    assert found.signals["ee_position"].values.tolist() == [[0.5, 0, 0.25]]
    assert found.signals["ee_rotation"].values.tolist() == [[1, 0, 0, 0]]
    assert found.signals["joint_position"].values.tolist() == [list(range(7))]


def test_a_rate_that_nobody_tells_is_assumed_aloud(tmp_path, caplog):
    folder = write_rlds(tmp_path / "set", LAYOUT, [episode()])
    with caplog.at_level(logging.WARNING, logger="assay"):
        assert read(folder)[0].signals["reward"].times.tolist() == [0, 0.1, 0.2]
    assert "10 a second are assumed" in caplog.text
    caplog.clear()
    (folder / "assay_rate.json").write_text('{"fps": 4}')
    assert read(folder)[0].signals["reward"].times.tolist() == [0, 0.25, 0.5]
    assert not caplog.messages
    for text in ('{"fps": 0}', '{"fps": true}', "[4]", '{"fps": 1e9}'):
        (folder / "assay_rate.json").write_text(text)
        with pytest.raises(InputError, match=r"assay_rate\.json: must hold an object with 'fps'"):
            read(folder)


def test_a_record_that_was_changed_spoils_its_episode(made):
    data = bytearray(shard(made).read_bytes())
    data[200] ^= 1
    shard(made).write_bytes(data)
    bad, good = read(made)
    assert (type(bad), good.id) == (Unreadable, "train_000001")
    assert bad.detail.endswith("train_000000: the bytes of the record don't fit their checksum.")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (framed(b"")[:7], "the file ends within the length of a record"),
        (framed(b"abc")[:-2], "the file ends 2 bytes before the record does"),
        (b"\xff" * 64, "the length of the record doesn't fit its checksum"),
    ],
)
def test_a_length_that_cannot_be_trusted_ends_the_file(made, data, words):
    shard(made).write_bytes(shard(made).read_bytes() + data)
    *good, bad = read(made)
    assert (len(good), bad.id, words in bad.detail) == (2, "train_000002", True)


def test_a_length_beyond_the_file_is_refused_before_it_is_read(made):
    length = struct.pack("<Q", 1 << 60)
    checksum = framed(b"")[8:12]  # of another length
    shard(made).write_bytes(length + checksum)
    assert "doesn't fit its checksum" in read(made)[0].detail
    shard(made).write_bytes(length + masked(length) + bytes(100))
    assert "bytes before the record does" in read(made)[0].detail


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"steps/action": np.zeros(5, np.float32)}, "steps/action has 5 numbers for 3 steps of 2"),
        ({"steps/action": [b"x"]}, "holds bytes where numbers are due"),
        ({"steps/language_instruction": np.zeros(3)}, "holds numbers where bytes are due"),
    ],
)
def test_lists_that_do_not_fit_spoil_their_episode(tmp_path, changes, words):
    folder = write_rlds(tmp_path, LAYOUT, [episode(**changes), episode()], name="viola")
    bad, good = read(folder)
    assert (type(bad), bad.status, good.id) == (Unreadable, "invalid_value", "train_000001")
    assert words in bad.detail


def test_bytes_that_are_no_example_spoil_their_episode(made):
    for payload in (b"\x0a\xff\xff\xff\xff\x0f", b"\xff" * 20, b"\x0b", b""):
        shard(made).write_bytes(framed(payload))
        (bad,) = read(made)
        assert isinstance(bad, Unreadable)
        assert bad.status == "invalid_value"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is not JSON"),
        ("[]", "is not described by an object"),
        ('{"featuresDict": 5}', "'featuresDict' of the feature '' must be an object"),
        (declared({"steps/a": ("float32", -5)}), "has the shape"),
        (json.dumps({"featuresDict": {"features": {"a": {"text": {}}}}}), "declares no steps"),
    ],
)
def test_a_layout_that_makes_no_sense_is_refused(made, text, words):
    (made / "features.json").write_text(text)
    with pytest.raises(InputError, match=rf"features\.json: .*{words}"):
        read(made)


def test_files_behind_links_that_lead_out_are_not_read(made, tmp_path):
    outside = tmp_path / "secret"
    shard(made).rename(outside)
    (made / "demo-train.tfrecord-00000-of-00001").symlink_to(outside)
    with pytest.raises(UnsafePathError, match="leads out"):
        read(made)


def test_a_folder_in_the_place_of_a_file_is_refused(made):
    name = shard(made)
    name.unlink()
    name.mkdir()
    with pytest.raises(InputError, match="is not a file"):
        read(made)


def test_array_records_are_named_as_not_read(tmp_path):
    made = write_rlds(tmp_path / "1.0.0", LAYOUT, [episode()], name="demo")
    shard(made).rename(made / "demo-train.array_record-00000-of-00001")
    assert Rlds().sniff(made)
    with pytest.raises(
        InputError, match=r"holds \.array_record files, which are not read"
    ) as caught:
        list(Rlds().read(made))
    assert str(made) in str(caught.value)


@given(st.binary(max_size=1200))
def test_checksums_are_those_of_the_plain_loop(data):
    assert crc32c(data) == slow_crc32c(data)


def test_checksums_of_the_standard():
    # RFC 3720, B.4: 32 bytes of zeros, of ones, and 0, 1, ... 31.
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E


@given(st.binary(max_size=200))
def test_any_bytes_are_an_example_or_a_value_error(data):
    try:
        read = [
            feature.texts(data) if feature.kind == "bytes" else feature.numbers(data)
            for feature in features(data).values()
        ]
    except ValueError:
        read = []
    # A value takes at least one byte of the message that it was read from.
    assert sum(map(len, read)) <= len(data)


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=20))
def test_whole_numbers_come_back(values):
    data = example({"a": np.array(values, np.int64)})
    assert features(data)["a"].numbers(data).tolist() == values
