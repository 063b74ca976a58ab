"""A judge that asks a model is certified: planned, paid for once, within a budget."""

from dataclasses import replace

import pytest

from assay.episodes.lerobot.writer import write_lerobot
from assay.errors import UsageError
from assay.jobs import _certifying
from assay.jobs.certify import CertifySettings, certify, plan
from assay.judges import make_judge
from assay.models.session import ModelSettings
from lerobot_sets import made_episode
from model_server import ModelServer, cut
from models_loopback import by_schema


@pytest.fixture
def ask(tmp_path):
    """Return a function that makes settings: two episodes of 2 s, no worlds, a loopback model."""
    about = {"world": None, "perturbation": None, "outcome": True}
    write_lerobot(tmp_path / "arm", [made_episode(k, 20, **about) for k in range(2)], fps=10)
    with ModelServer(by_schema) as server:
        model = f"openai:stub@{server.url}"

        def settings(name, **more):
            return CertifySettings(
                tmp_path / name,
                make_judge("vlac", {"model": model}),
                on=(tmp_path / "arm",),
                worlds=False,
                models=ModelSettings(ledger=tmp_path / "ledger.sqlite", **more),
            )

        yield settings, server, model


def test_it_is_planned_and_asked_once(ask, tmp_path):
    settings, server, model = ask
    planned = plan(settings("run"))
    assert server.count == 0
    assert not (tmp_path / "run").exists()
    done = certify(settings("run"))
    assert 0 < server.count <= planned.usage[model].calls
    assert done.usage["models"][model]["calls"] == server.count
    again = certify(settings("again"))
    assert again.usage["models"][model]["calls"] == 0
    first, second = (
        {line["check"]: line["value"] for line in run.document["checks"] if line["check"] != "cost"}
        for run in (done, again)
    )
    assert first == second
    assert any(value is not None for value in first.values())


def test_a_budget_stops_the_asking(ask, tmp_path):
    settings, server, model = ask
    prices = tmp_path / "prices.toml"
    prices.write_text('["openai:stub"]\ninput = 1000000.0\noutput = 1000000.0\n')
    done = certify(settings("run", max_cost=0.5, prices=prices))
    assert server.count == 0  # one token costs 1 USD
    assert done.usage["models"][model]["calls"] == 0
    assert not done.ok
    assert any("--max-cost" in line for line in done.problems())


def test_a_finished_passport_that_lacks_answers_is_taken_up(ask, tmp_path):
    settings, server, _ = ask
    whole = certify(settings("whole"))
    count = server.count
    for path in tmp_path.glob("ledger*"):
        path.unlink()
    # The endpoint is lost for good after some answers, in the second episode.
    server.answering = lambda asked: by_schema(asked) if asked.nth < 2 * count - 9 else cut()
    broken = certify(settings("run", tries=1))
    assert not broken.ok
    assert broken.document["unanswered"]["subjects"] == 1
    assert "transport" in broken.document["unanswered"]["first"]
    assert "1 of 2 episodes and scenes" in broken.problems()[-1]
    assert "--retry asks again" in broken.problems()[-1]
    server.answering, asked = by_schema, server.count
    assert certify(settings("run")).document == broken.document  # finished: nothing is asked
    assert server.count == asked
    mended = certify(replace(settings("run"), retry=True))
    assert 0 < server.count - asked <= 10
    assert "unanswered" not in mended.document
    assert mended.document["checks"] == whole.document["checks"]
    assert not list((tmp_path / "run").glob("units*"))
    assert certify(replace(settings("run"), retry=True)).document == mended.document


def test_answers_that_never_came_are_not_journalled(ask, tmp_path, monkeypatch):
    settings, server, _ = ask
    server.answering = lambda asked: cut()
    monkeypatch.setattr(_certifying, "write_passport_page", stopped)
    with pytest.raises(KeyboardInterrupt):
        certify(settings("run", tries=1))
    monkeypatch.undo()
    server.answering, asked = by_schema, server.count
    done = certify(settings("run", tries=1))  # the same command goes on
    assert server.count > asked
    assert "unanswered" not in done.document
    assert any(line["verdict"] == "pass" for line in done.document["checks"])


def stopped(*told):
    """Stand in for the writing of the page: somebody presses Ctrl-C."""
    raise KeyboardInterrupt


def test_settings_that_send_nothing_certify_nothing(ask):
    settings, _, _ = ask
    with pytest.raises(UsageError, match="call plan instead"):
        certify(settings("run", plan=True))
