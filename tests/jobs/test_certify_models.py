"""A judge that asks a model is certified: planned, paid for once, within a budget."""

from dataclasses import replace

import pytest

from assay.episodes.lerobot.writer import write_lerobot
from assay.errors import RunError, UsageError
from assay.jobs import _certifying
from assay.jobs.certify import CertifySettings, certify, plan
from assay.judges import make_judge
from assay.models.address import parse
from assay.models.ledger import Ledger
from assay.models.session import ModelSettings
from lerobot_sets import made_episode
from model_server import MODEL, ModelServer, cut
from models_loopback import answering_as, by_schema


@pytest.fixture
def ask(tmp_path):
    """Return a function that makes settings: two episodes of 2 s, no worlds, a loopback model."""
    about = {"world": None, "perturbation": None, "outcome": True}
    write_lerobot(tmp_path / "arm", [made_episode(k, 20, **about) for k in range(2)], fps=10)
    with ModelServer(by_schema) as server:
        model = f"openai:stub@{server.url}"

        def settings(name, ledger="ledger.sqlite", limit=20, **more):
            return CertifySettings(
                tmp_path / name,
                make_judge("vlac", {"model": model}),
                on=(tmp_path / "arm",),
                worlds=False,
                limit=limit,
                models=ModelSettings(ledger=tmp_path / ledger, **more),
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


NEW = "stub-2027-01"


def told_in(result):
    (came_to,) = result.document["asked"].values()
    return came_to["revisions"]


def pin(tmp_path, model, revision):
    """Do what `assay ledger pin` does."""
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        ledger.pin(parse(model), revision, change=True)


def test_a_retry_is_of_one_revision(ask, tmp_path):
    settings, server, model = ask
    assert told_in(certify(settings("first", ledger="other.sqlite", limit=1))) == {MODEL: 1}
    calls = server.count
    # The first episode is answered, in the second the endpoint answers as another revision.
    server.answering = lambda asked: answering_as(MODEL if asked.nth < 2 * calls else NEW, asked)
    broken = certify(settings("run", tries=1))
    assert broken.document["unanswered"]["subjects"] == 1
    assert told_in(broken) == {MODEL: 1}
    held = certify(replace(settings("run", ledger="new.sqlite", tries=1), retry=True))
    assert told_in(held) == {MODEL: 1}  # another ledger is held to what the run was answered by
    assert f"answers as {NEW!r} now" in held.problems()[-1]
    pin(tmp_path, model, NEW)
    mended = certify(replace(settings("run", tries=1), retry=True))
    assert "unanswered" not in mended.document
    assert told_in(mended) == {NEW: 2}


def test_what_was_begun_with_another_revision_is_refused(ask, tmp_path, monkeypatch):
    settings, _, model = ask
    monkeypatch.setattr(_certifying, "write_passport_page", stopped)
    with pytest.raises(KeyboardInterrupt):
        certify(settings("run"))
    monkeypatch.undo()
    pin(tmp_path, model, NEW)
    with pytest.raises(RunError, match=f"was begun with .* as '{MODEL}', and it is pinned to"):
        certify(settings("run"))
    pin(tmp_path, model, MODEL)
    assert told_in(certify(settings("run"))) == {MODEL: 2}


def test_settings_that_send_nothing_certify_nothing(ask):
    settings, _, _ = ask
    with pytest.raises(UsageError, match="call plan instead"):
        certify(settings("run", plan=True))
