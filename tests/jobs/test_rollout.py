"""A rollout from Python: what it writes, whose fault a failure is, and how it goes on."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import numpy as np
import pytest

from assay.episodes import catalogue
from assay.errors import RunError, UnknownNameError, UsageError
from assay.jobs._seeds import seeds_from, seeds_in_words
from assay.jobs.audit import AuditSettings, audit
from assay.jobs.rollout import RolloutSettings, make_perturbation, rollout
from assay.worlds.policies._making import make_policy
from assay.worlds.tasks.lift_block import LiftBlock
from rollout_killed import begun, files_of, kill_and_resume

CHEAP = {"views": ("front",), "size": 32, "quality": "fast", "fps": 5, "jobs": 1}


def settings(out, policies=("expert",), seeds="0:2", **more) -> RolloutSettings:
    return RolloutSettings(
        out=out, task="lift-block", policies=policies, seeds=seeds, **{**CHEAP, **more}
    )


def outside(*names: str, **options: str):
    return {name: make_policy(f"policies_made:{name}", options, outside=True) for name in names}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """One rollout of two policies on two seeds, which tests only look at."""
    out = tmp_path_factory.mktemp("rollout") / "run"
    return rollout(
        settings(out, ("expert", "frozen"), perturbations=[make_perturbation("background=2")])
    )


def test_the_document_says_what_came_of_each_policy(run):
    expert, frozen = run.document["policies"]
    assert (expert["policy"], expert["n"], expert["successes"]) == ("expert", 2, 2)
    assert (frozen["policy"], frozen["n"], frozen["successes"]) == ("frozen", 2, 0)
    assert frozen["mean_time_s"] == 8.0
    assert expert["success"]["value"] == 1.0
    assert expert["success"]["low"] is None  # fewer than five
    assert expert["status"] == {"ok": 2, "policy_fault": 0, "harness_failure": 0}
    assert run.ok
    assert run.problems() == []
    assert json.loads(run.text) == run.document


def test_the_run_directory_is_a_dataset(run):
    episodes = list(catalogue.read(run.out))
    assert [e.id for e in episodes] == [
        "expert/lift-block-0000@background-2",
        "expert/lift-block-0001@background-2",
        "frozen/lift-block-0000@background-2",
        "frozen/lift-block-0001@background-2",
    ]
    first, *_, last = episodes
    assert first.scene == "tabletop/lift-block/0/background-2"
    assert (first.perturbation, first.seed, first.world) == ("background-2", 0, "tabletop")
    assert (first.outcome, last.outcome) == (True, False)
    # 8 s at 5 Hz, both ends counted.
    assert len(last.signals["progress"].times) == 41
    assert len(last.views["front"].frames.clock()) == 41
    assert last.views["front"].camera.intrinsics.shape == (3, 3)
    assert run.document["dataset"]["frames"] == sum(
        len(e.signals["progress"].times) for e in episodes
    )


def test_every_frame_can_be_read(run):
    for episode in catalogue.read(run.out):
        times = episode.signals["progress"].times
        frames = list(episode.views["front"].frames.at(times))
        assert {frame.shape for frame in frames} == {(32, 32, 3)}
        assert len(frames) == len(times)


def test_the_files_are_those_of_a_finished_run(run):
    names = {path.name for path in run.out.iterdir()}
    assert names == {
        "data", "log.jsonl", "meta", "rollout.json", "run.json", "timing.json", "videos",
    }  # fmt: skip
    clips = sorted(p.name for p in (run.out / "videos").rglob("*") if p.is_file())
    assert clips == [f"file-{n:03d}.mp4" for n in range(4)]


def test_an_audit_reads_the_truth(run, tmp_path):
    found = audit([run.out], AuditSettings(out=tmp_path / "report", judge="oracle", jobs=1))
    assert found.ok
    success = {c["policy"]: c["success"]["held"]["value"] for c in found.document["cells"]}
    assert success == {"expert": 1.0, "frozen": 0.0}


def test_an_audit_takes_attempts_and_their_matched_controls(run, tmp_path):
    control = rollout(settings(tmp_path / "control", ("expert", "frozen")))
    asked = AuditSettings(
        out=tmp_path / "audit", judge="oracle", by=("perturbation", "policy"), jobs=1, video="none"
    )
    cells = audit([run.out, control.out], asked).document["cells"]
    assert len(cells) == 4
    # The background changes nothing that progress depends on.
    means = {tuple(cell["group"].values()): cell["mp"]["value"] for cell in cells}
    for policy in ("expert", "frozen"):
        found = [value for group, value in means.items() if policy in group]
        assert len(found) == 2
        assert found[0] == found[1]


def test_a_task_with_other_options_is_another_run(tmp_path):
    def tried(limit_s):
        task = LiftBlock(limit_s=limit_s)
        asked = RolloutSettings(tmp_path / "run", task, seeds="0", views=(), fps=5, jobs=1)
        return rollout(asked).document["policies"][0]["successes"]

    assert tried(1.0) == 0  # too short for any lift
    with pytest.raises(RunError, match="task"):
        tried(8.0)


def test_a_label_may_have_spaces(tmp_path):
    policies = {"my own policy": make_policy("policies_made:NotMade", {}, outside=True)}
    failures = rollout(settings(tmp_path / "run", policies, "3", views=())).document["failures"]
    assert [(f["policy"], f["seed"]) for f in failures] == [("my own policy", 3)]


def test_an_object_that_hung_is_not_asked_again(tmp_path):
    # The first of its objects hangs; the next attempt must get another one.
    asked = settings(
        tmp_path / "run", outside("HangsOnce"), "0:2", views=(), act_timeout=3.0, fps=5
    )
    document = rollout(asked).document
    assert [f["seed"] for f in document["failures"]] == [0]
    assert document["policies"][0]["status"]["ok"] == 1


def test_a_finished_run_is_left_as_it_is(run):
    def times():
        files = [path for path in run.out.rglob("*") if path.is_file() and path.name != "run.json"]
        return {path: path.stat().st_mtime_ns for path in files}

    before = times()
    again = rollout(
        settings(run.out, ("expert", "frozen"), perturbations=[make_perturbation("background=2")])
    )
    assert again.document == run.document
    assert times() == before


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"seeds": "0:3"}, "settings differ in seeds"),
        ({"policies": ("expert",)}, "settings differ in policies"),
        ({"size": 48}, "settings differ in size"),
        ({"perturbations": ()}, "settings differ in perturbations"),
    ],
)
def test_other_settings_are_another_run(run, changed, words):
    asked = {"policies": ("expert", "frozen"), "perturbations": [make_perturbation("background=2")]}
    with pytest.raises(RunError, match=words):
        rollout(settings(run.out, **{**asked, **changed}))


def test_without_views_nothing_is_drawn(tmp_path, monkeypatch):
    def refuse():
        raise AssertionError("no GL library is needed")

    monkeypatch.setattr("assay.jobs.rollout.choose", refuse)
    monkeypatch.setattr("assay.worlds.filming.choose", refuse)
    result = rollout(settings(tmp_path / "run", seeds=[3], views=()))
    assert result.ok
    (episode,) = catalogue.read(result.out)
    assert episode.views == {}
    assert episode.outcome is True


def test_faults_of_policies_are_told_apart_and_stop_no_one_else(tmp_path):
    policies = outside("Raises", "NotMade", "TooNarrow", "Looks")
    result = rollout(settings(tmp_path / "run", policies, "4"))
    statuses = {row["policy"]: row["status"] for row in result.document["policies"]}
    ok, fault = {"ok": 1, "policy_fault": 0}, {"ok": 0, "policy_fault": 1}
    assert {name: {k: s[k] for k in ok} for name, s in statuses.items()} == {
        "Raises": fault, "NotMade": fault, "TooNarrow": fault, "Looks": ok,
    }  # fmt: skip
    assert not result.ok
    assert result.document["failures"][0] == {
        "policy": "Raises",
        "seed": 4,
        "status": "policy_fault",
        "detail": "The policy raised ValueError: no idea when asked to act with 'Raises' on seed 4"
        " at 0.2 s.",
    }
    assert "weights.bin" in result.document["failures"][1]["detail"]
    assert "policy_fault: 3 of 4 attempts" in result.problems()[0]
    # The fourth attempt keeps its number; the others left no clip.
    assert [p.name for p in (result.out / "videos").rglob("*.mp4")] == ["file-003.mp4"]
    assert [e.policy for e in catalogue.read(result.out)] == ["Looks"]


def test_what_failed_is_tried_again_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = settings(tmp_path / "run", outside("FailsOnce", "Logged"), "0")
    first = rollout(asked)
    assert [f["policy"] for f in first.document["failures"]] == ["FailsOnce"]
    (tmp_path / "mended").touch()
    second = rollout(asked)
    assert second.ok
    assert begun(tmp_path) == 1
    assert [e.policy for e in catalogue.read(second.out)] == ["FailsOnce", "Logged"]
    assert not (second.out / "journal.sqlite").exists()


def test_a_failure_of_the_harness_is_not_the_policys(tmp_path, monkeypatch):
    monkeypatch.setattr("assay.worlds.world.World.diverged", lambda self: self.seed == 1)
    result = rollout(settings(tmp_path / "run", views=()))
    (row,) = result.document["policies"]
    assert row["status"] == {"ok": 1, "policy_fault": 0, "harness_failure": 1}
    assert (row["success"]["worst"], row["success"]["best"]) == (0.5, 1.0)
    assert "diverged" in result.document["failures"][0]["detail"]


def test_a_run_without_any_episode_has_no_dataset(tmp_path):
    result = rollout(settings(tmp_path / "run", outside("NotMade"), "0"))
    assert not result.ok
    assert result.document["dataset"]["episodes"] == 0
    assert not (result.out / "meta").exists()


@pytest.mark.parametrize("where", ["assay.jobs._attempts._require_room", "os.replace"])
def test_a_full_disk_is_one_sentence_and_loses_nothing(tmp_path, monkeypatch, where):
    asked = settings(tmp_path / "run", seeds="0:2")

    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        if where == "os.replace":
            patched.setattr("assay.episodes.lerobot.writing.clip.ClipWriter.close", full)
        else:
            patched.setattr(where, full)
        with pytest.raises(RunError, match=r"is full\. What was finished is kept"):
            rollout(asked)
        assert not (asked.out / "rollout.json").exists()
    assert rollout(asked).ok


def test_kill_and_resume_gives_the_same_files_and_repeats_nothing(tmp_path, monkeypatch):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    monkeypatch.chdir(whole)
    name = "policies_made:Logged"
    policies = {name: make_policy(name, outside=True)}
    assert rollout(settings(whole / "run", policies, "0:4")).ok
    found = kill_and_resume(
        killed, 4, lambda: begun(killed) >= 3, files_of(whole / "run"), hold="4"
    )
    assert 0 < found.stored < 4
    assert found.repeated == 0
    assert found.identical


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"fps": 3}, "--fps must divide 20"),
        ({"views": ("front", "top")}, "no view named 'top'"),
        ({"views": ("front", "front")}, "names a view twice"),
        ({"size": 4}, "--size must be 16 to 1024"),
        ({"quality": "god"}, "Did you mean 'good'"),
        ({"act_timeout": 0.0}, "--act-timeout must be above 0"),
        ({"jobs": 0}, "--jobs must be at least 1"),
        ({"policies": ()}, "at least one policy"),
        ({"policies": ("expert", "expert")}, "asked for twice"),
        ({"policies": ("exprt",)}, "Did you mean 'expert'"),
        ({"policies": ("policies_made:Still",)}, "There is no policy named"),
        ({"seeds": "5:3"}, "holds no seed"),
        ({"seeds": "a"}, "--seeds takes seeds and ranges"),
        ({"seeds": "0:4,3"}, "holds the seed 3 twice"),
    ],
)
def test_what_can_not_be_meant_is_refused_before_anything_is_made(tmp_path, changed, words):
    with pytest.raises(UsageError, match=words):
        rollout(settings(tmp_path / "run", **changed))
    assert not (tmp_path / "run").exists()


def test_a_task_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UnknownNameError, match="Did you mean 'lift-block'"):
        rollout(RolloutSettings(out=tmp_path / "run", task="lift-blok"))


@pytest.mark.parametrize(
    ("text", "seeds"),
    [("3", (3,)), ("0:4", (0, 1, 2, 3)), ("0:2, 7,20:22", (0, 1, 7, 20, 21)), ("5,1", (5, 1))],
)
def test_seeds_are_read_and_written(text, seeds):
    assert seeds_from(text) == seeds
    assert seeds_from(seeds_in_words(seeds)) == seeds


def test_a_perturbation_takes_its_level_as_its_first_field():
    assert make_perturbation("background").label == "background-1"
    assert make_perturbation("background=4").label == "background-4"
    with pytest.raises(UsageError, match="can't be 'many'"):
        make_perturbation("background=many")
    with pytest.raises(UnknownNameError, match="Did you mean 'background'"):
        make_perturbation("backgroud")


def test_a_policy_of_another_package_gets_its_options():
    policy = make_policy("policies_made:Chunks", {"count": "3"}, outside=True)
    actor = policy.actor(None, 0)
    assert actor.count == 3
    actor.reset("")
    assert np.shape(actor.act(type("Seen", (), {"time": 0.0}))) == (3, 8)


def test_what_is_no_policy_is_refused():
    with pytest.raises(UsageError, match="is no policy: it needs the methods"):
        make_policy("policies_made:HOME", outside=True)


def test_a_policy_that_changes_the_folder_moves_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    done = rollout(settings(Path("run"), outside("Moves"), "0"))
    assert done.ok
    assert (tmp_path / "run" / "meta" / "info.json").is_file()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_finished_run_that_lost_a_clip_says_so(tmp_path):
    asked = settings(tmp_path / "run", seeds="0")
    rollout(asked)
    next((tmp_path / "run").rglob("*.mp4")).unlink()
    with pytest.raises(RunError, match="is gone or empty"):
        rollout(asked)


def test_what_failed_is_tried_again_without_the_journal_too(tmp_path):
    asked = settings(tmp_path / "run", outside("NotMade"), "0", views=())
    assert not rollout(asked).ok
    (tmp_path / "run" / "journal.sqlite").unlink()
    again = rollout(asked)
    assert [f["status"] for f in again.document["failures"]] == ["policy_fault"]
    assert (tmp_path / "run" / "journal.sqlite").is_file()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"act_timeout": 1e300}, "at most a day"),
        ({"seeds": "9223372036854775808"}, "at most 15 digits"),
        (
            {"perturbations": [make_perturbation(f"background={n}") for n in (1, 2)]},
            "each can be given once",
        ),
    ],
)
def test_what_is_out_of_all_bounds_is_refused(tmp_path, changed, words):
    with pytest.raises(UsageError, match=words):
        rollout(settings(tmp_path / "run", **changed))
