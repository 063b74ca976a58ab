"""Broken and hostile LeRobot datasets: what spoils an episode, what spoils the dataset."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.episodes.formats.lerobot import LeRobot
from assay.episodes.formats.lerobot_progress import LeRobotProgress
from assay.episodes.lerobot.writer import write_lerobot
from assay.errors import InputError, UnsafePathError
from assay.records import Unreadable
from lerobot_sets import LENGTHS, edit_info, get_rows, made_episode, set_rows, write_v21, write_v30

VIDEO = "videos/chunk-000/observation.images.top/episode_000001.mp4"
DATA = "data/chunk-000/episode_000001.parquet"


def read(root):
    return list(LeRobot().read(root))


def kinds(found):
    return [type(e).__name__ for e in found]


@pytest.mark.parametrize("file", [VIDEO, DATA])
@pytest.mark.parametrize("how", ["missing", "empty"])
def test_a_missing_or_empty_file_spoils_one_episode(tmp_path, file, how):
    root = write_v21(tmp_path / "set")
    (root / file).unlink()
    if how == "empty":
        (root / file).touch()
    found = read(root)
    assert kinds(found) == ["Episode", "Unreadable", "Episode"]
    lost = found[1]
    assert (lost.id, lost.task, lost.status) == (
        "episode_000001",
        "open-the-drawer",
        "missing_frame",
    )
    assert file in lost.detail
    assert lost.source == str(root)


def test_an_unreadable_episode_stays_in_its_groups(tmp_path):
    root = tmp_path / "set"
    made = made_episode(1)
    write_lerobot(root, [made], fps=10)
    next(root.glob("videos/*front/*/*.mp4")).unlink()
    columns = {"episode_index": [0, 0], "frame_index": [1, 0], "progress_dense": [0.0, 1.0]}
    pq.write_table(pa.table(columns), root / "sarm_progress.parquet")
    (lost,) = read(root)
    (scored,) = LeRobotProgress().read(root / "sarm_progress.parquet")
    assert lost == Unreadable.of(replace(made, source=str(root)), lost.detail)
    source = str(root / "sarm_progress.parquet")
    assert scored == Unreadable.of(
        replace(made, source=source), scored.detail, status="invalid_value"
    )


def test_a_damaged_data_file_spoils_its_episode(tmp_path):
    root = write_v21(tmp_path / "set", videos=False)
    (root / DATA).write_bytes((root / DATA).read_bytes()[:200])
    found = read(root)
    assert kinds(found) == ["Episode", "Unreadable", "Episode"]
    assert DATA in found[1].detail


def test_damage_in_the_middle_of_a_shared_file_spoils_one_episode(tmp_path):
    root = write_v30(tmp_path / "set", videos=False)
    file = root / "data/chunk-000/file-000.parquet"
    # Each episode is a row group; the first column of the second one is overwritten.
    chunk = pq.read_metadata(file).row_group(1).column(0)
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    data = bytearray(file.read_bytes())
    data[start : start + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    file.write_bytes(data)
    found = read(root)
    assert kinds(found) == ["Episode", "Unreadable", "Episode"]
    assert str(file) in found[1].detail


def test_an_episode_without_rows_is_counted(tmp_path):
    root = write_v30(tmp_path / "set", videos=False)
    rows = get_rows(root)
    set_rows(root, [*rows, rows[0] | {"episode_index": 7}])
    found = read(root)
    assert kinds(found) == ["Episode", "Episode", "Episode", "Unreadable"]
    assert found[3].id == "episode_000007"
    assert "no row has episode_index 7" in found[3].detail


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("timestamp", [0.0, 0.9, 0.3]),  # goes back
        ("timestamp", [0.0, float("nan"), 0.3]),
        ("action", [[1.0], [1.0, 2.0], [1.0]]),  # ragged
        ("action", [[1.0], None, [1.0]]),
    ],
)
def test_values_that_cannot_be_used_spoil_one_episode(tmp_path, column, values):
    def extra(episode):
        if episode != 1:
            return {}
        return {column: pa.array(values * 3)}

    found = read(write_v21(tmp_path / "set", videos=False, extra=extra))
    assert kinds(found) == ["Episode", "Unreadable", "Episode"]
    assert found[1].status == "invalid_value"
    assert repr(column) in found[1].detail


def test_rows_of_an_episode_must_be_in_one_piece(tmp_path):
    def extra(episode):
        return {"episode_index": pa.array(([0, 2] * 9)[: LENGTHS[episode]])}

    found = read(write_v30(tmp_path / "set", videos=False, extra=extra))
    assert "not in one piece" in found[0].detail


def test_a_declared_column_that_is_missing(tmp_path):
    root = write_v21(tmp_path / "set", videos=False)
    features = edit_info(root)["features"]
    features["actions"] = features["action"]
    edit_info(root, features=features)
    with pytest.raises(InputError, match=r"no column 'actions'. Did you mean 'action'\?"):
        read(root)


@pytest.mark.parametrize(
    ("dtype", "values", "words"),
    [("float32", "text", "holds string"), ("string", 1.0, "holds double")],
)
def test_a_column_of_another_kind(tmp_path, dtype, values, words):
    def extra(episode):
        return {"force": pa.array([values] * LENGTHS[episode])}

    root = write_v21(tmp_path / "set", videos=False, extra=extra)
    features = edit_info(root)["features"]
    features["force"] = {"dtype": dtype, "shape": [1], "names": None}
    edit_info(root, features=features)
    with pytest.raises(InputError, match=f"'force' {words}.*says '{dtype}'"):
        read(root)


def test_success_must_be_true_or_false(tmp_path):
    def extra(episode):
        return {"next.success": pa.array(["yes"] * LENGTHS[episode])}

    with pytest.raises(InputError, match="'success' must hold one true or false"):
        read(write_v21(tmp_path / "set", videos=False, extra=extra))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "is not JSON"),
        ("[]", "one JSON object"),
        ("{}", "no key 'fps'"),
        ('{"FPS": 3}', "Did you mean 'FPS'"),
        ('{"fps": 0}', "'fps' must be a number above 0 and below 100000, found 0"),
        ('{"fps": "fast"}', "found 'fast'"),
        ('{"fps": 10}', "'features' must hold an object"),
        ('{"fps": 10, "features": {"action": {}}}', "the feature 'action' has no 'dtype'"),
        ('{"fps": 10, "features": {}, "codebase_version": "v1.6"}', "v2.0, v2.1 and v3.0"),
    ],
)
def test_a_broken_info_json_names_the_file_and_the_key(tmp_path, content, words):
    root = write_v21(tmp_path / "set", videos=False)
    (root / "meta/info.json").write_text(content)
    with pytest.raises(InputError, match=f"info.json: .*{words}"):
        read(root)


def test_a_dataset_without_episode_table(tmp_path):
    root = write_v21(tmp_path / "set", videos=False)
    (root / "meta/episodes.jsonl").unlink()
    with pytest.raises(InputError, match="there is no episode table"):
        read(root)


@pytest.mark.parametrize(
    ("line", "words"),
    [("{", "not JSON"), ("[]", "JSON object"), ('{"episode_index": "one"}', "whole number")],
)
def test_a_broken_line_names_its_row(tmp_path, line, words):
    root = write_v21(tmp_path / "set", videos=False)
    file = root / "meta/episodes.jsonl"
    file.write_text(json.dumps({"episode_index": 0}) + "\n" + line + "\n")
    with pytest.raises(InputError, match=f"episodes.jsonl, row 2: .*{words}"):
        read(root)


def test_a_shared_video_needs_times(tmp_path):
    root = write_v30(tmp_path / "set")
    rows = [{k: v for k, v in r.items() if "timestamp" not in k} for r in get_rows(root)]
    set_rows(root, rows)
    with pytest.raises(InputError, match=r"observation\.images\.top/from_timestamp"):
        read(root)


def test_a_template_that_needs_what_the_table_lacks(tmp_path):
    root = write_v21(tmp_path / "set", videos=False)
    edit_info(root, data_path="data/file-{file_index:03d}.parquet")
    with pytest.raises(InputError, match="'data_path' needs 'file_index'"):
        read(root)


@pytest.mark.parametrize("key", ["data_path", "video_path"])
@pytest.mark.parametrize("template", ["../../{episode_index}.x", "/etc/{episode_index}"])
def test_templates_that_lead_out_are_refused(tmp_path, key, template):
    root = write_v21(tmp_path / "set")
    edit_info(root, **{key: template})
    with pytest.raises(UnsafePathError, match=r"info\.json: the path"):
        read(root)


@pytest.mark.parametrize(
    "template",
    [
        "data/{episode_index.__class__}",
        "data/{episode_index!r}",
        "data/{episode_index:0999999999d}",
        "data/{video_key[0]}",
        "data/{secret}",
        "data/{video_key:03d}",
        "data/{",
    ],
)
def test_templates_are_data_and_not_programs(tmp_path, template):
    root = write_v21(tmp_path / "set")
    edit_info(root, video_path=template)
    with pytest.raises(InputError, match="'video_path'"):
        read(root)


def test_a_video_key_cannot_lead_out(tmp_path):
    root = write_v21(tmp_path / "set")
    features = edit_info(root)["features"]
    features["../../../x"] = features.pop("observation.images.top")
    edit_info(root, features=features)
    with pytest.raises(UnsafePathError, match=r"\.\./\.\./\.\./x"):
        read(root)


@pytest.mark.parametrize("file", [VIDEO, DATA])
def test_a_link_that_leads_out_spoils_its_episode(tmp_path, file):
    root = write_v21(tmp_path / "set")
    (root / file).rename(tmp_path / "outside")
    (root / file).symlink_to(tmp_path / "outside")
    found = read(root)
    assert kinds(found) == ["Episode", "Unreadable", "Episode"]
    assert f"'{file}' leads out of the dataset's folder" in found[1].detail


@pytest.mark.parametrize("file", ["meta/episodes.jsonl", "meta/info.json"])
def test_tables_behind_links_that_lead_out_are_refused(tmp_path, file):
    root = write_v21(tmp_path / "set")
    (root / file).rename(tmp_path / "outside")
    (root / file).symlink_to(tmp_path / "outside")
    with pytest.raises(UnsafePathError, match="leads out of the dataset's folder"):
        read(root)


def test_faults_come_one_at_a_time(tmp_path):
    """Episodes before a fault of the dataset are handed out: reading is lazy."""
    root = write_v21(tmp_path / "set", videos=False)
    with (root / "meta/episodes.jsonl").open("a") as file:
        file.write("{\n")
    episodes = LeRobot().read(root)
    assert np.array_equal([len(next(episodes).signals["state"].times) for _ in range(3)], LENGTHS)
    with pytest.raises(InputError, match="row 4"):
        next(episodes)


def test_unreadable_is_told_apart_from_an_episode(tmp_path):
    root = write_v21(tmp_path / "set", videos=False)
    (root / DATA).unlink()
    assert [isinstance(e, Unreadable) for e in read(root)] == [False, True, False]
