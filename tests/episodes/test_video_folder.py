"""Video folders with and without a manifest, and every way in which one can be wrong."""

from __future__ import annotations

import csv
import json
import logging
import pickle
from pathlib import Path

import numpy as np
import pytest

import clips
from assay.episodes.formats.video_folder import VideoFolder
from assay.errors import InputError
from assay.records import Episode, Segment, Unreadable


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    """Return a clip of 20 frames at 10 frames a second, coded once."""
    return clips.write_clip(tmp_path_factory.mktemp("clip") / "clip.mp4", frames=20, fps=10)


@pytest.fixture
def folder(tmp_path, clip):
    """Return a folder `runs`, and put a clip at each of the paths given to its `add`."""
    root = tmp_path / "runs"
    root.mkdir()

    def add(*names):
        for name in names:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(clip.read_bytes())
        return root

    return add


def read(path):
    return list(VideoFolder().read(path))


def fault(path):
    with pytest.raises(InputError) as caught:
        read(path)
    return str(caught.value)


def manifest(root, rows, name="manifest.jsonl"):
    path = root / name
    if name.endswith(".csv"):
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(dict.fromkeys(k for row in rows for k in row)))
            writer.writeheader()
            writer.writerows(rows)
    elif name.endswith(".jsonl"):
        path.write_text("\n".join(map(json.dumps, rows)))
    else:
        path.write_text(json.dumps(rows))
    return path


def test_without_a_manifest_every_video_is_an_episode(folder):
    root = folder("b.mp4", "a.mp4", "pour/z.mp4", "pour/deep/y.mp4", ".hidden.mp4", ".cache/x.mp4")
    (root / "notes.txt").write_text("not a video")
    found = read(root)
    assert [(e.id, e.task) for e in found] == [
        ("a", "runs"),
        ("b", "runs"),
        ("pour/z", "pour"),
        ("pour/deep/y", "deep"),
    ]
    first = found[0]
    assert (first.policy, list(first.views), first.outcome) == ("policy", ["main"], None)
    assert first.source == str(root)
    # 20 frames at 10 a second: the last one is shown at 1.9 s
    assert first.duration() == pytest.approx(1.9)
    again = pickle.loads(pickle.dumps(first))
    assert [clips.number_of(f) for f in again.views["main"].frames.at(np.array([0.0, 1.9]))] == [
        0,
        19,
    ]


def test_names_that_differ_in_the_suffix_keep_it(folder):
    assert [e.id for e in read(folder("a.mp4", "a.mov", "b.mp4"))] == ["a.mov", "a.mp4", "b"]


def test_one_video_can_be_given_by_its_path(folder):
    root = folder("a.mp4", "b.mp4")
    (root / "progress.csv").write_text("episode,t,progress\nb,0,0\n")
    (only,) = read(root / "a.mp4")
    assert (only.id, only.task, list(only.signals)) == ("a", "runs", [])


def test_a_dataset_or_a_report_inside_is_passed_over(folder, caplog):
    root = folder("a.mp4", "set/videos/b.mp4", "report/assets/c.mp4", "mine/d.mp4")
    (root / "set/meta").mkdir()
    (root / "set/meta/info.json").write_text("{}")
    (root / "report/run.json").write_text('{"schema": "assay.run/1"}')
    (root / "mine/run.json").write_text('{"schema": 3}')
    with caplog.at_level(logging.WARNING, "assay"):
        assert [e.id for e in read(root)] == ["a", "mine/d"]
    assert caplog.messages == [
        f"{root / 'report'} is a report of Assay and was passed over.",
        f"{root / 'set'} is a LeRobot dataset and was passed over.",
    ]


@pytest.mark.parametrize("name", ["manifest.csv", "manifest.jsonl", "manifest.json"])
def test_a_manifest_gives_fields_in_three_forms(folder, name):
    root = folder("v/a.mp4", "v/b.mp4")
    rows = [
        {
            "file": "v/b.mp4",
            "episode": "two",
            "view": "top",
            "task": "pour",
            "policy": "act",
            "instruction": "Pour it",
            "scene": "s1",
            "seed": 4,
            "success": True,
            "start_s": 0.5,
            "end_s": 1.5,
        },
        {"file": "v/a.mp4", "episode": "one", "instruction": "Stack the cup!", "success": "no"},
    ]
    path = manifest(root, rows, name)
    two, one = read(root)
    assert (two.id, two.task, two.policy, two.scene, two.seed) == ("two", "pour", "act", "s1", 4)
    assert (two.instruction, two.outcome, list(two.views)) == ("Pour it", True, ["top"])
    # From 0.5 s up to 1.5 s of a clip at 10 frames a second: frames 5..14.
    frames = two.views["top"].frames
    assert frames.clock() == pytest.approx(np.arange(10) / 10)
    assert clips.number_of(next(frames.at(np.array([0.0])))) == 5
    assert (one.id, one.task, one.policy, one.outcome) == ("one", "stack-the-cup", "policy", False)
    assert [e.id for e in read(path)] == ["two", "one"]


def test_synonyms_and_groups_are_understood(folder):
    root = folder("a/high.mp4", "a/wrist.mp4", "b/high.mp4")
    segments = [{"anotation": "reach", "start_frame_id": 5, "end_frame_id": 10}]
    rows = [
        {"video": "a/high.mp4", "group": "ep1", "outcome": "success", "subtask_segments": segments},
        {"path": "a/wrist.mp4", "group": "ep1", "view": 1, "outcome": "unknown"},
        {"file": "b/high.mp4", "outcome": "appears successful", "start": 1, "end": 2},
    ]
    manifest(root, {"note": "a manifest may hold more", "items": rows}, "manifest.json")
    first, second = read(root)
    # A row without a view beside others takes its file's name; frame 5 at 10 a second is 0.5 s.
    assert (first.id, list(first.views), first.outcome) == ("ep1", ["high", "1"], True)
    assert (first.task, first.segments) == ("a", (Segment("reach", 0.5, 1.0),))
    assert (second.id, list(second.views), second.outcome) == ("b/high", ["main"], None)
    assert len(second.views["main"].frames.clock()) == 10


def test_frame_numbers_use_the_rows_own_rate_and_the_episodes_start(folder):
    root = folder("a.mp4")
    segments = [{"name": "reach", "start_frame_id": 30, "end_frame_id": 40}]
    manifest(root, [{"file": "a.mp4", "fps": 20, "start_s": 0.5, "segments": segments}])
    # Frame 30 at 20 a second is 1.5 s of the file, 1.0 s of the episode.
    assert read(root)[0].segments == (Segment("reach", 1.0, 1.5),)


def test_segments_in_a_csv_cell_are_json(folder):
    root = folder("a.mp4")
    segments = json.dumps([{"label": "wait", "start_s": 0, "end_s": 1, "kind": "still"}])
    manifest(root, [{"file": "a.mp4", "segments": segments}], "manifest.csv")
    assert read(root)[0].segments == (Segment("wait", 0.0, 1.0, kind="still"),)


def test_episodes_counted_within_groups_get_both_names(folder):
    root = folder("a.mp4", "b.mp4", "c.mp4")
    rows = [
        {"file": "a.mp4", "group": "day1", "episode": 1},
        {"file": "b.mp4", "group": "day2", "episode": 1},
        {"file": "c.mp4", "group": "day2", "episode": 2},
    ]
    manifest(root, rows)
    assert [e.id for e in read(root)] == ["day1/1", "day2/1", "day2/2"]
    manifest(root, [rows[0], rows[2]])
    assert [e.id for e in read(root)] == ["1", "2"]


def test_rows_that_are_no_videos_and_videos_without_a_row_are_counted(folder, caplog):
    root = folder("a.mp4", "b.mp4")
    files = ["a.mp4", "x.jpg", "y.jpg", "README"]
    path = manifest(root, [{"file": name} for name in files])
    with caplog.at_level(logging.WARNING, "assay"):
        assert [e.id for e in read(root)] == ["a"]
    assert caplog.messages == [
        f"{path}: 3 of 4 rows are not videos and were left out (2 .jpg, 1 no suffix).",
        f"{path}: 1 videos of the folder are not in it and were left out, such as 'b.mp4'.",
    ]


def broken_files(root):
    """Make one file of each kind that a recording machine leaves behind when it dies."""
    (root / "empty.mp4").write_bytes(b"")
    (root / "text.mp4").write_text("this is not a video, only words about one\n" * 20)
    clips.cut_file(root / "good.mp4", 0.5, root / "cut.mp4")


def test_broken_files_spoil_only_their_episodes(folder):
    root = folder("good.mp4")
    broken_files(root)
    cut, empty, good, text = read(root)
    assert isinstance(good, Episode)
    assert empty == Unreadable(
        "empty", f"{root.resolve() / 'empty.mp4'} is empty (0 bytes).", "runs", source=str(root)
    )
    assert "its index (moov) is missing or damaged" in cut.detail
    assert str(root.resolve() / "text.mp4") in text.detail
    assert {cut.status, text.status} == {"missing_frame"}


def test_rows_with_bad_files_are_named(folder, tmp_path, clip):
    root = folder("good.mp4")
    (root / "link.mp4").symlink_to(clip)
    names = ["gone.mp4", "../clip.mp4", str(clip), "link.mp4", "a" * 300 + ".mp4", "good.mp4"]
    path = manifest(root, [{"file": n, "episode": f"e{i}"} for i, n in enumerate(names)])
    *bad, good = read(root)
    outside = f"leads out of the dataset's folder {root}; only paths under that folder are read."
    assert [e.detail for e in bad[:4]] == [
        f"{path}, row 1: {root.resolve() / 'gone.mp4'} does not exist.",
        f"{path}, row 2: the path '../clip.mp4' {outside}",
        f"{path}, row 3: the path {str(clip)!r} {outside}",
        f"{path}, row 4: the path 'link.mp4' {outside}",
    ]
    assert bad[4].detail.startswith(f"{path}, row 5: ")
    assert bad[4].detail.endswith("can't be read (File name too long).")
    assert {e.status for e in bad} == {"missing_frame"}
    assert good.id == "e5"


def test_an_unreadable_row_stays_in_its_groups(folder):
    root = folder("good.mp4")
    fields = {"policy": "p", "world": "lab", "scene": "s", "perturbation": "dark", "seed": 7}
    row = {"file": "gone.mp4", "task": "k", "instruction": "do k", "success": 0, **fields}
    manifest(root, [row])
    (bad,) = read(root)
    assert isinstance(bad, Unreadable)
    assert {name: getattr(bad, name) for name in fields} == fields
    assert (bad.id, bad.task, bad.source, bad.outcome) == ("gone", "k", str(root), False)


def test_an_episode_that_starts_after_the_file_ends_is_unreadable(folder):
    root = folder("a.mp4")
    path = manifest(root, [{"file": "a.mp4", "start_s": 7}])
    (bad,) = read(root)
    assert bad.detail == (
        f"{path}, row 1: the episode starts at 7 s, but {root.resolve() / 'a.mp4'} ends at 2 s."
    )


A = {"file": "a.mp4", "episode": "e"}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], ": has no rows."),
        ([{"file": "a.txt"}], ": names no video."),
        ([{"name": "a.mp4"}], ", row 1: names no file; its keys are name."),
        (
            [A, A | {"file": "b.mp4", "task": "x"}, A | {"task": "y"}],
            ", row 3: the episode 'e' has the task 'y' here and 'x' in row 2.",
        ),
        (
            [A | {"success": 1}, A | {"file": "b.mp4", "success": 0}],
            ", row 2: the episode 'e' has the outcome False here and True in row 1.",
        ),
        ([A, A], ", row 2: the episode 'e' has the view 'a' in row 1 already."),
        (
            [A | {"success": "maybe"}],
            ", row 1: success is 'maybe'; allowed: 1, 0, true, false, yes, no, or an empty cell.",
        ),
        ([A | {"seed": "x"}], ", row 1: seed is 'x', which is not a whole number of 64 bits."),
        ([A | {"start_s": "soon"}], ", row 1: start_s is 'soon', which is not a number."),
        ([A | {"start_s": [1]}], ", row 1: start_s is a list, which is not a number."),
        (
            [A | {"start_s": 2, "end_s": 1}],
            ", row 1: goes from 2 s to 1 s; the end must come later.",
        ),
        ([A | {"start_s": -1}], ", row 1: starts at -1 s; times count from 0."),
        (
            [A | {"segments": [{"name": "r", "start_frame_id": 9, "end_frame_id": 3}]}],
            (
                ", row 1: the segment 'r' goes from 0.9 s to 0.3 s; "
                "it needs a name, start_frame_id and end_frame_id, with 0 <= start <= end."
            ),
        ),
        ([A | {"segments": "[oops"}], ", row 1: is not JSON: Expecting value at line 1, column 2."),
    ],
)
def test_a_faulty_manifest_is_refused(folder, rows, words):
    root = folder("a.mp4", "b.mp4")
    path = manifest(root, rows)
    assert fault(root) == f"{path}{words}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "{",
            ": is not JSON: Expecting property name enclosed in double quotes at line 1, column 2.",
        ),
        (
            '{"files": []}',
            ": must be a list of objects, or an object with a list under 'items' or 'episodes'.",
        ),
        ("[]", ": has no rows."),
        ("[3]", ", item 1: is not a JSON object."),
        ('[{"file": "a.mp4"}, {"file": ""}]', ", item 2: names no file; its keys are file."),
    ],
)
def test_a_faulty_json_manifest_is_refused(folder, text, words):
    root = folder("a.mp4")
    path = root / "manifest.json"
    path.write_text(text)
    assert fault(root) == f"{path}{words}"


def test_a_csv_manifest_needs_a_column_of_files(folder):
    root = folder("a.mp4")
    path = manifest(root, [{"files": "a.mp4"}], "manifest.csv")
    assert fault(root) == (
        f"{path}: the column 'file' is missing. Nearest: 'files'. Columns found: files."
    )


def test_two_manifests_are_refused(folder):
    root = folder("a.mp4")
    manifest(root, [A])
    manifest(root, [A], "manifest.csv")
    assert fault(root) == f"{root}: holds both manifest.csv and manifest.jsonl; keep one."


def test_curves_beside_the_videos_are_joined(folder):
    root = folder("one.mp4", "deep/two.mp4", "three.mp4")
    (root / "progress.csv").write_text(
        "episode,t,progress,policy,success\n"
        "one,0,0.0,act,0\none,1,0.5,act,1\n"
        "deep/two.mp4,0,0.25,,\n"
    )
    one, three, two = read(root)
    assert one.signals["progress"].values.tolist() == [0.0, 0.5]
    assert (one.policy, one.outcome, one.task, list(one.views)) == ("act", True, "runs", ["main"])
    assert two.signals["progress"].values.tolist() == [0.25]
    assert (three.id, list(three.signals)) == ("three", [])


def test_a_curve_without_a_video_is_refused(folder):
    root = folder("one.mp4")
    (root / "progress.jsonl").write_text('{"episode": "on", "t": [0], "progress": [0]}')
    assert fault(root) == (f"{root / 'progress.jsonl'}, row 1: no episode 'on'; nearest: 'one'.")


def test_tables_under_other_names_are_pointed_out(folder, caplog):
    root = folder("a.mp4")
    (root / "scores.csv").write_text("episode,t,progress\na,0,0\n")
    (root / "labels.csv").write_text("episode,success\na,1\n")
    (root / "log.jsonl").touch()  # of what `assay build` wrote
    with caplog.at_level(logging.WARNING, "assay"):
        assert len(read(root)) == 1
    joined = "recorded curves are joined from progress.csv or progress.jsonl."
    assert caplog.messages == [f"{root}: scores.csv is not read; {joined}"]


def test_the_folder_may_be_the_working_one(folder, monkeypatch):
    monkeypatch.chdir(folder("a.mp4"))
    (only,) = read(Path())
    assert (only.id, only.task) == ("a", "runs")
