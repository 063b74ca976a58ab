"""A finished audit scored again from the ledger, and the failures of one tried again."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import models_tiny
from assay.errors import RunError, UsageError
from assay.jobs.audit import AuditSettings, audit
from assay.jobs.replay import ReplaySettings, replay
from assay.models.address import parse
from assay.models.ledger import Ledger
from assay.models.session import ModelSettings, opened
from clips import write_clip
from model_server import MODEL, ModelServer, error, say
from models_loopback import by_schema, instruct

MOMENTS = {"fps": 2.0, "video": "none"}


@pytest.fixture
def clips(tmp_path):
    folder = tmp_path / "clips"
    folder.mkdir()
    for number in range(2):
        write_clip(folder / f"clip{number}.mp4", frames=16, fps=8, first=100 * number)
    instruct(folder)
    return folder


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    path = tmp_path / "ledger.sqlite"
    monkeypatch.setenv("ASSAY_LEDGER", str(path))
    return path


def judged(server, clips, out, **more):
    """Audit with a model behind `server`."""
    model = f"openai:stub@{server.url}"
    settings = AuditSettings(out, "vlm-pairwise", {"model": model}, **MOMENTS, **more)
    with opened(ModelSettings(tries=1)):
        return audit([clips], settings)


@pytest.fixture
def run(clips, ledger, tmp_path):
    """A finished audit whose model is no longer there."""
    with ModelServer(by_schema) as server:
        result = judged(server, clips, tmp_path / "run")
        assert server.count > 0
    assert result.ok
    return result.out


def test_a_run_is_scored_again_though_its_model_is_gone(run):
    before = {p.name: p.read_bytes() for p in run.iterdir() if p.is_file()}
    again = replay(run)
    assert again.out == run.with_name("run-replay")
    assert again.ok
    assert again.compared == 2
    assert again.differing == ()
    assert again.problems() == [f"The same as in {run}: 2 of 2 curves."]
    assert again.document["cells"] == json.loads(before["audit.json"])["cells"]
    assert {p.name: p.read_bytes() for p in run.iterdir() if p.is_file()} == before
    assert "no model was asked" in again.document["settings"]["note"]


def test_what_the_ledger_lacks_is_transport_and_told(run, clips, tmp_path):
    asked_otherwise = replay(run, ReplaySettings(options={"side": "32"}))
    assert not asked_otherwise.ok
    assert {s for c in asked_otherwise.document["cells"] for s in c["status"]} == {"transport"}
    assert any("and no model is asked" in line for line in asked_otherwise.problems())


def test_another_place_of_the_answers(run, ledger, tmp_path):
    ledger.rename(tmp_path / "moved.sqlite")
    again = replay(run, ReplaySettings(out=tmp_path / "a", ledger=tmp_path / "moved.sqlite"))
    assert again.ok


def test_episodes_that_moved_and_changed(run, clips, tmp_path):
    moved = tmp_path / "elsewhere" / clips.name
    moved.parent.mkdir()
    clips.rename(moved)
    same = replay(run, ReplaySettings(out=tmp_path / "same", sources=(str(moved),)))
    assert (same.differing, same.moved) == ((), False)
    write_clip(moved / "clip1.mp4", frames=16, fps=8, first=500)
    again = replay(run, ReplaySettings(sources=(str(moved),)))
    assert again.differing == ("vlm-pairwise: clip1",)
    assert f"The episodes have changed since {run} was judged." in again.problems()


def test_failures_stay_the_failures_they_were(clips, ledger, tmp_path):
    def prose_for_one(asked):
        return say("It goes well.") if asked.nth % 2 else by_schema(asked)

    with ModelServer(prose_for_one) as server:
        first = judged(server, clips, tmp_path / "run", jobs=1)
    again = replay(tmp_path / "run")
    assert again.differing == ()
    assert [c["status"] for c in again.document["cells"]] == [
        c["status"] for c in first.document["cells"]
    ]


NEW = "stub-2027-01"


def as_new(asked):
    """Answer as the next revision of the model, and the other way round."""
    return say(json.dumps({"answer": "-1"}), model=NEW)


def pin(ledger, server, revision):
    """Do what `assay ledger pin` does."""
    with Ledger(ledger) as kept:
        kept.pin(parse(f"openai:stub@{server.url}"), revision, change=True)


def told_in(result):
    (came_to,) = result.document["asked"].values()
    return came_to["revisions"]


def test_a_replay_takes_the_answers_of_the_revision_that_judged_the_run(clips, ledger, tmp_path):
    with ModelServer(by_schema) as server:
        old = judged(server, clips, tmp_path / "old")
        pin(ledger, server, NEW)
        server.answering = as_new
        new = judged(server, clips, tmp_path / "new")
        asked = server.count
    assert (told_in(old), told_in(new)) == ({MODEL: 8}, {NEW: 8})
    for run in (old, new):
        again = replay(run.out)
        assert again.ok
        assert again.differing == ()
        assert told_in(again) == told_in(run)
        assert again.document["cells"] == run.document["cells"]
    assert server.count == asked
    with Ledger(ledger) as kept:
        assert set(kept.pins().values()) == {NEW}  # a replay changes nothing


def test_a_replay_never_takes_answers_of_another_revision(clips, ledger, tmp_path):
    with ModelServer(by_schema) as server:
        run = judged(server, clips, tmp_path / "run")
        pin(ledger, server, NEW)
        server.answering = as_new
        options = {"samples": 2}  # drawn at a temperature: other questions
        model = f"openai:stub@{server.url}"
        with opened(ModelSettings(tries=1)):
            judge = AuditSettings(
                tmp_path / "new", "vlm-pairwise", {"model": model, **options}, **MOMENTS
            )
            assert audit([clips], judge).ok
    again = replay(run.out, ReplaySettings(options=options))
    assert not again.ok
    assert told_in(again) == {}
    (told,) = [line for line in again.problems() if line.startswith("Not scored")]
    assert f"no answer of openai:stub@{server.url} as {MODEL!r} to this" in told
    assert f"only one of {NEW!r}" in told


def test_a_run_of_two_revisions_is_told_again_as_it_was(clips, ledger, tmp_path):
    # Such runs are no longer made; an old one has one clip of each.
    with ModelServer(by_schema) as server:
        run = judged(server, clips, tmp_path / "run").out
        pin(ledger, server, NEW)
        server.answering = as_new
        new = judged(server, clips, tmp_path / "new").out
    for name in ("calls.parquet", "curves.parquet", "episodes.parquet"):
        mixed = [
            row
            for folder, clip in ((run, "clip0"), (new, "clip1"))
            for row in pq.read_table(folder / name).to_pylist()
            if row["episode"] == clip
        ]
        schema = pq.read_schema(run / name)
        pq.write_table(pa.Table.from_pylist(mixed, schema=schema), run / name)
    again = replay(run)
    assert again.ok
    assert again.differing == ()
    assert told_in(again) == {MODEL: 4, NEW: 4}
    assert "they are not one model" in again.problems()[0]


@pytest.mark.parametrize(
    ("context", "status"),
    [
        (8192, "truncated"),  # it speaks on and on
        (64, "transport"),  # no question fits
    ],
)
def test_weights_that_are_gone_are_not_missed(clips, ledger, tmp_path, context, status):
    folder = models_tiny.llava(tmp_path / "tiny", context=context)
    options = {"model": f"transformers:{folder}", "max_tokens": 4}
    with opened(ModelSettings()):
        settings = AuditSettings(tmp_path / "run", "vlac", options, fps=1.0, limit=1, video="none")
        run = audit([clips], settings)
    shutil.rmtree(folder)
    again = replay(run.out)
    assert {s for cell in again.document["cells"] for s in cell["status"]} == {status}
    assert again.differing == ()


def test_a_run_judged_by_a_replay_is_scored_again(run, clips, tmp_path):
    options = {"model": f"replay:{run}"}
    with opened(ModelSettings()):
        second = AuditSettings(tmp_path / "second", "vlm-pairwise", options, **MOMENTS)
        told = audit([clips], second)
    assert told.ok
    again = replay(told.out)
    assert again.ok
    assert again.differing == ()


@pytest.mark.parametrize("bad", [error(500), say("It goes well.")])
def test_retry_asks_only_what_failed(clips, ledger, tmp_path, bad):
    down = True

    def sometimes(asked):
        return bad if down and asked.nth >= 3 else by_schema(asked)

    with ModelServer(sometimes) as server:
        first = judged(server, clips, tmp_path / "run", jobs=1)
        assert not first.ok
        down, before = False, server.count
        again = judged(server, clips, tmp_path / "run", jobs=1, retry=True)
        assert again.ok
        # Two clips of 1.9 s at 2 a second: five moments, four hops each. Three were answered.
        assert server.count - before == 2 * 4 - 3


def test_code_of_the_users_own_is_never_called_by_a_file(run):
    record = json.loads((run / "run.json").read_text())
    record["settings"]["judge"]["name"] = "os:system"
    (run / "run.json").write_text(json.dumps(record))
    with pytest.raises(UsageError, match="judged by os:system, and code of your own is never"):
        replay(run)


def test_only_a_finished_audit_can_be_scored_again(run, tmp_path):
    with pytest.raises(RunError, match="is no run directory"):
        replay(tmp_path / "nothing")
    with pytest.raises(RunError, match="is the run itself"):
        replay(run, ReplaySettings(out=run))
    (run / "audit.json").unlink()
    with pytest.raises(RunError, match="not finished"):
        replay(run)
    record = json.loads((run / "run.json").read_text())
    for change, told in (
        ({"verb": "rollout"}, "holds a run of 'rollout'; replay is for audits"),
        ({"schema": "assay.run/2"}, r"schema 'assay\.run/2'; this version reads"),
    ):
        (run / "run.json").write_text(json.dumps(record | change))
        with pytest.raises(RunError, match=told):
            replay(run)
