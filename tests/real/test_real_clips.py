"""Checks on a folder of real clips with a manifest: `make real CLIPS=DIR`."""

import json
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from any_judge import JUDGES, audited
from assay.benchmarks.glitches.injecting.orders import injectors
from assay.episodes import catalogue, sampling
from assay.episodes.glitches.reports import read_reports
from assay.jobs.audit import AuditSettings, audit
from assay.jobs.build_glitches import BuildGlitchesSettings, build_glitches
from assay.jobs.certify import CertifySettings, certify
from assay.jobs.train import TrainSettings, train
from assay.judges import make_judge
from assay.records import Episode, Unreadable
from assay.reports import words


def told(text):
    """Print what stands in docs/judging.md; pytest shows it with -s."""
    sys.stdout.write(f"{text}\n")


@pytest.fixture(scope="module")
def clips():
    return Path(os.environ["CLIPS"])


@pytest.fixture(scope="module")
def found(clips):
    return list(catalogue.read(clips))


def test_every_clip_of_the_manifest_is_read(found):
    assert found
    assert [e.detail for e in found if isinstance(e, Unreadable)] == []


def test_frames_come_in_step_from_every_view(found):
    for episode in found:
        times = sampling.uniform(episode.duration(), 8)
        shown = list(sampling.synced(episode.views, times))
        assert len(shown) == 8
        assert all(set(pictures) == set(episode.views) for pictures in shown)


def test_a_real_clip_moves(found):
    for episode in found:
        view = next(iter(episode.views.values()))
        first, last = view.frames.at(np.array([0.0, episode.duration()]))
        assert np.abs(first.astype(int) - last).mean() > 0.5, episode.id


def test_an_audit_of_pixels_finishes(clips, tmp_path):
    judge = make_judge("judge_functions:brightness", outside=True)
    result = audit([clips], AuditSettings(out=tmp_path / "run", judge=judge, fps=2))
    assert result.ok
    assert (tmp_path / "run" / "index.html").stat().st_size > 10_000


@pytest.mark.parametrize("which", JUDGES)
def test_the_same_command_with_any_judge(found, clips, which, tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_LEDGER", str(tmp_path / "ledger.sqlite"))
    document = audited(clips, which, tmp_path, "--fps", "0.1")
    assert sum(cell["n"] for cell in document["cells"]) == len(found)


def test_subtasks_give_the_oracle_its_progress(found, clips, tmp_path):
    marked = [e for e in found if isinstance(e, Episode) and e.segments]
    result = audit([clips], AuditSettings(out=tmp_path / "run", judge="oracle"))
    scored = sum(cell["status"].get("ok", 0) for cell in result.document["cells"])
    unknown = sum(cell["status"].get("no_reference", 0) for cell in result.document["cells"])
    assert (scored, unknown) == (len(marked), len(found) - len(marked))
    json.dumps(result.document, allow_nan=False)


def test_prm_mini_says_that_it_has_not_seen_such_scenes(clips, tmp_path):
    result = audit([clips], AuditSettings(out=tmp_path / "run", judge="prm-mini", fps=1))
    judge = result.document["judge"]
    told(f"novel to prm-mini: {words.number(judge['novel'])} % of the moments of the clips")
    assert judge["novel"]["low"] > judge["card"]["novel_limit"]
    assert "has not seen such scenes" in (tmp_path / "run" / "index.html").read_text()


def of_one(episode, folder):
    """Return a folder with the clips of one episode, and a manifest that has no other."""
    folder.mkdir()
    segments = [{"name": s.name, "start_s": s.start_s, "end_s": s.end_s} for s in episode.segments]
    rows = []
    for name, view in episode.views.items():
        file = f"{name}{Path(view.frames.path).suffix}"
        shutil.copyfile(view.frames.path, folder / file)  # a link would lead out of the folder
        about = {"instruction": episode.instruction, "segments": segments}
        rows.append({"file": file, "episode": episode.id, "view": name, **about})
    (folder / "manifest.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


def test_a_judge_trained_on_one_long_episode_runs_on_the_other(found, clips, tmp_path):
    first, second = [e for e in found if isinstance(e, Episode) and e.segments][:2]
    assert found[0].id == first.id  # what --limit takes
    other = of_one(second, tmp_path / "other")
    assert [e.id for e in catalogue.read(other)] == [second.id]  # and nothing that it learns from
    mine = tmp_path / "mine"
    trained = train(
        [clips],
        TrainSettings(out=mine, limit=1, validation=0.0, fps=2.0, steps=40, start="scratch"),
    )
    assert trained.ok
    passport = certify(
        CertifySettings(out=tmp_path / "passport", judge=str(mine), on=(other,), worlds=False)
    )
    assert {line["domain"] for line in passport.document["checks"]} == {"your episodes"}
    result = audit([other], AuditSettings(out=tmp_path / "run", judge=make_judge(str(mine)), fps=2))
    assert result.ok
    assert result.document["judge"]["passport"]["path"]
    told(f"novel to it: {words.number(result.document['judge']['novel'])} % of the moments")
    for line in passport.document["checks"]:
        told(f"{line['title']}: {line['verdict']}, {words.number(line['value'])} ({line['why']})")
    curve = make_judge(str(mine)).progress(second, sampling.uniform(second.duration(), 20))
    told(f"progress: {curve.values[:5].mean():.2f} first, {curve.values[-5:].mean():.2f} at last")
    assert curve.values[-5:].mean() > curve.values[:5].mean()  # the table gets tidier


def test_real_clips_are_spoilt_by_every_type_that_needs_only_pictures(clips, tmp_path):
    out = tmp_path / "spoilt"
    result = build_glitches(BuildGlitchesSettings(out, 30, (str(clips),), size=160))
    assert result.ok, result.problems()
    wanted = {one.type for one in injectors().values() if one.needs in ("frames", "recorded")}
    assert wanted == {kind for kind, counts in result.document["types"].items() if counts}
    references = read_reports(out / "references.jsonl", truth=True)
    assert sum(not report.events for report in references.values()) == 9  # 30 % of 30
    again = list(catalogue.read(out / "recorded"))
    assert [e.id for e in again] == list(references)
    for episode in again:
        length = references[episode.id].length_s
        assert episode.duration() < length < episode.duration() + 1.0


# All that is said of clips that are known, and why; docs/instruments.md tells it too.
# This camera is on the gripper, and its view is called "single": nothing says that it moves.
EXPLAINED = {"berkeley_rpt_stack_cup": {"camera_instability"}}


@pytest.fixture(scope="module")
def alarms(found):
    """Return the types that are said of each view by itself, and how many views there are."""
    said = {}
    for episode in found:
        for name, view in episode.views.items():
            judged = alone(episode, name, view)
            assert judged.status == "ok", (episode.id, judged.detail)
            said[episode.id, name] = {event.type for event in judged.value}
    return {key: types for key, types in said.items() if types}, len(said)


def alone(episode, name, view):
    return make_judge("instruments").diagnose(replace(episode, views={name: view}, signals={}))


def test_instruments_raise_an_alarm_on_one_real_clip_in_ten_at_most(alarms):
    raised, videos = alarms
    assert 10 * len(raised) <= videos, raised


def test_every_alarm_on_known_clips_has_its_reason_and_its_remedy(found, alarms):
    known = [episode for episode in found if episode.id in EXPLAINED]
    for episode in known:
        for name, view in episode.views.items():  # the column `moves` of a manifest says so
            assert alone(episode, name, replace(view, moves=True)).value == ()
    if known:
        assert {clip: types for (clip, _), types in alarms[0].items()} == EXPLAINED
