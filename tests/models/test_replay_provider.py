"""`replay:` answers from a ledger and from nothing else."""

import json

import pytest

from assay.errors import InputError, UnknownNameError, UsageError
from assay.models.address import make_provider, parse
from assay.models.base import LocalProvider
from assay.models.ledger import Ledger
from assay.models.session import ModelSettings, opened
from ledger_made import ADDRESS, REVISION, question, reply, store


@pytest.fixture
def kept(tmp_path):
    """A ledger with an answer and a failure of one model."""
    with Ledger(tmp_path / "kept.sqlite") as ledger:
        store(ledger, question(1), reply("said"))
        store(ledger, question(2), reply("no", status="refused", detail="It won't."))
    return ledger.path


def replaying(text):
    return make_provider(parse(text))


def test_it_answers_as_the_model_did(kept):
    provider = replaying(f"replay:{kept}")
    assert isinstance(provider, LocalProvider)
    provider.check()
    assert provider.limits() == {}
    assert provider.revision() == REVISION
    answer = provider.answer(question(1))
    assert (answer.text, answer.status, answer.cached, answer.attempts) == ("said", "ok", True, 0)
    assert provider.answer(question(2)).status == "refused"


def test_what_was_never_asked_is_transport(kept):
    answer = replaying(f"replay:{kept}").answer(question(3))
    assert answer.status == "transport"
    assert "holds no answer of openai:seer@http://localhost:8000/v1" in answer.detail


def test_of_several_models_one_must_be_named(kept):
    with Ledger(kept) as ledger:
        other = parse("openai:other")
        store(ledger, question(1), reply("other said"), other)
    with pytest.raises(UsageError, match=r"add #MODEL.* openai:other, openai:seer@"):
        replaying(f"replay:{kept}").check()
    assert replaying(f"replay:{kept}#openai:other").answer(question(1)).text == "other said"
    assert replaying(f"replay:{kept}#{ADDRESS}").answer(question(1)).text == "said"
    with pytest.raises(UnknownNameError, match="Did you mean 'openai:other'"):
        replaying(f"replay:{kept}#openai:othr").check()


def test_a_run_names_its_model(kept, tmp_path, monkeypatch):
    run = tmp_path / "run"
    run.mkdir()
    with pytest.raises(UsageError, match="is no run of a judge that asks a model"):
        replaying(f"replay:{run}").check()
    settings = {"judge": {"settings": {"model": str(ADDRESS)}}}
    (run / "run.json").write_text(json.dumps({"settings": settings}))
    monkeypatch.setenv("ASSAY_LEDGER", str(kept))
    assert replaying(f"replay:{run}").answer(question(1)).text == "said"


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({REVISION: 3}, "said"),  # the revision of the run, whatever is pinned
        ({REVISION: 1, "seer-3": 2}, "said anew"),  # of several the one that gave most
        ({}, "said anew"),  # nothing was answered: as it is pinned
    ],
)
def test_a_run_names_the_revision_that_answered(kept, tmp_path, counts, said):
    with Ledger(kept) as ledger:
        store(ledger, question(1), reply("said anew", revision="seer-3"))
        ledger.pin(ADDRESS, "seer-3", change=True)
    run = tmp_path / "run"
    run.mkdir()
    settings = {"judge": {"settings": {"model": str(ADDRESS)}}, "ledger": str(kept)}
    (run / "run.json").write_text(json.dumps({"settings": settings}))
    told = {"asked": {str(ADDRESS): {"revisions": counts}}}
    (run / "audit.json").write_text(json.dumps(told))
    assert replaying(f"replay:{run}").answer(question(1)).text == said
    assert replaying(f"replay:{kept}").answer(question(1)).text == "said anew"


def test_there_must_be_a_ledger(tmp_path):
    with pytest.raises(InputError, match="there is no ledger"):
        replaying(f"replay:{tmp_path / 'none.sqlite'}").check()


def test_a_session_does_not_store_it_again(kept, tmp_path):
    address = parse(f"replay:{kept}")
    with opened(ModelSettings(ledger=tmp_path / "mine.sqlite")) as session:
        assert session.ask(address, question(1)).text == "said"
        assert session.ledger.info().held == ()
        assert session.usage()[str(address)].calls == 0
