"""A benchmark whose judge asks a model: planned, paid for once, and told."""

import pytest

from assay.episodes.lerobot.writer import write_lerobot
from assay.errors import RunError, UsageError
from assay.jobs import _pulse_running
from assay.jobs.bench import BenchSettings, bench, plan
from assay.jobs.build import BuildSettings, build
from assay.judges import make_judge
from assay.judges.ramp import Ramp
from assay.models.address import parse
from assay.models.ledger import Ledger
from assay.models.session import ModelSettings
from lerobot_sets import made_episode
from model_server import MODEL, ModelServer, cut
from models_loopback import answering_as, by_schema


def make_benchmark(root):
    """Build pulse from two demonstrations of 10 s that succeed."""
    about = {"world": None, "perturbation": None, "outcome": True}
    write_lerobot(root / "arm", [made_episode(k, 100, **about) for k in range(2)], fps=10)
    return build([root / "arm"], BuildSettings(root / "pulse", setting="Real")).out


def test_a_judge_that_asks_a_model_is_planned_and_asked_once(tmp_path):
    folder = make_benchmark(tmp_path)
    with ModelServer(by_schema) as server:
        model = f"openai:stub@{server.url}"
        judges = {"vlac": make_judge("vlac", {"model": model})}

        def settings(name, **more):
            how = ModelSettings(ledger=tmp_path / "ledger.sqlite", **more)
            return BenchSettings(tmp_path / name, judges=judges, limit=1, jobs=1, models=how)

        planned = plan(folder, settings("run"))
        assert server.count == 0
        assert not (tmp_path / "run").exists()
        done = bench(folder, settings("run"))
        assert 0 < planned.usage[model].calls == server.count
        assert done.usage["models"][model]["calls"] == server.count
        again = bench(folder, settings("again"))
        assert again.usage["models"][model]["calls"] == 0
        assert again.usage["models"][model]["cached"] >= server.count
        assert again.document == done.document
        with pytest.raises(UsageError, match="call plan instead"):
            bench(folder, settings("run", plan=True))


@pytest.fixture
def asked(tmp_path):
    """Return a benchmark, a server, and a function that makes settings for a judge of pairs."""
    folder = make_benchmark(tmp_path)
    with ModelServer(by_schema) as server:
        judges = {"vlac": make_judge("vlac", {"model": f"openai:stub@{server.url}"})}

        def settings(name, ledger="ledger.sqlite", **more):
            how = ModelSettings(ledger=tmp_path / ledger, tries=1)
            return BenchSettings(tmp_path / name, judges=judges, jobs=1, models=how, **more)

        yield folder, server, settings


def test_a_finished_run_that_lacks_answers_is_taken_up(asked, tmp_path, monkeypatch):
    folder, server, settings = asked
    server.answering = lambda asked: by_schema(asked) if asked.nth < 5 else cut()
    broken = bench(folder, settings("run"))
    (vlac,) = [judge for judge in broken.document["judges"] if judge["name"] == "vlac"]
    lost = vlac["counts"]["invalid"]
    assert lost > 0
    assert vlac["trouble"][0]["status"] == "transport"
    assert broken.problems()[-1].startswith("--retry asks again")
    # unanswered pairs are wrong at worst and right at best
    pairs = vlac["overall"]["pairs"]
    assert pairs["best"] - pairs["worst"] == pytest.approx(lost / broken.document["items"])
    server.answering, before = by_schema, server.count
    assert bench(folder, settings("run")).document == broken.document
    assert server.count == before
    # a retry asks who has no answer, and nobody else
    nulls = []
    monkeypatch.setattr(Ramp, "progress", lambda *told: nulls.append(told))
    mended = bench(folder, settings("run", retry=True))
    assert (mended.ok, nulls) == (True, [])
    assert server.count > before
    monkeypatch.undo()
    assert mended.document == bench(folder, settings("whole")).document
    assert not list((tmp_path / "run").glob("units*"))


def test_answers_that_never_came_are_not_journalled(asked, monkeypatch):
    folder, server, settings = asked
    server.answering = lambda asked: cut()

    def stopped(*told):
        raise KeyboardInterrupt

    monkeypatch.setattr(_pulse_running, "write_pulse_page", stopped)
    with pytest.raises(KeyboardInterrupt):
        bench(folder, settings("run"))
    monkeypatch.undo()
    server.answering = by_schema
    assert bench(folder, settings("run")).ok  # the same command goes on


NEW = "stub-2027-01"


def told_in(result):
    (came_to,) = result.document["asked"].values()
    return set(came_to["revisions"])


def pin(tmp_path, server, revision):
    """Do what `assay ledger pin` does."""
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        ledger.pin(parse(f"openai:stub@{server.url}"), revision, change=True)


def first_episode(asked):
    """Run the first of two episodes; return its calls, so that the second can be made to fail."""
    folder, server, settings = asked
    bench(folder, settings("first", ledger="other.sqlite", limit=1))
    return server.count


def test_a_retry_is_of_one_revision(asked, tmp_path):
    folder, server, settings = asked
    calls = first_episode(asked)
    # The first episode is answered, in the second the endpoint answers as another revision.
    server.answering = lambda asked: answering_as(MODEL if asked.nth < 2 * calls else NEW, asked)
    broken = bench(folder, settings("run"))
    assert told_in(broken) == {MODEL}
    assert any("assay ledger pin" in line for line in broken.problems())
    pin(tmp_path, server, NEW)
    mended = bench(folder, settings("run", retry=True))
    assert mended.ok
    assert mended.problems() == []
    assert told_in(mended) == {NEW}


def test_another_ledger_is_held_to_the_revision_of_the_run(asked):
    folder, server, settings = asked
    calls = first_episode(asked)
    server.answering = lambda asked: by_schema(asked) if asked.nth < 2 * calls else cut()
    assert told_in(bench(folder, settings("run"))) == {MODEL}
    server.answering = lambda asked: answering_as(NEW, asked)
    again = bench(folder, settings("run", ledger="new.sqlite", retry=True))
    assert told_in(again) == {MODEL}
    assert any(f"answers as {NEW!r} now" in line for line in again.problems())


def test_what_was_begun_with_another_revision_is_refused(asked, tmp_path, monkeypatch):
    folder, server, settings = asked

    def stopped(*told):
        raise KeyboardInterrupt

    monkeypatch.setattr(_pulse_running, "write_pulse_page", stopped)
    with pytest.raises(KeyboardInterrupt):
        bench(folder, settings("run"))
    monkeypatch.undo()
    pin(tmp_path, server, NEW)
    with pytest.raises(RunError, match=f"was begun with .* as '{MODEL}', and it is pinned to"):
        bench(folder, settings("run"))
    pin(tmp_path, server, MODEL)
    assert bench(folder, settings("run")).ok
