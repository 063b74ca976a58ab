"""A benchmark whose judge asks a model: planned, paid for once, and told."""

import pytest

from assay.episodes.lerobot.writer import write_lerobot
from assay.errors import UsageError
from assay.jobs.bench import BenchSettings, bench, plan
from assay.jobs.build import BuildSettings, build
from assay.judges import make_judge
from assay.models.session import ModelSettings
from lerobot_sets import made_episode
from model_server import ModelServer
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
