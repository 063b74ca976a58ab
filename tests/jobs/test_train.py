"""A judge trained on demonstrations: from videos to a folder that judges."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

from assay.engine import Journal
from assay.episodes import catalogue
from assay.errors import InputError, MissingExtraError, RunError, UnknownNameError, UsageError
from assay.jobs import _train_fit, _training
from assay.jobs import train as job
from assay.jobs._train_frames import Preparing, prepare
from assay.jobs._train_lessons import lessons_of
from assay.jobs._train_shown import shown, shown_back
from assay.jobs.rollout import RolloutSettings, rollout
from assay.jobs.train import TrainSettings, train
from assay.judges import make_judge
from assay.judges.prm_mini._card import read_card
from assay.judges.prm_mini._clips import takes
from assay.judges.prm_mini._running import Graphs
from assay.judges.prm_mini._saving import load
from assay.judges.prm_mini._seeing import see
from demos import FPS, FRAMES, write_demos

JUDGE = {
    "card.json",
    "anchor.onnx",
    "eye.onnx",
    "head.onnx",
    "hop.onnx",
    "trunk.onnx",
    "words.onnx",
}
CLOCKS = {"timing.json", "log.jsonl"}


@pytest.fixture(scope="module")
def demos(tmp_path_factory):
    """Six successes, filmed: a square crosses the table."""
    return write_demos(tmp_path_factory.mktemp("demos") / "crossing")


@pytest.fixture(scope="module")
def attempts(tmp_path_factory):
    """Three seeds of a world's task, once done and once not begun."""
    out = tmp_path_factory.mktemp("rollout") / "run"
    cheap = {"views": ("front",), "size": 96, "quality": "fast", "fps": 5, "jobs": 1}
    return rollout(RolloutSettings(out, "lift-block", ("expert", "frozen"), "0:3", **cheap)).out


@pytest.fixture(scope="module")
def trained(attempts, tmp_path_factory):
    """One short training, which tests only look at."""
    out = tmp_path_factory.mktemp("trained") / "judge"
    return train([attempts], TrainSettings(out, start="scratch", validation=0.34, steps=24, jobs=1))


def quick(source, out, **more):
    return train(
        [source], TrainSettings(out, **{"start": "scratch", "steps": 2, "jobs": 1, **more})
    )


def files_of(folder):
    return {p.name: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def twins(demos, tmp_path_factory):
    """Two trainings on successes alone that differ in nothing."""
    root = tmp_path_factory.mktemp("twins")
    return [quick(demos, root / name / "judge") for name in "ab"]


def test_the_loss_falls(trained):
    first, *_, last = trained.document["history"]
    assert last["loss"] < 0.8 * first["loss"]
    assert last["step"] == 24
    assert trained.document["stopped"] == "all steps were taken"


def test_the_export_is_the_network(trained, attempts, tmp_path):
    """What onnxruntime says is what torch says, to 1e-4."""
    lesson = prepared_lessons(attempts, tmp_path).trained[0]
    clips = list(lesson.clips())
    raw = (
        Graphs.load(trained.out)
        .look(lesson.episode.instruction, {clip.view: clip.frames for clip in clips})
        .raw
    )
    torch_says = see(load(trained.out), takes(clips)[0]).progress
    assert np.abs(raw - torch_says).max() < 1e-4
    assert np.ptp(raw) > 0  # or the comparison would say nothing


def prepared_lessons(source, folder):
    episodes = list(catalogue.read(source))
    folder.mkdir(exist_ok=True)
    with Journal(folder / "journal.sqlite", "test") as journal:
        ready, bad = prepare(episodes, Preparing(folder / "work", 5.0, 96), journal, 1)
    return lessons_of(ready, bad, 0.2, 0)


def test_the_document_says_what_it_learnt_from(trained):
    document = trained.document
    assert document["schema"] == "assay.train/1"
    assert document["episodes"] == {"trained": 4, "held_out": 2}
    assert document["labels"] == {"successes": 3, "failures": 3, "unknown": 0}
    assert document["targets"] == {"world": 6}
    assert document["made"] == {}  # there are real failures
    assert document["views"] == ["front"]
    assert document["start"] == "scratch"
    assert [row["judge"] for row in document["judges"]] == [
        *("this judge", "ramp", "pixel-change", "constant")
    ]
    assert trained.ok
    assert trained.problems() == []
    assert json.loads(trained.text) == document


def test_the_clock_cant_tell_the_way_back(trained):
    """There and back, every pair but those of mirrored moments: half of them agree with time."""
    rows = {row["judge"]: row for row in trained.document["judges"]}
    assert rows["ramp"]["back"]["value"] == pytest.approx(0.5, abs=0.02)
    assert rows["constant"]["pairs"]["value"] == 0.0  # a tie is wrong


def test_the_folder_is_a_judge(trained, attempts):
    judge = make_judge(str(trained.out))
    episode = next(iter(catalogue.read(attempts)))
    curve = judge.progress(episode, judge.clock(episode, 5.0))
    assert (curve.status == "ok").all()
    assert {path.name for path in trained.out.iterdir()} >= JUDGE


def test_the_page_needs_no_script(trained):
    page = (trained.out / "index.html").read_text()
    assert "<script" not in page
    assert page.count("data:image/png") == 6 * 2  # a success and a failure, six moments each
    for words in ("What it can&#x27;t see", "Beside the null judges", "Calibration", "Examples"):
        assert words in page


def test_nothing_is_left_over_and_nothing_done_twice(trained, attempts):
    names = {path.name for path in trained.out.iterdir()}
    assert not {"work", "journal.sqlite"} & names
    before = {p.name: p.stat().st_mtime_ns for p in trained.out.iterdir() if p.suffix == ".onnx"}
    same = TrainSettings(trained.out, start="scratch", validation=0.34, steps=24, jobs=1)
    assert train([attempts], same).document == trained.document
    assert {name: (trained.out / name).stat().st_mtime_ns for name in before} == before
    with pytest.raises(RunError, match="settings differ in steps"):
        quick(attempts, trained.out, validation=0.34)


def test_successes_alone_get_made_failures(twins):
    document = twins[0].document
    assert document["targets"] == {"time": 6}
    assert document["held_out_by"] == "episode"
    assert document["made"] == {"retraced": 2, "rewound": 1, "shuffled": 1, "frozen": 1}
    said = " ".join(document["blind_spots"])
    assert "It has seen no failure" in said
    assert "In 6 episodes progress is the elapsed time" in said


def test_the_same_seed_gives_the_same_judge(twins):
    left, right = (files_of(twin.out) for twin in twins)
    assert left.keys() == right.keys()
    assert {name for name in left if left[name] != right[name]} <= CLOCKS


def test_frames_are_read_once(demos, tmp_path, monkeypatch):
    """Stopped while it learns, a training finds its frames again."""
    seen = []

    def stop(lessons, asked, folder):
        files = [file for one in lessons.trained for file in one.prepared.files.values()]
        seen.append({file.name: file.stat().st_mtime_ns for file in files})
        raise KeyboardInterrupt

    monkeypatch.setattr(_training, "learn", stop)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            quick(demos, tmp_path / "judge")
    assert seen[0] == seen[1]
    assert len(seen[0]) == 5


def test_a_run_stopped_while_it_clears_up_is_finished(demos, tmp_path, monkeypatch):
    """Some frames are gone and some are left: the judge is there, and the rest goes too."""
    out = tmp_path / "judge"

    def stop(work, **_):
        min(work.iterdir()).unlink()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_training, "shutil", SimpleNamespace(rmtree=stop))
        with pytest.raises(KeyboardInterrupt):
            quick(demos, out)
    before = {name: (out / name).stat().st_mtime_ns for name in JUDGE}
    assert (out / "work").is_dir()
    assert quick(demos, out).ok
    assert {name: (out / name).stat().st_mtime_ns for name in JUDGE} == before
    assert not (out / "work").exists()


def test_going_on_from_a_judge(trained, demos, tmp_path):
    found = quick(demos, tmp_path / "judge", start=str(trained.out)).document
    assert found["start"] == str(trained.out)


def test_what_knows_such_scenes_is_gone_on_from(trained, attempts, demos, tmp_path, monkeypatch):
    """The short training stands in for prm-mini: it has seen the attempts, not the square."""
    monkeypatch.setattr(_train_fit, "embedded", lambda: trained.out)
    known, new = (prepared_lessons(source, tmp_path / source.name) for source in (attempts, demos))
    start, said = _train_fit.choose_start(known, "auto")
    assert (start, said.split(",")[0]) == (trained.out, "prm-mini")
    start, said = _train_fit.choose_start(new, "auto")
    assert (start, said) == (None, "scratch: 100 % of the moments are new to prm-mini")
    assert _train_fit.choose_start(new, "prm-mini") == (trained.out, "prm-mini")
    monkeypatch.setattr(_train_fit, "embedded", lambda: tmp_path)
    assert _train_fit.choose_start(known, "auto") == (None, "scratch")
    with pytest.raises(UsageError, match="lacks the weights to go on from"):
        _train_fit.choose_start(known, "prm-mini")


def test_nothing_held_out_is_said(demos, tmp_path):
    document = quick(demos, tmp_path / "judge", validation=0.0, limit=1).document
    assert document["episodes"] == {"trained": 1, "held_out": 0}
    assert document["judged_on"] == "trained"
    assert document["blind_spots"][0].startswith("Nothing was held out")
    card = read_card(tmp_path / "judge")
    assert (card.episodes, card.held_out) == (1, 0)
    assert card.levels_from.startswith("the episodes that it learnt from")


def test_a_broken_video_is_told_and_the_others_learnt_from(tmp_path):
    source = write_demos(tmp_path / "demos", count=5)
    (source / "cross_03.mp4").write_bytes(b"no video")
    result = quick(source, tmp_path / "judge")
    assert not result.ok
    assert "1 of 5 episodes, the first is cross_03" in result.problems()[0]


def test_too_few_and_only_failures_are_refused(tmp_path):
    few = write_demos(tmp_path / "few", count=3)
    with pytest.raises(InputError, match=r"3 of at least 4 demonstrations .* --validation 0"):
        quick(few, tmp_path / "a")
    failed = write_demos(tmp_path / "failed", count=0, failures=4)
    with pytest.raises(InputError, match="all 4 demonstrations failed"):
        quick(failed, tmp_path / "b")


def test_no_video_at_all_is_refused(tmp_path):
    curves = tmp_path / "curves.csv"
    curves.write_text("episode,task,policy,t,progress\na,t,p,0,0\na,t,p,1,1\n")
    with pytest.raises(InputError, match=r"no demonstration can be learnt from; a: .* no video"):
        quick(curves, tmp_path / "judge")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"fps": 0.0}, "--fps must be above 0"),
        ({"validation": 0.8}, "--validation must lie in 0..0.5, not 0.8"),
        ({"steps": 0}, "--steps must be above 0"),
        ({"minutes": float("nan")}, "--minutes must be above 0"),
        ({"seed": -1}, "--seed must be 0 or more"),
    ],
)
def test_numbers_out_of_range_are_refused(settings, words):
    with pytest.raises(UsageError, match=words):
        TrainSettings("out", **settings)


def test_a_start_that_is_no_judge_is_refused(demos, tmp_path):
    with pytest.raises(UsageError, match="is none of them"):
        quick(demos, tmp_path / "judge", start=str(tmp_path))
    with pytest.raises(UnknownNameError, match=r"no view named 'sied'\. Did you mean 'side'"):
        quick(demos, tmp_path / "judge", views=("sied",))
    with pytest.raises(UsageError, match="lies inside"):
        quick(demos, demos / "judge")


def test_a_missing_package_is_named_with_its_size(demos, tmp_path, monkeypatch):
    def without(name):
        raise job.PackageNotFoundError(name)

    monkeypatch.setattr(job, "version", without)
    with pytest.raises(MissingExtraError, match=r"200 MB .* 'torch': pip install 'assay\[train\]'"):
        quick(demos, tmp_path / "judge")
    assert not (tmp_path / "judge").exists()


def test_there_and_back_shows_every_frame_twice_but_the_last(demos, tmp_path):
    # 16 frames at 5 a second: moments 0..3 s forward, then back to the first at 6 s
    lesson = prepared_lessons(demos, tmp_path).trained[0]
    forward, back = shown(lesson.prepared), shown_back(lesson.prepared)
    frames = list(forward.episode.views["side"].frames.at(forward.moments))
    turned = list(back.episode.views["side"].frames.at(back.moments))
    assert len(frames) == FRAMES
    assert len(turned) == 2 * FRAMES - 1
    assert np.array_equal(turned, [*frames, *frames[-2::-1]])
    assert back.moments[-1] == pytest.approx(2 * (FRAMES - 1) / FPS)
    truth = back.worth(lesson.target.values, back.moments)
    assert truth[[0, FRAMES - 1, -1]].tolist() == [0.0, 1.0, 0.0]
    assert dict(back.episode.signals) == {}
