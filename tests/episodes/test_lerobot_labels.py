"""Subtasks in their three forms, and success under its many names."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.episodes.formats.lerobot import LeRobot
from assay.records import Segment, Unreadable
from lerobot_sets import LENGTHS, get_rows, set_rows, write_v21, write_v30


def read(root):
    return list(LeRobot().read(root))


def write_subtasks(root, names):
    table = pa.table({"subtask_index": list(range(len(names))), "__index_level_0__": names})
    note = {b"pandas": json.dumps({"index_columns": ["__index_level_0__"]}).encode()}
    pq.write_table(table.replace_schema_metadata(note), root / "meta/subtasks.parquet")


def indexed(values):
    """Return more columns: the subtask of each frame of episode 0, none elsewhere."""

    def extra(episode):
        index = values if episode == 0 else [-1] * LENGTHS[episode]
        return {"subtask_index": pa.array(index)}

    return extra


def spoken(rows):
    """Return more columns: all language rows on every frame, as newer files have them."""
    kind = pa.struct(
        [
            ("role", pa.string()),
            ("content", pa.string()),
            ("style", pa.string()),
            ("timestamp", pa.float32()),
        ]
    )

    def extra(episode):
        cells = [
            {"role": "assistant", "content": text, "style": style, "timestamp": time}
            for text, style, time in (rows if episode == 0 else [])
        ]
        return {"language_persistent": pa.array([cells] * LENGTHS[episode], pa.list_(kind))}

    return extra


def test_subtask_of_each_frame(tmp_path):
    # 6 frames at 10 fps: frames 0-1 reach, 2-4 lift, 5 nothing, since -1 has no text.
    root = write_v30(tmp_path / "set", videos=False, extra=indexed([0, 0, 1, 1, 1, -1]))
    write_subtasks(root, ["reach", "lift"])
    found = read(root)
    assert found[0].segments == (Segment("reach", 0.0, 0.2), Segment("lift", 0.2, 0.5))
    assert found[1].segments == ()


def test_a_subtask_that_runs_to_the_end_ends_with_the_last_frame(tmp_path):
    root = write_v30(tmp_path / "set", videos=False, extra=indexed([1, 1, 1, 0, 1, 1]))
    write_subtasks(root, ["reach", "lift"])
    first = read(root)[0]
    # The last of 6 frames at 10 fps is shown at 0.5 s; "lift" is done twice.
    assert first.segments == (
        Segment("lift", 0.0, 0.3),
        Segment("reach", 0.3, 0.4),
        Segment("lift", 0.4, 0.5),
    )
    assert first.segments[-1].end_s == first.duration()


def test_a_subtask_of_the_last_frame_alone_has_no_length(tmp_path):
    root = write_v30(tmp_path / "set", videos=False, extra=indexed([0, 0, 0, 0, 0, 1]))
    write_subtasks(root, ["reach", "lift"])
    assert read(root)[0].segments == (Segment("reach", 0.0, 0.5), Segment("lift", 0.5, 0.5))


@pytest.mark.parametrize("prefix", ["sparse_", ""])
@pytest.mark.parametrize("unit", ["times", "frames"])
def test_lists_in_the_episode_table(tmp_path, prefix, unit):
    root = write_v30(tmp_path / "set", videos=False)
    rows = get_rows(root)
    scale = 1 if unit == "times" else 10
    for row in rows:
        row[f"{prefix}subtask_names"] = ["reach", "lift"] if row["episode_index"] == 0 else None
        row[f"{prefix}subtask_start_{unit}"] = [0.0 * scale, 0.2 * scale]
        row[f"{prefix}subtask_end_{unit}"] = [0.2 * scale, 0.5 * scale]
    set_rows(root, rows)
    found = read(root)
    assert found[0].segments == (Segment("reach", 0.0, 0.2), Segment("lift", 0.2, 0.5))
    assert found[1].segments == ()


def test_lists_that_count_the_end_of_the_last_frame_end_with_it(tmp_path):
    root = write_v30(tmp_path / "set", videos=False)
    rows = get_rows(root)
    # 6 frames at 10 fps: 0.6 s is when a seventh would be shown.
    rows[0] |= {
        "subtask_names": ["all"],
        "subtask_start_frames": [0],
        "subtask_end_frames": [6],
    }
    set_rows(root, rows)
    assert read(root)[0].segments == (Segment("all", 0.0, 0.5),)


def test_dense_lists_are_of_their_own_kind(tmp_path):
    root = write_v30(tmp_path / "set", videos=False)
    rows = get_rows(root)
    rows[0] |= {
        "sparse_subtask_names": ["all"],
        "sparse_subtask_start_times": [0.0],
        "sparse_subtask_end_times": [0.5],
        "subtask_names": ["old name of all"],
        "subtask_start_times": [0.0],
        "subtask_end_times": [0.5],
        "dense_subtask_names": ["grip"],
        "dense_subtask_start_times": [0.1],
        "dense_subtask_end_times": [0.3],
    }
    set_rows(root, rows)
    assert read(root)[0].segments == (
        Segment("all", 0.0, 0.5),
        Segment("grip", 0.1, 0.3, "dense_subtask"),
    )


def test_lists_of_unequal_length_spoil_one_episode(tmp_path):
    root = write_v30(tmp_path / "set", videos=False)
    rows = get_rows(root)
    rows[1] |= {
        "subtask_names": ["reach", "lift"],
        "subtask_start_times": [0.0],
        "subtask_end_times": [0.2, 0.3],
    }
    set_rows(root, rows)
    found = read(root)
    assert isinstance(found[1], Unreadable)
    assert found[1].status == "invalid_value"
    assert "subtask_start_times" in found[1].detail
    assert [type(e).__name__ for e in found] == ["Episode", "Unreadable", "Episode"]


def test_spoken_subtasks_hold_until_the_next(tmp_path):
    rows = [
        ("reach", "subtask", 0.0),
        ("first reach, then lift", "plan", 0.0),
        ("lift", "subtask", 0.25),
    ]
    root = write_v30(tmp_path / "set", videos=False, extra=spoken(rows))
    found = read(root)
    assert found[0].segments == (
        Segment("reach", 0.0, 0.25),
        Segment("lift", 0.25, 0.5),
    )
    assert found[1].segments == ()


def test_a_subtask_spoken_of_too_late_does_not_stretch_the_one_before(tmp_path):
    rows = [("reach", "subtask", 0.0), ("lift", "subtask", 2.0)]
    root = write_v30(tmp_path / "set", videos=False, extra=spoken(rows))
    assert read(root)[0].segments == (Segment("reach", 0.0, 0.5), Segment("lift", 2.0, 2.0))


def test_success_of_each_frame(tmp_path):
    def extra(episode):
        return {"next.success": pa.array([False] * (LENGTHS[episode] - 1) + [episode == 1])}

    found = read(write_v30(tmp_path / "set", videos=False, extra=extra))
    assert [e.outcome for e in found] == [False, True, False]
    assert found[1].signals["success"].values.tolist() == [False] * 8 + [True]
    assert "next.success" not in found[1].signals


def test_success_may_be_stored_as_numbers_in_lists(tmp_path):
    def extra(episode):
        return {"next.success": pa.array([[1.0]] * LENGTHS[episode])}

    found = read(write_v30(tmp_path / "set", videos=False, extra=extra))
    assert found[0].outcome is True
    assert found[0].signals["success"].values.dtype == np.bool_


def test_success_that_is_neither_0_nor_1_spoils_one_episode(tmp_path):
    def extra(episode):
        return {"next.success": pa.array([0.5 if episode == 2 else 1.0] * LENGTHS[episode])}

    found = read(write_v30(tmp_path / "set", videos=False, extra=extra))
    assert found[0].outcome is True
    assert found[2].status == "invalid_value"


@pytest.mark.parametrize("name", ["is_episode_successful", "metadata.success"])
def test_success_of_the_whole_episode_on_each_frame(tmp_path, name):
    def extra(episode):
        return {name: pa.array([episode != 1] * LENGTHS[episode])}

    found = read(write_v21(tmp_path / "set", videos=False, extra=extra))
    assert [e.outcome for e in found] == [True, False, True]
    assert not {"success", name} & set(found[0].signals)  # says nothing of single moments


@pytest.mark.parametrize("name", ["success", "is_episode_successful", "metadata.success"])
def test_success_in_the_episode_table(tmp_path, name):
    root = write_v30(tmp_path / "set", videos=False)
    set_rows(root, [row | {name: row["episode_index"] == 0} for row in get_rows(root)])
    assert [e.outcome for e in read(root)] == [True, False, False]
