"""Certifying: the passport is written, kept, resumed, and the same every time."""

from __future__ import annotations

import json
import re

import pytest

from assay.benchmarks.passport import find_passport, read_passport
from assay.benchmarks.passport.scenes import TASKS, Looks
from assay.errors import UnknownNameError, UsageError
from assay.jobs import _certifying
from assay.jobs import certify as jobs
from assay.jobs.certify import CertifySettings, certify, own_tasks
from clips import write_clip
from passport_made import Sees


@pytest.fixture
def videos(tmp_path):
    """A folder of three clips of 3 s, without any truth."""
    folder = tmp_path / "clips"
    folder.mkdir()
    for number in range(3):
        write_clip(folder / f"clip{number}.mp4", frames=30, fps=10, first=100 * number)
    return folder


class Unready(Sees):
    """Has no weights, and says so."""

    def check(self):
        raise UsageError("There are no weights.")


def settings(videos, out, judge="ramp", **changes):
    return CertifySettings(
        **{"out": out, "judge": judge, "on": (videos,), "worlds": False, "jobs": 1, **changes}
    )


def without_cost(text):
    """Return the document without the one line that no two runs share."""
    document = json.loads(text)
    document["checks"] = [line for line in document["checks"] if line["check"] != "cost"]
    return document


def test_the_run_directory_holds_the_passport(tmp_path, videos):
    result = certify(settings(videos, tmp_path / "out"))
    assert result.document["schema"] == "assay.certify/1"
    assert result.document["judge"]["name"] == "ramp"
    assert result.document["domains"]["your episodes"]["subjects"] == 3
    assert "tasks" not in result.document["domains"]["your episodes"]
    assert not result.ok
    assert "Fails static video (your episodes)" in result.problems()[0]
    page = (tmp_path / "out" / "index.html").read_text()
    assert "Passport of ramp" in page
    assert page.count("<svg") > 3
    assert "<script" not in page
    assert not list((tmp_path / "out").glob("journal*"))
    assert read_passport(tmp_path / "out" / "certify.json").judge == "ramp"


def test_every_line_has_domain_n_limit_and_meaning(tmp_path, videos):
    for line in certify(settings(videos, tmp_path / "out", Sees())).document["checks"]:
        assert line["domain"] == "your episodes"
        assert line["verdict"] in ("pass", "fail", "stated", "not run", "not measured")
        if line["verdict"] in ("not run", "not measured"):
            assert line["why"]
        else:
            assert line["value"]["n"] == 3
            assert line["meaning"]
            assert "why" in line["value"]  # 3 are too few for an interval, and it says so


def test_the_same_command_gives_the_same_bytes(tmp_path, videos):
    one = certify(settings(videos, tmp_path / "one")).text
    other = certify(settings(videos, tmp_path / "other")).text
    assert without_cost(one) == without_cost(other)


def test_a_finished_run_is_read_and_not_repeated(tmp_path, videos, monkeypatch):
    first = certify(settings(videos, tmp_path / "out")).text
    monkeypatch.setattr(_certifying, "Examiner", None)  # would fail if it were asked
    assert certify(settings(videos, tmp_path / "out")).text == first


def test_what_was_examined_before_a_stop_is_not_examined_again(tmp_path, videos, monkeypatch):
    asked = []

    class Stopping(_certifying.Examiner):
        def __call__(self, subject):
            asked.append(subject.id)
            if len(asked) == 2:
                raise KeyboardInterrupt
            return super().__call__(subject)

    monkeypatch.setattr(_certifying, "Examiner", Stopping)
    with pytest.raises(KeyboardInterrupt):
        certify(settings(videos, tmp_path / "out"))
    result = certify(settings(videos, tmp_path / "out"))
    assert sorted(asked) == ["clip0", "clip1", "clip1", "clip2"]
    assert without_cost(result.text) == without_cost(
        certify(settings(videos, tmp_path / "whole")).text
    )


def test_a_trained_judge_gets_its_passport(tmp_path, videos):
    folder = tmp_path / "my-judge"
    folder.mkdir()
    (folder / "card.json").write_text("{}")
    judge = Sees(weights=folder)
    result = certify(settings(videos, tmp_path / "out", judge))
    assert (folder / "passport.json").read_text() == result.text
    assert find_passport(judge).stale == ""
    # and the run is still the same run, although the folder holds one file more
    assert certify(settings(videos, tmp_path / "out", judge)).text == result.text


def test_a_fuller_passport_is_not_replaced_by_a_smaller_one(tmp_path, videos):
    folder = tmp_path / "my-judge"
    folder.mkdir()
    (folder / "card.json").write_text("{}")
    judge = Sees(weights=folder)
    full = certify(settings(videos, tmp_path / "full", judge)).text
    certify(settings(videos, tmp_path / "small", judge, limit=1))
    assert (folder / "passport.json").read_text() == full
    assert "it rests on more than this one" in (tmp_path / "small" / "log.jsonl").read_text()
    (folder / "card.json").write_text('{"trained": "anew"}')  # and the old passport holds no more
    new = certify(settings(videos, tmp_path / "new", judge, limit=1)).text
    assert (folder / "passport.json").read_text() == new


def test_a_judge_that_is_not_ready_is_told_before_anything_is_written(tmp_path, videos):
    with pytest.raises(UsageError, match="no weights"):
        certify(settings(videos, tmp_path / "out", Unready()))
    assert not (tmp_path / "out").exists()


def test_a_trained_judge_s_folder_is_left_alone_on_request(tmp_path, videos):
    folder = tmp_path / "my-judge"
    folder.mkdir()
    (folder / "card.json").write_text("{}")
    certify(settings(videos, tmp_path / "out", Sees(weights=folder), keep=False))
    assert [path.name for path in folder.iterdir()] == ["card.json"]


def test_a_judge_that_can_judge_nothing_is_not_ok(tmp_path, videos):
    result = certify(settings(videos, tmp_path / "out", "recorded"))
    assert not result.ok
    assert re.search("Nothing could be measured on your episodes: no_reference", *result.problems())


def test_an_unreadable_clip_is_counted(tmp_path, videos):
    (videos / "clip9.mp4").write_bytes(b"no video")
    document = certify(settings(videos, tmp_path / "out")).document
    line = next(line for line in document["checks"] if line["check"] == "static-video")
    assert line["why"].startswith("1 of 4 not measured, the first: clip9")


def test_goals_of_the_worlds_are_filmed(tmp_path):
    judge = "similarity-image"
    asked = CertifySettings(
        tmp_path / "out", judge, goal="worlds", tasks=("lift-block",), seeds=1, jobs=1
    )
    document = certify(asked).document
    assert len(list((tmp_path / "out" / "goals" / "lift-block").glob("front.*.png"))) == 2
    found = {line["title"]: line["verdict"] for line in document["checks"]}
    assert found["static video"] == "pass"
    assert found["insertion that hides the object"] == "not measured"
    worlds = document["domains"]["simulated worlds"]
    assert (worlds["subjects"], worlds["tasks"]) == (3, ["lift-block"])
    assert document["judge"]["settings"]["goal"] == "goals"  # in the run directory, wherever it is


def test_the_passport_names_the_tasks_that_nobody_asked_for(tmp_path, monkeypatch):
    # The two that the judge has learned; the scenes themselves are not what is tested here.
    monkeypatch.setattr(jobs, "own_tasks", lambda judge: ("turn-knob", "lift-block"))
    monkeypatch.setattr(jobs, "scenes", lambda tasks, seeds: [Looks(task, 700) for task in tasks])
    asked = CertifySettings(tmp_path / "out", "constant", jobs=1)
    document = certify(asked).document
    assert document["settings"]["tasks"] == []
    assert document["domains"]["simulated worlds"]["tasks"] == ["lift-block", "turn-knob"]


@pytest.mark.parametrize(
    ("changes", "kind", "words"),
    [
        ({"seeds": 0}, UsageError, "--seeds must be 1 to 100, not 0"),
        ({"limit": 0}, UsageError, "--limit must be above 0"),
        ({"tasks": ("lift-blok",)}, UnknownNameError, "Did you mean 'lift-block'"),
        ({"on": ()}, UsageError, "nothing to certify on"),
        ({"judge": "rmap"}, UnknownNameError, "Did you mean 'ramp'"),
        ({"goal": "worlds"}, UsageError, "--goal worlds is for judges that take a goal"),
    ],
)
def test_what_can_t_be_meant_is_refused(tmp_path, videos, changes, kind, words):
    with pytest.raises(kind) as caught:
        certify(settings(videos, tmp_path / "out", **changes))
    assert words in str(caught.value)
    assert not (tmp_path / "out").exists()


class Learned:
    """A judge that says which tasks it has learned."""

    def __init__(self, *tasks):
        self.card = {"tasks": dict.fromkeys(tasks, 10)}


@pytest.mark.parametrize(
    ("judge", "tasks"),
    [
        (Sees(), TASKS),
        (Learned("turn-knob", "lift-block", "gone"), ("lift-block", "turn-knob")),
        (Learned("fold-towel"), TASKS),  # of a real robot: no task of the worlds
    ],
)
def test_a_judge_is_asked_about_the_tasks_that_it_has_learned(judge, tasks):
    assert own_tasks(judge) == tasks
