"""Progress files of lerobot: clock, ids and tasks are the dataset's."""

from __future__ import annotations

import json
import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.episodes.formats.lerobot_progress import LeRobotProgress
from assay.errors import InputError
from assay.records import Unreadable

INFO = {"codebase_version": "v3.0", "fps": 10, "features": {}}


@pytest.fixture
def dataset(tmp_path):
    """Return the folder of a dataset with two episodes of one task each."""
    folder = tmp_path / "kitchen"
    (folder / "meta/episodes/chunk-000").mkdir(parents=True)
    (folder / "meta/info.json").write_text(json.dumps(INFO))
    table = pa.table({"episode_index": [0, 1], "tasks": [["Pick the cup"], []], "length": [3, 2]})
    pq.write_table(table, folder / "meta/episodes/chunk-000/file-000.parquet")
    return folder


def write(folder, name="sarm_progress.parquet", metadata=None, **columns):
    path = folder / name
    table = pa.table({"index": list(range(len(columns["frame_index"]))), **columns})
    pq.write_table(table.replace_schema_metadata(metadata), path)
    return path


def read(path):
    return list(LeRobotProgress().read(path))


def fault(path):
    with pytest.raises(InputError) as caught:
        read(path)
    return str(caught.value)


def test_times_ids_and_tasks_come_from_the_dataset(dataset):
    path = write(
        dataset,
        metadata={"reward_model_path": "models/sarm"},
        episode_index=[1, 1, 0, 0, 0],
        frame_index=[0, 1, 0, 1, 2],
        progress_sparse=pa.array([0.5, 0.5, 0.0, math.nan, 1.0], pa.float32()),
        progress_dense=pa.array([0.25, 0.75, 0.0, 0.5, None], pa.float32()),
    )
    one, zero = read(path)
    assert (one.id, one.task, one.instruction) == ("episode_000001", "kitchen", "")
    assert (zero.id, zero.task, zero.instruction) == (
        "episode_000000",
        "pick-the-cup",
        "Pick the cup",
    )
    # 10 frames a second
    np.testing.assert_array_equal(zero.signals["progress"].times, np.array([0, 1, 2]) / 10)
    np.testing.assert_array_equal(zero.signals["progress"].values, [0.0, 0.5, math.nan])
    np.testing.assert_array_equal(zero.signals["progress_sparse"].values, [0.0, math.nan, 1.0])
    assert zero.signals["progress_dense"] is zero.signals["progress"]
    assert zero.signals["progress"].values.dtype == np.float64
    assert zero.extra == {"reward_model_path": "models/sarm"}


def test_sparse_is_taken_when_no_dense_value_is_there(dataset):
    path = write(
        dataset,
        episode_index=[0],
        frame_index=[0],
        progress_sparse=[0.5],
        progress_dense=[math.nan],
    )
    (episode,) = read(path)
    assert episode.signals["progress"].values.tolist() == [0.5]


def test_one_choice_holds_for_the_whole_file(dataset):
    """An episode without a dense score is unscored: sparse scores are on another scale."""
    path = write(
        dataset,
        episode_index=[0, 1],
        frame_index=[0, 0],
        progress_sparse=[0.5, 0.5],
        progress_dense=[math.nan, 0.1],
    )
    zero, _ = read(path)
    assert math.isnan(zero.signals["progress"].values[0])


def test_older_datasets_list_their_episodes_in_json_lines(tmp_path):
    (tmp_path / "meta").mkdir()
    (tmp_path / "meta/info.json").write_text(json.dumps(INFO | {"codebase_version": "v2.1"}))
    (tmp_path / "meta/episodes.jsonl").write_text('{"episode_index": 0, "tasks": ["Push it"]}\n')
    path = write(tmp_path, episode_index=[0], frame_index=[0], progress_sparse=[0.5])
    assert read(path)[0].task == "push-it"


@pytest.mark.parametrize(
    ("frames", "words"),
    [
        ([0, 2, 1], "the frame 1 does not come after the frame 2."),
        ([0, 0, 1], "the frame 0 does not come after the frame 0."),
        ([-1, 0, 1], "the frame number -1 is below 0."),
    ],
)
def test_faulty_frame_numbers_spoil_one_episode_only(dataset, frames, words):
    path = write(
        dataset, episode_index=[0, 0, 0, 1], frame_index=[*frames, 0], progress_dense=[0.5] * 4
    )
    bad, good = read(path)
    assert bad == Unreadable(
        "episode_000000",
        f"{path}, episode 0: {words}",
        "pick-the-cup",
        status="invalid_value",
        source=str(path),
    )
    assert good.id == "episode_000001"


def test_a_file_outside_a_dataset_has_no_clock(tmp_path):
    path = write(tmp_path, episode_index=[0], frame_index=[0], progress_sparse=[0.5])
    assert fault(path) == (
        f"{path}: the frame rate is not known, because no folder above has a meta/info.json; "
        "put the file into the folder of its LeRobot dataset."
    )


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (
            {"episode_index": [0], "frame_index": [0], "progress": [0.5]},
            (
                "neither the column 'progress_dense' nor 'progress_sparse' is there. "
                "Columns found: index, episode_index, frame_index, progress."
            ),
        ),
        (
            {"episode": [0], "frame_index": [0], "progress_dense": [0.5]},
            (
                "the column 'episode_index' is missing. Nearest: 'episode'. "
                "Columns found: index, episode, frame_index, progress_dense."
            ),
        ),
        (
            {"episode_index": ["x"], "frame_index": [0], "progress_dense": [0.5]},
            "the column 'episode_index' does not hold numbers.",
        ),
        (
            {"episode_index": [0], "frame_index": [0], "progress_dense": ["high"]},
            "the column 'progress_dense' does not hold numbers.",
        ),
        (
            {"episode_index": [0, None], "frame_index": [0, 1], "progress_dense": [0.5, 0.5]},
            "the column 'episode_index' has empty cells: 1.",
        ),
        (
            {
                "episode_index": pa.array([], pa.int64()),
                "frame_index": pa.array([], pa.int64()),
                "progress_dense": pa.array([], pa.float32()),
            },
            "has no rows.",
        ),
    ],
)
def test_a_faulty_file_is_refused(dataset, columns, words):
    path = write(dataset, **columns)
    assert fault(path) == f"{path}: {words}"


def test_a_file_that_is_not_parquet_is_refused(dataset):
    path = dataset / "sarm_progress.parquet"
    path.write_text("not parquet")
    assert fault(path).startswith(f"{path}: this is not a readable parquet file")
