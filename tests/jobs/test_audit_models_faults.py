"""An audit that asks a model, where something goes wrong on the way."""

import json
import sys
import tracemalloc

import pyarrow.parquet as pq
import pytest

import episodes_made as make
from assay.engine.base import Failure, Report
from assay.engine.work import perform, stop_at
from assay.errors import MissingExtraError, RunError, UsageError
from assay.jobs._calls import _packed, asked
from assay.jobs._units import decode, worker
from assay.jobs.audit import AuditResult, AuditSettings, audit
from assay.models.address import parse
from assay.models.ledger import Ledger
from assay.models.session import ModelSettings
from model_server import MODEL, ModelServer, error, say
from models_loopback import by_schema, write_instructed

# At 2 a second a clip of 16 frames at 8 a second has five moments, so four questions.
CLIPS, HOPS = 3, 4
NEW = "stub-2027-01"


@pytest.fixture
def clips(tmp_path):
    return write_instructed(tmp_path / "clips", CLIPS)


@pytest.fixture
def judged(clips, tmp_path):
    """Audit clip after clip; all audits of a test have one run directory."""

    def audited(server, ledger="ledger.sqlite", **more):
        models = ModelSettings(ledger=tmp_path / ledger, tries=1)
        options = {"model": f"openai:stub@{server.url}"}
        settings = {"fps": 2.0, "video": "none", "jobs": 1, "judge": "vlm-pairwise"} | more
        return audit(
            [clips], AuditSettings(tmp_path / "run", options=options, models=models, **settings)
        )

    return audited


def pin(tmp_path, server, revision):
    """Do what `assay ledger pin` does."""
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        ledger.pin(parse(f"openai:stub@{server.url}"), revision, change=True)


def answered(asked, model):
    return say(json.dumps({"answer": "+1"}), model=model)


def changing(asked):
    """Answer for one clip, and then as another revision."""
    return answered(asked, MODEL if asked.nth < HOPS else NEW)


def revisions(result):
    rows = pq.read_table(result.out / "calls.parquet").to_pylist()
    return {row["revision"] for row in rows if row["status"] == "ok"}


def told_in(result):
    (came_to,) = result.document["asked"].values()
    return came_to["revisions"]


def test_a_run_that_is_tried_again_is_of_one_revision(judged, tmp_path):
    with ModelServer(changing) as server:
        first = judged(server)
        assert not first.ok
        assert told_in(first) == {MODEL: HOPS}
        assert any("assay ledger pin" in line for line in first.problems())
        pin(tmp_path, server, NEW)
        again = judged(server, retry=True)
    assert again.ok
    assert again.problems() == []
    assert revisions(again) == {NEW}
    assert told_in(again) == {NEW: CLIPS * HOPS}


def test_what_an_interrupted_retry_left_is_not_mixed_either(judged, tmp_path, monkeypatch):
    with ModelServer(changing) as server:
        judged(server)
        pin(tmp_path, server, NEW)
        with monkeypatch.context() as patch:
            full_after(patch, HOPS)
            with pytest.raises(RunError, match="No space is left"):
                judged(server, retry=True)
        again = judged(server)  # without --retry: what failed has no answer, what is ok is new
    assert revisions(again) == {NEW}


def test_another_ledger_is_held_to_the_revision_of_the_run(judged):
    server_of = {"fails": True}

    def failing(asked):
        if server_of["fails"]:
            return error(500) if asked.nth >= HOPS else answered(asked, MODEL)
        return answered(asked, NEW)

    with ModelServer(failing) as server:
        assert told_in(judged(server)) == {MODEL: HOPS}
        server_of["fails"] = False
        again = judged(server, ledger="new.sqlite", retry=True)
    assert told_in(again) == {MODEL: HOPS}
    assert any(f"answers as {NEW!r} now" in line for line in again.problems())


def test_two_revisions_in_one_table_are_told():
    cells = [{"status": {"ok": 2}, "n": 2}]
    came_to = {"openai:stub": {"revisions": {"": 1, "A": 3}}}
    (told,) = AuditResult("run", {"cells": cells, "asked": came_to}).problems()
    assert "openai:stub answered as 2 revisions (not told: 1, A: 3)" in told


def full_after(patch, answers):
    """Let a ledger take so many answers more."""
    store, stored = Ledger.put, []

    def put(self, *row):
        if len(stored) >= answers:
            raise RunError("No space is left for the ledger.")
        store(self, *row)
        stored.append(row)

    patch.setattr(Ledger, "put", put)


def test_a_ledger_that_is_full_ends_the_run_and_it_goes_on_later(judged, tmp_path, monkeypatch):
    with ModelServer(by_schema) as server:
        with monkeypatch.context() as patch:
            full_after(patch, HOPS)
            with pytest.raises(RunError, match="No space is left for the ledger"):
                judged(server)
        sent = server.count
        # One clip was judged; of the next one no more was sent than had begun.
        assert HOPS < sent <= 2 * HOPS
        assert not (tmp_path / "run" / "audit.json").exists()
        assert (tmp_path / "run" / "journal.sqlite").exists()
        pin(tmp_path, server, NEW)
        with pytest.raises(RunError, match=f"was begun with .* as '{MODEL}', and it is pinned to"):
            judged(server)
        pin(tmp_path, server, MODEL)
        again = judged(server)
        assert server.count - sent == (CLIPS - 1) * HOPS
    assert again.ok
    assert told_in(again) == {MODEL: CLIPS * HOPS}


def test_what_must_be_installed_stops_an_audit(judged, tmp_path, monkeypatch):
    with ModelServer(by_schema) as server:
        monkeypatch.setitem(sys.modules, "aiohttp", None)
        with pytest.raises(MissingExtraError, match="aiohttp"):
            judged(server)
        monkeypatch.undo()
        assert server.count == 0
    assert not (tmp_path / "run").exists()


def test_a_batch_ends_where_the_run_must():
    def work(payload):
        if payload == "full":
            raise RunError("No space is left.")
        return payload.encode()

    report = Report()
    perform(work, [("1", "a"), ("2", "full"), ("3", "b")], report)
    assert report.results == [("1", b"a")]
    assert [failure.key for failure in report.failures] == ["2"]
    assert report.count == 2  # so the third is handed back
    with pytest.raises(RunError, match=r"^No space is left\.$"):
        stop_at(report.failures)
    stop_at([Failure("4", "ValueError", "one unit's own")])


class Asking:
    """A judge that can't be used as asked."""

    def clock(self, episode, fps):
        raise UsageError("Option view must be one of front, wrist.")


def test_what_a_judge_refuses_is_told_in_its_own_words():
    judge = worker((Asking(),), None)()
    scored = decode(judge((0, make.full_episode())))
    assert (scored.status, scored.detail) == (
        "invalid_value",
        "Option view must be one of front, wrist.",
    )


def test_an_episode_without_an_instruction_says_how_to_give_one(judged, clips, tmp_path):
    (clips / "manifest.csv").unlink()
    with ModelServer(by_schema) as server:
        without = judged(server, limit=1)
        assert server.count == 0
        (line,) = without.problems()
        assert "in the column 'instruction' of the manifest, or of a csv for --labels" in line
        labels = tmp_path / "labels.csv"
        labels.write_text("episode,instruction\nclip0,Lift the block.\n")
        settings = {"labels": labels, "limit": 1}
        (tmp_path / "run").rename(tmp_path / "before")
        assert judged(server, **settings).ok
        assert "Lift the block." in server.asked[0].text


def test_adding_up_does_not_hold_what_was_said():
    # 400 questions of 100,000 characters each: 40 MB, of which nothing but numbers is kept.
    row = {"model": "m", "revision": "r", "status": "ok", "detail": "", "reply": "", "pictures": []}
    row |= {"input_tokens": 1, "output_tokens": 1, "cost": 0.5}
    said = "x" * 100_000
    packed = {
        "judge": {
            f"{n:03}": _packed([{**row, "key": f"{n}", "prompt": f"{n} {said}"}])
            for n in range(400)
        }
    }
    tracemalloc.start()
    try:
        came_to = asked(packed)["m"]
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (came_to["distinct"], came_to["cost"], came_to["input_tokens"]) == (400, 200.0, 400)
    assert most < 4_000_000
