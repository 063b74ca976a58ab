"""Reading LeRobot datasets that were written by hand, in every layout and with every deviation."""

import json
import pickle
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.episodes.base import Format
from assay.episodes.formats.lerobot import LeRobot
from assay.episodes.lerobot.reading import data as reading
from clips import number_of
from lerobot_sets import (
    FPS,
    LENGTHS,
    TASKS,
    edit_info,
    first_number,
    get_rows,
    set_rows,
    state,
    write_v21,
    write_v30,
)


@pytest.fixture(params=["v2.0", "v2.1", "v3.0"])
def dataset(request, tmp_path):
    if request.param == "v3.0":
        return write_v30(tmp_path / "set")
    return write_v21(tmp_path / "set", version=request.param)


def read(root):
    return list(LeRobot().read(root))


def shown(view, times=None):
    """Return the numbers of the frames that a view shows."""
    frames = view.frames
    return [number_of(frame) for frame in frames.at(frames.clock() if times is None else times)]


def test_it_keeps_the_contract(tmp_path):
    assert isinstance(LeRobot(), Format)
    assert LeRobot().sniff(write_v21(tmp_path / "set", videos=False))
    assert not LeRobot().sniff(tmp_path)
    assert not LeRobot().sniff(tmp_path / "nowhere")


def test_every_version_gives_the_same_episodes(dataset):
    found = read(dataset)
    assert [e.id for e in found] == ["episode_000000", "episode_000001", "episode_000002"]
    assert [e.instruction for e in found] == [TASKS[0], TASKS[1], TASKS[0]]
    assert [e.task for e in found] == [
        "pick-up-the-red-block",
        "open-the-drawer",
        "pick-up-the-red-block",
    ]
    assert {e.source for e in found} == {str(dataset)}
    for number, episode in enumerate(found):
        times = np.arange(LENGTHS[number]) / FPS  # exact, though the file has float32
        assert set(episode.signals) == {"state", "action", "next.reward"}
        for series in episode.signals.values():
            np.testing.assert_array_equal(series.times, times)
        np.testing.assert_array_equal(episode.signals["state"].values, state(number))
        np.testing.assert_array_equal(episode.signals["action"].values, -state(number))
        assert episode.signals["next.reward"].values.shape == times.shape


def test_every_episode_gets_its_own_frames(dataset):
    for number, episode in enumerate(read(dataset)):
        first, count = first_number(number), LENGTHS[number]
        clock = episode.views["top"].frames.clock()
        np.testing.assert_allclose(clock, np.arange(count) / FPS, atol=1e-9)
        assert shown(episode.views["top"]) == list(range(first, first + count))
        # Between two frames the earlier one is on show; after the last it holds.
        assert shown(episode.views["top"], np.array([0.15, 99.0])) == [first + 1, first + count - 1]


def test_a_reward_is_not_success(dataset):
    assert {e.outcome for e in read(dataset)} == {None}


def test_episodes_can_be_sent_to_another_process(dataset):
    found = pickle.loads(pickle.dumps(read(dataset)))
    assert shown(found[1].views["top"]) == list(range(6, 15))


def test_row_groups_may_hold_many_episodes(tmp_path):
    found = read(write_v30(tmp_path / "set", videos=False, groups="one"))
    for number, episode in enumerate(found):
        np.testing.assert_array_equal(episode.signals["state"].values, state(number))


def test_an_episode_may_span_row_groups(tmp_path):
    root = write_v30(tmp_path / "set", videos=False)
    path = root / "data/chunk-000/file-000.parquet"
    pq.write_table(pq.read_table(path), path, row_group_size=4)
    for number, episode in enumerate(read(root)):
        np.testing.assert_array_equal(episode.signals["state"].values, state(number))


def test_the_tag_may_say_v30_over_files_of_v21(tmp_path):
    root = write_v21(tmp_path / "set", version="v3.0")
    assert [shown(e.views["top"])[0] for e in read(root)] == [0, 6, 15]


def test_templates_and_tag_may_be_missing(dataset):
    edit_info(dataset, data_path=None, video_path=None, codebase_version=None)
    assert [shown(e.views["top"])[0] for e in read(dataset)] == [0, 6, 15]


def test_templates_of_info_json_are_followed(tmp_path):
    root = write_v21(tmp_path / "set")
    (root / "data").rename(root / "rows")
    (root / "videos").rename(root / "clips")
    edit_info(
        root,
        data_path="rows/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
        video_path="clips/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4",
    )
    assert [shown(e.views["top"])[0] for e in read(root)] == [0, 6, 15]


def test_chunks_of_v21_follow_from_chunks_size(tmp_path):
    root = write_v21(tmp_path / "set", videos=False)
    edit_info(root, chunks_size=2)
    (root / "data/chunk-001").mkdir()
    name = "episode_000002.parquet"
    (root / "data/chunk-000" / name).rename(root / "data/chunk-001" / name)
    np.testing.assert_array_equal(read(root)[2].signals["state"].values, state(2))


@pytest.mark.parametrize(
    "names",
    [
        None,
        ["x", "y", "z"],
        [["x", "y", "z"]],
        {"motors": ["x", "y", "z"]},
        {"x": 0, "y": 1, "z": 2},
    ],
)
def test_names_may_be_nested(tmp_path, names):
    root = write_v21(tmp_path / "set", videos=False)
    features = edit_info(root)["features"]
    features["action"]["names"] = names
    edit_info(root, features=features)
    assert read(root)[0].extra["names"].get("action") == (("x", "y", "z") if names else None)


@pytest.mark.parametrize("key", ["info", "video_info"])
def test_depth_is_no_view(tmp_path, key):
    root = write_v21(tmp_path / "set")
    features = edit_info(root)["features"]
    top = features["observation.images.top"]
    del top["info"]
    features["observation.images.depth"] = top | {key: {"video.is_depth_map": True}}
    top["shape"] = [3, 48, 64]  # channels first, as older files have it
    edit_info(root, features=features)
    episode = read(root)[0]
    assert set(episode.views) == {"top"}
    assert episode.extra["depth_views"] == ["observation.images.depth"]


def test_views_with_one_short_name_keep_their_long_ones(tmp_path):
    root = write_v21(tmp_path / "set")
    features = edit_info(root)["features"]
    features["observation.top"] = features["observation.images.top"]
    edit_info(root, features=features)
    key = "observation.images.top"
    folder = root / "videos/chunk-000"
    (folder / "observation.top").mkdir()
    for file in (folder / key).iterdir():
        (folder / "observation.top" / file.name).write_bytes(file.read_bytes())
    assert set(read(root)[0].views) == {key, "observation.top"}


@pytest.mark.parametrize("column", ["__index_level_0__", "task", "words"])
@pytest.mark.parametrize("noted", [True, False])
def test_task_texts_are_found_in_any_column(tmp_path, column, noted):
    root = write_v30(tmp_path / "set", videos=False)
    # Out of order, so that the index column must be looked at.
    table = pa.table({"task_index": pa.array([1, 0]), column: pa.array(TASKS[::-1])})
    note = {"index_columns": [column] if noted else [{"kind": "range"}]}
    meta = {b"pandas": json.dumps(note).encode()}
    pq.write_table(table.replace_schema_metadata(meta), root / "meta/tasks.parquet")
    set_rows(root, [{k: v for k, v in row.items() if k != "tasks"} for row in get_rows(root)])
    assert [e.instruction for e in read(root)] == [TASKS[0], TASKS[1], TASKS[0]]


def test_a_dataset_without_any_task_text_is_read(tmp_path):
    root = write_v21(tmp_path / "set", videos=False)
    (root / "meta/tasks.jsonl").unlink()
    lines = [{"episode_index": i} for i in range(3)]
    (root / "meta/episodes.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    found = read(root)
    assert {e.instruction for e in found} == {""}
    assert len({e.task for e in found}) == 1
    assert found[0].task


def test_a_clock_of_its_own_is_kept(tmp_path):
    """Timestamps that are not k / fps within 1 ms are the recording's own clock."""
    real = np.array([0.0, 0.13, 0.2, 0.3, 0.4, 0.5])

    def extra(episode):
        return {"timestamp": pa.array(real)} if episode == 0 else {}

    found = read(write_v21(tmp_path / "set", videos=False, extra=extra))
    np.testing.assert_array_equal(found[0].signals["state"].times, real)
    np.testing.assert_array_equal(found[1].signals["state"].times, np.arange(9) / 10)


def test_columns_keep_their_kind(tmp_path):
    def extra(episode):
        n = LENGTHS[episode]
        return {
            "assay.phase": pa.array(["approach"] * n),
            "assay.contact": pa.array([True] * n),
            "observation.single": pa.array([[0.5]] * n),
            "matrix": pa.array([[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]] * n),
            "when": pa.array([None] * n, pa.timestamp("s")),
        }

    root = write_v21(tmp_path / "set", videos=False, extra=extra)
    features = edit_info(root)["features"]
    features["observation.single"] = {"dtype": "float32", "shape": [1], "names": None}
    edit_info(root, features=features)
    found = read(root)[0]
    assert found.signals["phase"].values.tolist() == ["approach"] * 6
    assert found.signals["contact"].values.dtype == np.bool_
    assert found.signals["observation.single"].values.shape == (6,)
    np.testing.assert_array_equal(found.signals["matrix"].values[5], [[1, 2], [3, 4], [5, 6]])
    assert found.extra["unread"] == ["when"]


def test_an_action_of_one_number_is_still_a_vector(tmp_path):
    def extra(episode):
        return {"action": pa.array(np.ones(LENGTHS[episode]))}

    root = write_v21(tmp_path / "set", videos=False, extra=extra)
    assert read(root)[0].signals["action"].values.shape == (6, 1)


@given(
    lengths=st.lists(st.integers(1, 9), min_size=1, max_size=12),
    group=st.integers(1, 12),
    ahead=st.integers(0, 30),
    data=st.data(),
)
def test_row_groups_of_any_size_give_each_episode_its_rows(lengths, group, ahead, data):
    index = np.repeat(np.arange(len(lengths)), lengths)
    rows = np.arange(len(index))
    order = data.draw(st.lists(st.integers(0, len(lengths) - 1), max_size=12))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_AHEAD", ahead)
        path = Path(folder) / "file.parquet"
        table = pa.table({"episode_index": index, "row": rows, "heavy": rows})
        pq.write_table(table, path, row_group_size=group)
        files = reading.DataFiles(heavy=frozenset({"heavy"}))
        for episode in order:
            found = files.rows(path, episode)
            assert found.table.column_names == ["episode_index", "row"]
            assert found.table["row"].to_pylist() == rows[index == episode].tolist()
            assert (found.start, found.stop) == (
                found.table["row"][0].as_py(),
                found.start + lengths[episode],
            )
        files.close()


def test_memory_holds_one_episode_at_a_time(tmp_path):
    width, count, episodes = 64, 1000, 12
    size = width * count * 8  # bytes of one episode's state

    def table(number):
        values = pa.array(np.full(width * count, float(number)))
        return pa.table(
            {
                "observation.state": pa.FixedSizeListArray.from_arrays(values, width),
                "frame_index": np.arange(count),
                "episode_index": np.full(count, number),
            }
        )

    root = write_v30(tmp_path / "set", videos=False)
    features = edit_info(root)["features"]
    edit_info(root, features={"observation.state": features["observation.state"]})
    with pq.ParquetWriter(root / "data/chunk-000/file-000.parquet", table(0).schema) as writer:
        for number in range(episodes):
            writer.write_table(table(number))
    row = get_rows(root)[0]
    set_rows(root, [row | {"episode_index": number} for number in range(episodes)])

    before, held = pa.total_allocated_bytes(), []
    for number, episode in enumerate(LeRobot().read(root)):
        held.append(pa.total_allocated_bytes() - before)
        assert episode.signals["state"].values[0, 0] == number
        del episode
    assert len(held) == episodes
    assert max(held) < 3 * size  # of 12 in the file
