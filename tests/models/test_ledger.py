"""The ledger: what it keeps, what it never gives as an answer, and pinned revisions."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.models.base import Address, Reply
from assay.models.ledger import Held, Ledger, default_path, key_of
from ledger_made import ADDRESS, REVISION, question, reply, store

MODEL = "openai:seer@http://localhost:8000/v1"
NUMBERS = st.none() | st.integers(0, 10**9)
REPLIES = st.builds(
    Reply,
    text=st.text(st.characters(exclude_categories=[])),  # halves of characters too
    logprobs=st.none() | st.dictionaries(st.text(), st.floats(allow_nan=False)),
    input_tokens=NUMBERS,
    output_tokens=NUMBERS,
    cost=st.none() | st.floats(0, 10),
)


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "made" / "ledger.sqlite") as opened:
        yield opened


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A ledger for many examples, each of which asks something new."""
    with Ledger(tmp_path_factory.mktemp("shared") / "ledger.sqlite") as opened:
        yield opened, count()


@given(given_reply=REPLIES)
def test_an_answer_comes_back_as_it_was(shared, given_reply):
    ledger, numbers = shared
    key = store(ledger, question(next(numbers)), given_reply)
    assert ledger.get(key) == replace(given_reply, cached=True, key=key)


def test_what_one_process_stores_another_finds(ledger):
    key = store(ledger, question(), reply())
    with Ledger(ledger.path) as other, Ledger(ledger.path, writable=False) as third:
        assert other.get(key) == third.get(key) == ledger.get(key)


def test_an_unknown_key_is_none_in_every_way(ledger):
    assert (ledger.get("1-no"), ledger.failed("1-no"), ledger.entry("1-no")) == (None, None, None)


@pytest.mark.parametrize("status", ["transport", "refused", "truncated"])
def test_a_failure_is_kept_to_be_read_and_is_no_answer(ledger, status):
    failure = reply("half of", status=status, detail="it was cut")
    key = store(ledger, question(), failure)
    assert ledger.get(key) is None
    assert ledger.revision(ADDRESS) is None
    assert ledger.failed(key) == replace(failure, cached=True, key=key, attempts=0)
    assert not ledger.entry(key).usable


def test_an_answer_takes_the_place_of_a_failure_and_stays(ledger):
    key = store(ledger, question(), reply("", status="transport", detail="cut"))
    store(ledger, question(), reply("first"))
    assert (ledger.get(key).text, ledger.failed(key)) == ("first", None)
    store(ledger, question(), reply("second"))
    store(ledger, question(), reply("", status="refused"))
    assert ledger.get(key).text == "first"


def test_a_rejected_answer_is_asked_again_and_can_still_be_read(ledger):
    key = store(ledger, question(), reply("prose"))
    ledger.reject(ledger.get(key), "unparsed", "There is no number.")
    assert ledger.get(key) is None
    told = ledger.failed(key)
    assert (told.text, told.status, told.detail) == (
        "prose",
        "ok",
        "unparsed: There is no number.",
    )
    store(ledger, question(), reply("better"))
    assert ledger.get(key).text == "better"


def test_a_late_rejection_spares_the_answer_that_came_since(ledger):
    key = store(ledger, question(), reply("prose"))
    old = ledger.get(key)
    ledger.reject(old, "unparsed", "no number")
    store(ledger, question(), reply("better"))
    ledger.reject(old, "unparsed", "no number")
    assert ledger.get(key).text == "better"


def test_what_was_never_stored_can_be_rejected_in_peace(ledger):
    ledger.reject(reply("prose"), "unparsed", "no number")
    assert ledger.info().held == ()


def test_samples_of_one_question_are_kept_apart(ledger):
    keys = [store(ledger, question(sample=i), reply(f"answer {i}")) for i in range(3)]
    assert [ledger.get(key).text for key in keys] == ["answer 0", "answer 1", "answer 2"]


def test_what_comes_from_a_ledger_is_not_stored_again(ledger):
    key = store(ledger, question(), reply(cached=True))
    assert ledger.entry(key) is None


def test_a_key_that_is_not_the_questions_is_refused(ledger):
    key = key_of(ADDRESS, REVISION, question(1))
    with pytest.raises(UsageError, match="not that of the question"):
        ledger.put(key, ADDRESS, question(2), reply())
    with pytest.raises(UsageError, match="not that of the question"):
        ledger.put(key, ADDRESS, question(1), reply(revision="seer-3"))


def test_an_entry_tells_what_was_asked(ledger):
    entry = ledger.entry(store(ledger, question(7), reply("said")))
    assert (entry.model, entry.revision, entry.usable) == (MODEL, REVISION, True)
    assert (entry.system, entry.prompt) == ("You judge.", "How far has it got?")
    assert entry.pictures == ("picture-7",)
    assert entry.settings["sampling"]["max_tokens"] == 1024
    assert (entry.reply.text, entry.reply.input_tokens) == ("said", 300)


def test_no_secret_of_an_address_reaches_the_file(ledger):
    address = Address("openai", "seer", "https://me:pass1234@host/v1?key=sk-5678")
    store(ledger, question(), reply(), address)
    ledger.close()
    stored = b"".join(p.read_bytes() for p in ledger.path.parent.iterdir())
    assert b"openai:seer@https://host/v1" in stored
    assert b"pass1234" not in stored
    assert b"sk-5678" not in stored


def test_the_first_answer_pins_the_revision(ledger):
    assert ledger.revision(ADDRESS) is None
    store(ledger, question(1), reply())
    assert ledger.revision(ADDRESS) == REVISION
    ledger.pin(ADDRESS, REVISION)
    store(ledger, question(2), reply(revision="seer-3"))
    assert ledger.revision(ADDRESS) == REVISION


def test_a_model_that_does_not_tell_its_revision_is_pinned_to_none(ledger):
    store(ledger, question(), reply(revision=""))
    assert ledger.revision(ADDRESS) == ""


def test_another_revision_is_told_with_the_way_out(ledger):
    old = store(ledger, question(), reply())
    with pytest.raises(UsageError, match=r"never mixed.*assay ledger pin openai:seer@.* seer-3"):
        ledger.pin(ADDRESS, "seer-3")
    assert ledger.revision(ADDRESS) == REVISION
    ledger.pin(ADDRESS, "seer-3", change=True)
    assert ledger.revision(ADDRESS) == "seer-3"
    assert ledger.get(key_of(ADDRESS, "seer-3", question())) is None
    assert ledger.get(old) is not None


def test_a_revision_that_was_asked_for_comes_first(ledger):
    asked = replace(ADDRESS, revision="seer-1")
    store(ledger, question(), reply())
    assert ledger.revision(asked) == "seer-1"
    ledger.pin(asked, "seer-1")
    with pytest.raises(UsageError, match="answers as 'seer-2', but 'seer-1' was asked for"):
        ledger.pin(asked, "seer-2")


def test_many_threads_store_and_read_at_once(ledger):
    def one(number):
        key = store(ledger, question(number), reply(str(number)))
        return ledger.get(key).text

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(one, range(200))) == [str(number) for number in range(200)]
    assert ledger.info().held == (
        Held(MODEL, REVISION, 200, 0, 60_000, 1600, pytest.approx(0.2), True),
    )


def test_a_closed_ledger_stores_nothing_and_leaves_no_thread(ledger):
    before = set(threading.enumerate())  # some of another test may end meanwhile
    store(ledger, question(), reply())
    (own,) = set(threading.enumerate()) - before
    ledger.close()
    ledger.close()
    assert not own.is_alive()
    with pytest.raises(UsageError, match="closed"):
        store(ledger, question(1), reply())


def test_where_the_ledger_is(monkeypatch):
    monkeypatch.setenv("ASSAY_LEDGER", "/data/l.sqlite")
    assert default_path() == Path("/data/l.sqlite")
    monkeypatch.delenv("ASSAY_LEDGER")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert default_path() == Path("/cache/assay/ledger.sqlite")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert default_path() == Path("/home/me/.cache/assay/ledger.sqlite")
