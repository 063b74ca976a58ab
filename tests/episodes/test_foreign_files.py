"""Files that others wrote, with values nobody foresaw: one sentence, never a traceback."""

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.episodes import catalogue, faults, tables
from assay.episodes.clips.files import find_videos
from assay.episodes.formats.curves import Curves
from assay.episodes.formats.lerobot import LeRobot
from assay.episodes.formats.video_folder import VideoFolder
from assay.episodes.labels import read_labels, read_task_map
from assay.episodes.lerobot.layout import OWN
from assay.episodes.lerobot.reading.data import DataFiles
from assay.episodes.video import probe
from assay.errors import EpisodeError, InputError, UnsafePathError
from assay.records import Unreadable
from lerobot_sets import edit_info, get_rows, set_rows, write_v21, write_v30

DATA = "data/chunk-000/episode_000001.parquet"


def read(root):
    return list(LeRobot().read(root))


@pytest.fixture
def v21(tmp_path):
    return write_v21(tmp_path / "set", videos=False)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"fps": 10**400}, "'fps' must be a number above 0 and below 100000"),
        ({"fps": 1e5}, "'fps' must be a number"),
        ({"chunks_size": 0.5}, "'chunks_size' must be a whole number above 0, found 0.5"),
        ({"codebase_version": "v" + "9" * 6000}, "'codebase_version' is 'v999"),
        ({"video_path": "x" * 5000}, "'video_path' must be a path template"),
        ({"data_path": 5}, "'data_path' must be a path template"),
        ({"features": {"a": {"dtype": "float32", "shape": 5}}}, "'a' needs a list"),
        ({"features": {"a": {"dtype": "float32", "shape": [float("inf")]}}}, "found .inf"),
        ({"features": {"a": {"dtype": "video", "info": [1]}}}, "'a' needs an object as 'info'"),
        ({"features": {"a": {"dtype": "video", "info": "x"}}}, "'a' needs an object as 'info'"),
    ],
)
def test_values_of_info_json_are_checked(v21, edit, words):
    edit_info(v21, **edit)
    with pytest.raises(InputError, match=rf"info\.json: .*{words}"):
        read(v21)


@pytest.mark.parametrize("name", ["info.json", "episodes.jsonl", "tasks.jsonl"])
@pytest.mark.parametrize(
    ("content", "words"), [(b"[" * 100_000, "too deep"), (b"\xff\xfe\n", "not UTF-8")]
)
def test_text_without_end_or_coding_is_refused(v21, name, content, words):
    (v21 / "meta" / name).write_bytes(content)
    with pytest.raises(InputError, match=f"{name}.*{words}"):
        read(v21)


@pytest.mark.parametrize(
    "subtasks",
    [
        {"names": ["a"], "start_times": [None], "end_times": [1]},
        {"names": ["a"], "start_times": [5], "end_times": [-1]},
        {"names": ["a"], "start_times": [float("nan")], "end_times": [float("nan")]},
        {"names": 5, "start_times": 5, "end_times": 5},
    ],
)
def test_bad_subtasks_spoil_their_episode(v21, subtasks):
    row = {"episode_index": 1, "tasks": ["x"]}
    row |= {f"subtask_{key}": value for key, value in subtasks.items()}
    (v21 / "meta/episodes.jsonl").write_text(json.dumps(row) + "\n")
    (bad,) = read(v21)
    assert (type(bad), bad.status) == (Unreadable, "invalid_value")
    assert "subtask" in bad.detail


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("episode_index", "1"),
        ("episode_index", None),
        ("language_persistent", [{"timestamp": None, "content": "x", "style": "subtask"}]),
        ("language_persistent", "x"),
    ],
)
def test_a_bad_column_spoils_its_episode(v21, column, value):
    table = pq.read_table(v21 / DATA)
    kept = table.drop_columns([column]) if column in table.column_names else table
    pq.write_table(kept.append_column(column, pa.array([value] * len(table))), v21 / DATA)
    found = read(v21)
    assert [isinstance(e, Unreadable) for e in found] == [False, True, False]
    assert (found[1].status, column in found[1].detail) == ("invalid_value", True)


@pytest.mark.parametrize("index", [[None, 1], ["x", "y"]])
def test_a_task_table_needs_whole_numbers(tmp_path, index):
    root = write_v30(tmp_path / "set", videos=False)
    pq.write_table(pa.table({"task_index": index, "task": ["a", "b"]}), root / "meta/tasks.parquet")
    with pytest.raises(InputError, match=r"tasks\.parquet, row 1: the column 'task_index' holds"):
        read(root)


@pytest.mark.parametrize("column", ["episode_index", "data/chunk_index"])
def test_an_episode_table_needs_numbers(tmp_path, column):
    root = write_v30(tmp_path / "set", videos=False)
    set_rows(root, [row | {column: "abc"} for row in get_rows(root)])
    with pytest.raises(InputError, match=f"file-000.parquet.*'{column}' holds string"):
        read(root)


@pytest.mark.parametrize(
    "column",
    [
        {"id": [5]},
        {"outcome": ["maybe"]},
        {"segments": [[{"a": 1}]]},
        {"segments": [5]},
        {"views": [[{"name": "top", "moves": True, "intrinsics": [1.0]}]]},
        {"episode_index": ["a"]},
        {"episode_index": pa.array([None], pa.int64())},
    ],
)
def test_our_own_fields_are_checked_too(v21, column):
    pq.write_table(pa.table({"episode_index": [0], **column}), v21 / OWN)
    with pytest.raises(InputError, match=f"{OWN}, row 1: the column '{next(iter(column))}'"):
        read(v21)


@pytest.mark.parametrize(
    "note", [b"{", b"[1]", b'{"state": 5}', b'{"signals": {"a": {"axes": 1, "dtype": "zzz"}}}']
)
def test_our_own_notes_are_checked_too(v21, note):
    table = pa.table({"episode_index": [0]}).replace_schema_metadata({b"assay": note})
    pq.write_table(table, v21 / OWN)
    with pytest.raises(InputError, match=OWN):
        read(v21)


@pytest.mark.parametrize("name", ["manifest.csv", "progress.csv"])
def test_a_table_behind_a_link_that_leads_out_is_not_read(tmp_path, name):
    (tmp_path / "secret.csv").write_text("password\nhunter\n")
    root = tmp_path / "runs"
    root.mkdir()
    (root / "a.mp4").write_bytes(b"x")
    (root / name).symlink_to(tmp_path / "secret.csv")
    with pytest.raises(UnsafePathError, match=f"{name}' leads out") as caught:
        list(VideoFolder().read(root))
    assert "password" not in str(caught.value)


def test_pipes_are_never_opened(tmp_path):
    pipe = tmp_path / "manifest.csv"
    os.mkfifo(pipe)
    for use in (read_labels, read_task_map, Curves().read, lambda p: VideoFolder().read(p.parent)):
        with pytest.raises(InputError, match="is not a file"):
            list(use(pipe))
    with pytest.raises(InputError, match="neither a file nor a folder"):
        catalogue.format_of(pipe)


def test_paths_too_long_are_refused():
    with pytest.raises(InputError, match="File name too long"):
        catalogue.format_of(Path("x" * 5000))
    with pytest.raises(InputError, match="File name too long"):
        catalogue.Source.parse("x" * 5000 + "=y")


def test_a_folder_without_permission_is_named(tmp_path, monkeypatch):
    def denied(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", denied)
    with pytest.raises(InputError, match="the folder can't be read: Permission denied"):
        list(find_videos(tmp_path))


def test_a_video_without_permission_is_a_missing_frame(tmp_path, monkeypatch):
    def denied(path, **_):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "stat", denied)
    with pytest.raises(EpisodeError, match=r"can't be read \(Permission denied") as caught:
        probe(str(tmp_path / "a.mp4"))
    assert caught.value.status == "missing_frame"


def test_a_header_may_be_wide_but_not_endless(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{i}" for i in range(10_000)))
    assert len(tables.header_of(path)[1]) == 10_000
    path.write_text(",".join(f"c{i}" for i in range(10_001)))
    with pytest.raises(InputError, match="10001 columns; at most 10000"):
        tables.header_of(path)


@pytest.mark.parametrize("cell", ["\u0660.\u0665", "0.5\u00a0"])  # digits and blanks of Unicode
def test_a_number_that_only_python_reads_is_named_with_its_row(tmp_path, cell):
    path = tmp_path / "c.csv"
    path.write_text(f"episode,task,t,progress\na,k,0,0.1\na,k,1,{cell}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"row 3: progress is .* not a number"):
        list(Curves().read(path))


@pytest.mark.parametrize("error", [ValueError("a\nb"), OverflowError(), KeyError("k")])
def test_what_parsing_raises_becomes_one_sentence(error):
    words = rf"^f: can't be used \({type(error).__name__}"
    with pytest.raises(InputError, match=words) as caught, faults.reading("f"):
        raise error
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("error", "status"),
    [(PermissionError(13, "Permission denied"), "missing_frame"), (KeyError(), "invalid_value")],
)
def test_an_unforeseen_fault_spoils_one_episode(v21, monkeypatch, error, status):
    rows_of = DataFiles.rows

    def faulty(self, path, index):
        if index == 1:
            raise error
        return rows_of(self, path, index)

    monkeypatch.setattr(DataFiles, "rows", faulty)
    found = read(v21)
    assert [getattr(e, "status", "ok") for e in found] == ["ok", status, "ok"]
    assert f"episode 1: can't be used ({type(error).__name__}" in found[1].detail
