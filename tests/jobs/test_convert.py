"""Datasets from any format that is read into any that is written."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from assay.cli._app import run
from assay.episodes import catalogue
from assay.episodes.formats.lerobot import LeRobot
from assay.episodes.lerobot.writer import write_lerobot
from assay.episodes.writers.lerobot import LeRobotDataset, _storable
from assay.errors import InputError, RunError, UnknownNameError, UsageError
from assay.jobs.convert import ConvertSettings, convert
from assay.records import Segment
from clips import number_of, write_clip
from convert_killed import conversion
from killed import Moment, kill_and_resume
from lerobot_sets import made_episode, png
from rlds_made import write_rlds

LAYOUT = {
    "steps/action": ("float32", 2),
    "steps/is_first": ("bool",),
    "steps/language_instruction": "text",
    "steps/observation/image": "uint8",
}


def steps(count, first=0, **changes):
    made = {
        "steps/action": np.arange(2.0 * count, dtype=np.float32).reshape(count, 2) + first,
        "steps/is_first": np.arange(count) == 0,
        "steps/language_instruction": [b"push"] * count,
        "steps/observation/image": [png(first + n) for n in range(count)],
    }
    return made | changes


@pytest.fixture
def rlds(tmp_path):
    lengths = (3, 5, 2)
    episodes = [steps(n, first=10 * i) for i, n in enumerate(lengths)]
    return write_rlds(tmp_path / "rlds", LAYOUT, episodes, name="viola")


def done(source, out, **settings):
    return convert([str(source)], ConvertSettings(out=out, to="lerobot", jobs=1, **settings))


def command(*words):
    with pytest.raises(SystemExit) as ended:
        run([str(word) for word in words])
    return ended.value.code


def test_rlds_becomes_lerobot(rlds, tmp_path):
    result = done(rlds, tmp_path / "out")
    assert result.ok
    assert (result.document["episodes"], result.document["frames"]) == (3, 10)
    before, after = list(catalogue.read(rlds)), list(LeRobot().read(tmp_path / "out"))
    assert [e.id for e in after] == [e.id for e in before]
    for old, new in zip(before, after, strict=True):
        assert (new.task, new.instruction) == ("push", "push")
        np.testing.assert_array_equal(new.signals["action"].values, old.signals["action"].values)
        np.testing.assert_allclose(new.signals["action"].times, old.signals["action"].times)
        frames = [e.views["image"].frames for e in (old, new)]
        shown = [[number_of(p) for p in f.at(old.views["image"].frames.clock())] for f in frames]
        assert shown[0] == shown[1]
    assert not (tmp_path / "out/journal.sqlite").exists()


def test_videos_without_any_signal_become_lerobot(tmp_path):
    (tmp_path / "clips").mkdir()
    write_clip(tmp_path / "clips/a.mp4", frames=4, fps=10)
    write_clip(tmp_path / "clips/b.mp4", frames=7, fps=10, first=30)
    assert done(tmp_path / "clips", tmp_path / "out").document["frames"] == 11
    _, second = LeRobot().read(tmp_path / "out")
    frames = second.views["main"].frames
    assert [number_of(p) for p in frames.at(frames.clock())] == list(range(30, 37))


def test_the_clock_can_be_chosen(rlds, tmp_path):
    done(rlds, tmp_path / "out", options={"fps": "10"})
    first = next(LeRobot().read(tmp_path / "out"))
    np.testing.assert_allclose(first.signals["action"].times, [0, 0.1])  # of 0, 0.05, 0.1
    with pytest.raises(UsageError, match="fps must be above 0"):
        done(rlds, tmp_path / "other", options={"fps": "0"})


def test_subtasks_go_into_both_forms_of_lerobot(tmp_path):
    marks = (Segment("reach", 0.0, 0.4), Segment("lift", 0.4, 0.9))
    write_lerobot(tmp_path / "in", [made_episode(0), made_episode(1, segments=marks)][1:], fps=10)
    done(tmp_path / "in", tmp_path / "out")
    table = pq.read_table(tmp_path / "out/meta/episodes/chunk-000/file-000.parquet")
    row = table.to_pylist()[0]
    assert row["sparse_subtask_names"] == ["reach", "lift"]
    assert row["sparse_subtask_start_times"] == [0.0, 0.4]
    assert row["sparse_subtask_end_times"] == [0.4, 0.9]
    assert row["sparse_subtask_start_frames"] == [0, 4]
    assert row["sparse_subtask_end_frames"] == [4, 9]
    names = pq.read_table(tmp_path / "out/meta/subtasks.parquet").to_pydict()
    assert names["__index_level_0__"] == ["reach", "lift"]
    data = pq.read_table(tmp_path / "out/data/chunk-000/file-000.parquet")
    assert data["subtask_index"].to_pylist() == [0] * 4 + [1] * 6
    (again,) = LeRobot().read(tmp_path / "out")
    assert again.segments == marks
    # Without our own fields the same subtasks are found in lerobot's.
    (tmp_path / "out/meta/assay_episodes.parquet").unlink()
    (bare,) = LeRobot().read(tmp_path / "out")
    assert [s.name for s in bare.segments] == ["reach", "lift"]


def test_a_dataset_without_subtasks_gets_none(rlds, tmp_path):
    done(rlds, tmp_path / "out")
    assert not (tmp_path / "out/meta/subtasks.parquet").exists()


def test_a_bad_episode_is_named_and_the_others_go_on(tmp_path, capfd):
    odd = steps(2, **{"steps/observation/image": [png(0), png(1)[:60]]})
    short = steps(2, **{"steps/action": np.zeros(3, np.float32)})
    source = write_rlds(tmp_path / "in", LAYOUT, [steps(3), odd, short, steps(2)], name="viola")
    out = tmp_path / "out"
    assert command("convert", source, "--to", "lerobot", "--out", out, "--jobs", 1) == 1
    said = capfd.readouterr()
    assert said.out == f"2 episodes with 5 frames are in {out}.\n"
    assert "Not written: 2 of 4 episodes, the first train_000001: " in said.err
    document = json.loads((out / "convert.json").read_text())
    assert [f["episode"] for f in document["failures"]] == ["train_000001", "train_000002"]
    assert "can't be decoded" in document["failures"][0]["detail"]
    assert "3 numbers for 2 steps" in document["failures"][1]["detail"]
    assert len(list(LeRobot().read(out))) == 2
    assert len(list(out.rglob("*.mp4"))) == 2


def test_episodes_unlike_the_first_are_refused_by_name(tmp_path):
    (tmp_path / "clips").mkdir()
    for number, size in enumerate([(64, 48), (64, 48), (32, 24)]):
        write_clip(tmp_path / f"clips/{number}.mp4", frames=3, fps=10, size=size)
    result = done(tmp_path / "clips", tmp_path / "out")
    assert [f["episode"] for f in result.document["failures"]] == ["2"]
    assert "has frames of 24 x 32; the first episode has 48 x 64" in result.problems()[0]
    assert (result.document["episodes"], result.document["frames"]) == (2, 6)
    assert len(list((tmp_path / "out").rglob("*.mp4"))) == 2


def test_a_finished_conversion_is_not_repeated(rlds, tmp_path, monkeypatch):
    first = done(rlds, tmp_path / "out")
    monkeypatch.setattr(LeRobotDataset, "write", lambda *_: pytest.fail("written again"))
    assert done(rlds, tmp_path / "out").document == first.document
    with pytest.raises(RunError, match="holds another run"):
        done(rlds, tmp_path / "out", limit=1)


def test_json_is_the_document(rlds, tmp_path, capfd):
    words = ("convert", rlds, "--to", "lerobot", "--out", tmp_path / "o", "--jobs", 1, "--json")
    assert command(*words) == 0
    said = capfd.readouterr().out
    assert said == (tmp_path / "o/convert.json").read_text()
    assert json.loads(said)["schema"] == "assay.convert/1"


def test_what_cannot_be_meant_is_refused_before_anything_is_written(rlds, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(UnknownNameError, match=r"named 'lerobt'\. Did you mean 'lerobot'"):
        convert([str(rlds)], ConvertSettings(out=out, to="lerobt"))
    with pytest.raises(UnknownNameError, match="option of LeRobotDataset named 'rate'"):
        done(rlds, out, options={"rate": "5"})
    with pytest.raises(UsageError, match="lies in the source"):
        done(rlds, rlds / "inner")
    with pytest.raises(UsageError, match="--limit must be at least 1, not 0"):
        done(rlds, out, limit=0)
    with pytest.raises(InputError, match="there is no such path"):
        done(tmp_path / "rlsd", out)
    assert not out.exists()
    out.mkdir()
    (out / "mine.txt").write_text("x")
    with pytest.raises(RunError, match="is not empty and holds no run"):
        done(rlds, out)


def test_a_source_without_any_whole_episode_is_refused(tmp_path):
    bad = steps(2, **{"steps/action": np.zeros(3, np.float32)})
    source = write_rlds(tmp_path / "in", LAYOUT, [bad], name="viola")
    with pytest.raises(InputError, match="no episode of it can be read"):
        done(source, tmp_path / "out")


def test_a_killed_conversion_goes_on_where_it_was(tmp_path):
    episodes = [steps(4, first=10 * n) for n in range(8)]
    verb = conversion(write_rlds(tmp_path / "rlds", LAYOUT, episodes, name="viola"))
    expected = verb.whole(tmp_path / "whole")
    found = kill_and_resume(
        verb, tmp_path / "killed", [Moment(3, stored=1, hold="000000007")], expected
    )
    assert found.sound
    assert found.kills == 1


def test_sources_can_be_labelled_and_put_together(rlds, tmp_path):
    shutil.copytree(rlds, tmp_path / "more")
    settings = ConvertSettings(out=tmp_path / "out", to="lerobot", jobs=1, limit=1)
    convert([f"a={rlds}", f"b={tmp_path / 'more'}"], settings)
    found = [(e.id, e.policy) for e in LeRobot().read(tmp_path / "out")]
    assert found == [("a/train_000000", "a"), ("b/train_000000", "b")]


def test_signals_that_lerobot_cannot_hold_are_left_out(tmp_path):
    episode = made_episode(0)
    deep = {"depths": replace(episode.signals["action"], values=np.zeros((10, 2, 2)))}
    kept = _storable(replace(episode, signals={**episode.signals, **deep}))
    assert set(kept.signals) == set(episode.signals)
