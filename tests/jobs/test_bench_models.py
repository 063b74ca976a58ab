"""A benchmark whose judge asks a model: planned, paid for once, and told."""

import pytest

from assay.episodes.lerobot.writer import write_lerobot
from assay.errors import UsageError
from assay.jobs import _pulse_running
from assay.jobs.bench import BenchSettings, bench, plan
from assay.jobs.build import BuildSettings, build
from assay.judges import make_judge
from assay.judges.ramp import Ramp
from assay.models.session import ModelSettings
from lerobot_sets import made_episode
from model_server import ModelServer, cut
from models_loopback import by_schema


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

        def settings(name, **more):
            how = ModelSettings(ledger=tmp_path / "ledger.sqlite", tries=1)
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
