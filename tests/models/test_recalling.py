"""What was answered before is told again by the revisions that answered, and by no others."""

import pytest

from assay.models._recalling import Recall, told_again
from assay.models.ledger import Ledger, key_of
from assay.models.session import ModelSettings, Session
from ledger_made import ADDRESS, question, reply, store

OLD, NEW = "seer-2", "seer-3"


@pytest.fixture
def ledger(tmp_path):
    """Three questions: both revisions answered the first, the new one alone the second."""
    with Ledger(tmp_path / "kept.sqlite") as ledger:
        store(ledger, question(1), reply("old", revision=OLD))
        for number in (1, 2):
            store(ledger, question(number), reply("new", revision=NEW))
        store(ledger, question(3), reply("", revision=OLD, status="refused", detail="No."))
        ledger.pin(ADDRESS, NEW, change=True)
        yield ledger


def test_each_revision_has_its_own_answer(ledger):
    for revision, text in ((OLD, "old"), (NEW, "new")):
        found = told_again(ledger, ADDRESS, question(1), [revision])
        assert (found.text, found.revision, found.cached, found.attempts) == (
            text,
            revision,
            True,
            0,
        )
    assert told_again(ledger, ADDRESS, question(3), [OLD]).status == "refused"


def test_of_several_the_key_tells_and_else_the_first(ledger):
    both, key = [OLD, NEW], key_of(ADDRESS, NEW, question(1))
    assert told_again(ledger, ADDRESS, question(1), both).text == "old"
    assert told_again(ledger, ADDRESS, question(1), both, {key}).text == "new"


def test_what_is_missing_is_said_truly(ledger):
    other = told_again(ledger, ADDRESS, question(2), [OLD])
    assert other.status == "transport"
    assert other.detail == (
        f"{ledger.path} holds no answer of {ADDRESS} as 'seer-2' to this, only one of 'seer-3',"
        " which is another model, and no model is asked."
    )
    none = told_again(ledger, ADDRESS, question(4), [NEW])
    assert none.detail == (
        f"{ledger.path} holds no answer of {ADDRESS} as 'seer-3' to this, and no model is asked."
    )


def test_a_failure_from_before_the_first_answer_is_found(ledger):
    store(ledger, question(5), reply("", revision="", status="truncated", detail="cut"))
    assert told_again(ledger, ADDRESS, question(5), [OLD]).status == "truncated"


def test_a_session_that_is_offline_answers_as_the_run_was_answered(ledger):
    settings = ModelSettings(ledger=ledger.path, offline=True)
    for revisions, text in (({}, "new"), ({str(ADDRESS): [OLD]}, "old")):
        with Session(settings) as session:
            session.recall(Recall(revisions))
            assert session.ask(ADDRESS, question(1)).text == text
            assert session.revisions() == {str(ADDRESS): OLD if revisions else NEW}
            assert session.limits(ADDRESS) == {}
