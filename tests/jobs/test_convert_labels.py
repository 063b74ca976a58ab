"""Primitives and events of episodes as lerobot's dense annotations, there and back."""

import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

import glitches_made
from assay.cli._app import run
from assay.episodes.formats.lerobot import LeRobot
from assay.episodes.lerobot.writer import write_lerobot
from assay.jobs.convert import ConvertSettings, convert
from assay.records import Segment, Series
from clips import write_clip
from lerobot_sets import lean_episode, made_episode

OWN = "meta/assay_episodes.parquet"
COARSE = (Segment("reach", 0.0, 0.4), Segment("lift", 0.4, 0.9))
FINE = (Segment("align", 0.1, 0.4, "primitive"), Segment("grasp", 0.4, 0.6, "primitive"))


def rows(dataset):
    return pq.read_table(dataset / "meta/episodes").to_pylist()


def dense_of(row):
    """Return what lerobot's SARM reads of an episode: name, seconds and frames."""
    ends = ("start_times", "end_times", "start_frames", "end_frames")
    columns = [row[f"dense_subtask_{name}"] for name in ("names", *ends)]
    return list(zip(*columns, strict=True))


def bare_read(dataset):
    """Read a dataset as others would have written it: without our own table."""
    (dataset / OWN).unlink()
    return list(LeRobot().read(dataset))


def command(*words):
    with pytest.raises(SystemExit) as ended:
        run([str(word) for word in words])
    return ended.value.code


@pytest.fixture
def clips(tmp_path):
    """Two clips of a second, ten frames each."""
    (tmp_path / "clips").mkdir()
    for name in ("a", "b"):
        write_clip(tmp_path / f"clips/{name}.mp4", frames=10, fps=10)
    return tmp_path / "clips"


def test_subtasks_are_sparse_and_primitives_dense(tmp_path):
    episodes = [made_episode(0, segments=COARSE + FINE), made_episode(1, segments=COARSE)]
    write_lerobot(tmp_path / "in", episodes, fps=10)
    assert convert([str(tmp_path / "in")], ConvertSettings(tmp_path / "out", "lerobot", jobs=1)).ok
    for dataset in (tmp_path / "in", tmp_path / "out"):
        first, second = rows(dataset)
        assert first["sparse_subtask_names"] == ["reach", "lift"]
        # Frame k is shown from k / 10 s on.
        assert dense_of(first) == [("align", 0.1, 0.4, 1, 4), ("grasp", 0.4, 0.6, 4, 6)]
        assert dense_of(second) == []
        assert next(LeRobot().read(dataset)).segments == COARSE + FINE
    first, second = bare_read(tmp_path / "out")
    assert [(s.name, s.kind) for s in second.segments] == [
        ("reach", "subtask"),
        ("lift", "subtask"),
    ]
    assert first.segments[2:] == tuple(replace(s, kind="dense_subtask") for s in FINE)


def test_a_signal_of_primitives_gives_its_runs(tmp_path):
    times = np.arange(6) / 10
    said = np.array(["none", "push", "push", "lift", "none", "lift"])
    signals = {"primitive": Series(times, said), "progress": Series(times, times)}
    idle = {**signals, "primitive": Series(times, np.full(6, "none"))}
    made = [replace(lean_episode(n, count=6), signals=s) for n, s in enumerate((idle, signals))]
    write_lerobot(tmp_path / "set", made, fps=10)
    without, within = rows(tmp_path / "set")
    assert dense_of(without) == []
    # A run ends where the next begins; the last one with the episode.
    assert dense_of(within) == [
        ("push", 0.1, 0.3, 1, 3), ("lift", 0.3, 0.4, 3, 4), ("lift", 0.5, 0.5, 5, 5),
    ]  # fmt: skip
    assert next(LeRobot().read(tmp_path / "set")).segments == ()  # the signal tells it already


def test_episodes_without_labels_get_no_columns(tmp_path):
    write_lerobot(tmp_path / "set", [lean_episode()], fps=10)
    assert not [name for name in rows(tmp_path / "set")[0] if "subtask" in name]


def test_events_of_a_report_become_labels(clips, tmp_path, capfd):
    events = [glitches_made.event("blur", 0.5, 0.8), glitches_made.event("occlusion", 0.2, 0.3)]
    lines = [glitches_made.line("a", *events), glitches_made.line("b")]
    report = glitches_made.write(tmp_path / "reports.jsonl", lines)
    words = ("convert", clips, "--to", "lerobot", "--out", tmp_path / "out", "--events", report)
    assert command(*words, "--jobs", 1) == 0
    first, second = rows(tmp_path / "out")
    assert dense_of(first) == [("occlusion", 0.2, 0.3, 2, 3), ("blur", 0.5, 0.8, 5, 8)]
    assert dense_of(second) == []
    told = json.loads((tmp_path / "out/run.json").read_text())["settings"]
    assert told["events"] == str(report)
    marked = (Segment("occlusion", 0.2, 0.3, "event"), Segment("blur", 0.5, 0.8, "event"))
    assert [e.segments for e in LeRobot().read(tmp_path / "out")] == [marked, ()]
    again = bare_read(tmp_path / "out")
    assert again[0].segments == tuple(replace(s, kind="dense_subtask") for s in marked)
    capfd.readouterr()


def test_an_event_after_the_end_spoils_its_episode(clips, tmp_path, capfd):
    late = glitches_made.line("b", glitches_made.event("blur", 3.0, 3.5))
    report = glitches_made.write(tmp_path / "reports.jsonl", [late])
    words = ("convert", clips, "--to", "lerobot", "--out", tmp_path / "out", "--events", report)
    assert command(*words, "--jobs", 1) == 1
    assert "The event 'blur' of 'b' begins at 3 s; the episode ends at 0.9 s." in (
        capfd.readouterr().err
    )
    assert [row["length"] for row in rows(tmp_path / "out")] == [10]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (glitches_made.line("aa"), "reports.jsonl: no episode 'aa'; nearest: 'a'."),
        (glitches_made.line("a", {"type": "blurr"}), "reports.jsonl, row 1: event 1 of 'a': "),
    ],
)
def test_a_report_on_something_else_is_refused(clips, tmp_path, capfd, line, words):
    report = glitches_made.write(tmp_path / "reports.jsonl", [line])
    out = tmp_path / "out"
    said = ("convert", clips, "--to", "lerobot", "--out", out, "--events", report)
    assert command(*said) == 2
    assert words in capfd.readouterr().err
    assert not out.exists()
    progress = ("convert", clips, "--to", "lerobot-progress", "--out", out, "--events", report)
    assert command(*progress) == 2
    assert "a progress file has no place for labels" in capfd.readouterr().err
