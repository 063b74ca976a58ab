"""Every way in which an endpoint can fail: the status, the sentence, the tries, the ledger."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.models._http.faults import fault_of, retry_after
from assay.models.base import Request
from assay.models.ledger import Ledger
from model_server import (
    TEXTS,
    Behaviour,
    ModelServer,
    brackets,
    cut,
    error,
    half_a_body,
    hang,
    in_turn,
    refuse,
    say,
    truncated_json,
)
from model_stubs import KEY, asking, picture

PASSING = {
    "429": error(429, "slow down"),
    "429 with Retry-After": error(429, "slow down", retry_after="0.05"),
    "500": error(500, "oops"),
    "503": error(503),
    "529": error(529, "overloaded"),
    "hangs": hang(),
    "half a body": half_a_body(),
    "cut connection": cut(),
    "truncated JSON": truncated_json(),
    "brackets without end": brackets(),
    "an error in brackets without end": brackets(500),
}
LASTING = {
    "moved": (Behaviour(307, headers={"Location": "https://elsewhere/v1"}), "https://elsewhere/v1"),
    "400": (error(400, "top_k is unknown"), "top_k is unknown"),
    "401": (error(401, "bad key"), "check the environment variable"),
    "402": (error(402), "no money left"),
    "403": (error(403), "ask for access"),
    "404": (error(404, "no model seer"), "check the model's name and the url"),
    "413": (error(413), "fewer or smaller pictures"),
    "no pictures": (error(400, "seer does not support image input"), "takes no pictures"),
    "no log-probabilities": (error(400, "logprobs are not supported"), "no log-probabilities"),
    "no schema": (error(422, "response_format json_schema unknown"), "no answer schema"),
    "too long": (
        error(400, "exceeds the maximum context length"),
        "longer than the model's context",
    ),
    "no quota": (error(429, "You exceeded your current quota"), "no money left"),
    "no object": (Behaviour(body=b"[1]"), "no object"),
    "other form": (Behaviour(body=b'{"choices": []}'), "not of the expected form"),
    "brackets, for good": (brackets(400), "does not take the request"),
}
WHOLE = Request(("?", picture(0)), schema={"type": "object"}, options=("yes", "no"))


@pytest.mark.parametrize("name", PASSING)
def test_what_may_pass_is_tried_again(tmp_path: Path, name: str) -> None:
    with ModelServer(in_turn(PASSING[name], PASSING[name], say("85"))) as server:
        with asking(tmp_path, server, timeout_s=2.0 if name == "hangs" else 20.0) as (session, to):
            reply = session.ask(to, WHOLE)
        assert server.count == 3
    assert (reply.status, reply.text, reply.attempts) == ("ok", "85", 3)


@pytest.mark.parametrize("name", PASSING)
def test_what_does_not_pass_fails_in_the_end_and_is_asked_again(tmp_path: Path, name: str) -> None:
    timeout_s = 2.0 if name == "hangs" else 20.0
    with ModelServer(lambda asked: PASSING[name]) as server:
        with asking(tmp_path, server, tries=2, timeout_s=timeout_s) as (session, to):
            reply = session.ask(to, WHOLE)
            assert session.ledger.get(reply.key) is None
            assert session.usage()[str(to)].failed == 1
        assert server.count == 2
        server.answering = lambda asked: say("85")
        with asking(tmp_path, server) as (session, to):
            later = session.ask(to, WHOLE)
    assert (reply.status, reply.text, reply.attempts) == ("transport", "", 2)
    assert "sent 2 times" in reply.detail
    assert (later.status, later.text, later.cached) == ("ok", "85", False)


@pytest.mark.parametrize("name", LASTING)
def test_what_cannot_get_better_is_sent_once_with_advice(tmp_path: Path, name: str) -> None:
    behaviour, advice = LASTING[name]
    with ModelServer(lambda asked: behaviour) as server:
        with asking(tmp_path, server) as (session, to):
            reply = session.ask(to, WHOLE)
            assert session.ledger.get(reply.key) is None
        assert server.count == 1
    assert (reply.status, reply.attempts) == ("transport", 1)
    assert advice in reply.detail


@pytest.mark.parametrize(
    ("behaviour", "status"), [(refuse(), "refused"), (say("It is 8", finish="length"), "truncated")]
)
def test_refused_and_truncated_are_no_answers(
    tmp_path: Path, behaviour: Behaviour, status: str
) -> None:
    with ModelServer(lambda asked: behaviour) as server:
        for count in (1, 2):  # a later run asks again
            with asking(tmp_path, server) as (session, to):
                reply = session.ask(to, WHOLE)
            assert (reply.status, reply.attempts, server.count) == (status, 1, count)
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        assert ledger.get(reply.key) is None
        kept = ledger.entry(reply.key)
        assert kept is not None  # for the page of the episode
        assert (kept.usable, kept.reply.status) == (False, status)


@pytest.mark.parametrize("name", TEXTS)
def test_texts_pass_as_they_are(tmp_path: Path, name: str) -> None:
    with (
        ModelServer(lambda asked: say(TEXTS[name])) as server,
        asking(tmp_path, server) as (session, to),
    ):
        reply = session.ask(to, WHOLE)
    assert (reply.status, reply.text) == ("ok", TEXTS[name])


@pytest.mark.parametrize("status", [401, 404])
def test_a_fault_of_the_first_request_stops_all_others(tmp_path: Path, status: int) -> None:
    requests = [Request((f"{n}?",)) for n in range(8)]
    with ModelServer(lambda asked: error(status, "no"), latency_s=0.05) as server:
        with asking(tmp_path, server) as (session, to), ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(lambda one: session.ask(to, one), requests))
        assert server.count == 1
    assert {r.status for r in replies} == {"transport"}
    assert len({r.detail for r in replies}) == 1


def test_a_model_without_pictures_still_answers_in_words(tmp_path: Path) -> None:
    def answer(asked):
        return error(400, "image input is not supported") if asked.pictures else say("85")

    with ModelServer(answer) as server:
        with asking(tmp_path, server) as (session, to):
            replies = [
                session.ask(to, Request(parts))
                for parts in (("1?", picture(1)), ("2?", picture(2)), ("3?",))
            ]
        assert server.count == 2  # the second picture is not even sent
    assert [r.status for r in replies] == ["transport", "transport", "ok"]


def test_once_a_model_has_answered_one_fault_stops_no_other(tmp_path: Path) -> None:
    with (
        ModelServer(in_turn(say("1"), error(403, "flagged"), say("3"))) as server,
        asking(tmp_path, server) as (session, to),
    ):
        replies = [session.ask(to, Request((f"{n}?",))) for n in range(3)]
    assert [r.status for r in replies] == ["ok", "transport", "ok"]


def test_a_dead_endpoint_is_given_up(tmp_path: Path) -> None:
    # 8 requests in a row without an answer, 2 tries each, are enough.
    with ModelServer(lambda asked: cut()) as server:
        with asking(tmp_path, server, tries=2, in_flight=1) as (session, to):
            replies = [session.ask(to, Request((f"{n}?",))) for n in range(10)]
        assert server.count == 16
    assert {r.status for r in replies} == {"transport"}
    assert "The last 8 requests" in replies[-1].detail


def test_an_endpoint_that_asks_for_too_long_a_wait_is_not_waited_for(tmp_path: Path) -> None:
    with ModelServer(lambda asked: error(429, "", retry_after="86400")) as server:
        with asking(tmp_path, server) as (session, to):
            reply = session.ask(to, WHOLE)
        assert server.count == 1
    assert reply.status == "transport"
    assert "asks to wait" in reply.detail


def test_a_key_that_is_echoed_is_hidden_everywhere(tmp_path: Path) -> None:
    echoes = in_turn(
        error(400, f"bad request with Bearer {KEY}"), say(f"Your key is {KEY}!", model=f"m-{KEY}")
    )
    with ModelServer(echoes) as server:
        with asking(tmp_path, server) as (session, to):
            replies = [session.ask(to, Request((f"{n}?",))) for n in range(2)]
        assert server.asked[0].headers["Authorization"] == f"Bearer {KEY}"
    assert replies[1].text == "Your key is [key]!"
    assert KEY not in repr(replies)
    assert "[key]" in replies[0].detail
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert KEY.encode() not in stored


def test_retry_after_in_seconds_and_as_a_date() -> None:
    now = datetime(2026, 11, 16, 12, 0, 0, tzinfo=UTC)
    assert retry_after("7", now) == 7.0
    assert retry_after("0.5", now) == 0.5
    assert retry_after("Mon, 16 Nov 2026 12:00:30 GMT", now) == 30.0
    assert retry_after("Mon, 16 Nov 2026 13:00:30 +0100", now) == 30.0
    assert retry_after("Mon, 16 Nov 2026 12:00:30 -0000", now) == 30.0
    assert retry_after("Mon, 16 Nov 2026 11:00:00 GMT", now) == 0.0  # over
    assert retry_after("-3", now) == 0.0
    for nonsense in ("", "soon", "inf", "1e999", f"Mon, 16 Nov {'9' * 30} 12:00:30 GMT"):
        assert retry_after(nonsense, now) is None


@given(st.text())
def test_any_retry_after_is_a_wait_or_none(text: str) -> None:
    wait = retry_after(text)
    assert wait is None or 0.0 <= wait < float("inf")


@given(st.integers(100, 999).filter(lambda s: s != 200), st.text())
def test_any_failure_has_one_short_line(status: int, words: str) -> None:
    fault = fault_of(status, {}, words, WHOLE)
    assert f"({status})" in fault.sentence
    assert "\n" not in fault.sentence
    assert len(fault.sentence) < 400
    assert not (fault.again and fault.stops is not None)
