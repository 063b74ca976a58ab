"""Asking again: what is fed back, when it ends, and what the ledger keeps."""

import pytest

from assay.errors import RunError
from assay.models.answers import ask_for, choice, number
from assay.models.base import Reply, Request
from assay.models.recording import recorded
from model_server import TEXTS, error, in_turn, refuse, say
from models_loopback import loopback
from models_told import MODEL, listen, text_of

QUESTION = Request(("How far?",))
READ = number(0, 100)


def script(*lines):
    """Say one line after the other; the last goes on for ever."""
    left = list(lines)
    return lambda request: left.pop(0) if len(left) > 1 else left[0]


def test_a_good_answer_is_asked_for_once(monkeypatch):
    told = listen(monkeypatch, script('{"score": 85}'))
    answer = ask_for(MODEL, QUESTION, READ)
    assert answer.judged.value == 85
    assert answer.judged.calls == len(answer.replies) == len(told.requests) == 1


def test_the_fault_is_fed_back_and_the_second_answer_counts(monkeypatch):
    told = listen(monkeypatch, script("nearly there", "120", "85"))
    answer = ask_for(MODEL, QUESTION, READ)
    assert (answer.judged.value, answer.judged.calls) == (85, 3)
    second, third = text_of(told.requests[1]), text_of(told.requests[2])
    assert second.startswith("How far?")
    assert "You answered: nearly there" in second
    assert "It holds no number that can be the answer." in second
    assert third.startswith(second), "every fault stays in the question"
    assert "The number 120 is outside 0..100." in third


@pytest.mark.parametrize(
    ("text", "status"),
    [("nearly there", "unparsed"), ("", "unparsed"), ("120", "invalid_value")],
)
def test_it_ends_after_three_more_tries_without_a_value(monkeypatch, text, status):
    told = listen(monkeypatch, script(text))
    judged = ask_for(MODEL, QUESTION, READ).judged
    assert (judged.value, judged.status, judged.calls) == (None, status, 4)
    assert len(told.requests) == 4
    assert "The answer was:" in judged.detail


@pytest.mark.parametrize("status", ["refused", "truncated", "transport"])
def test_what_is_no_answer_is_not_argued_with(monkeypatch, status):
    told = listen(monkeypatch, lambda request: Reply("85", status, "so it is"))
    judged = ask_for(MODEL, QUESTION, READ).judged
    assert (judged.value, judged.status, judged.detail) == (None, status, "so it is")
    assert len(told.requests) == 1


def test_a_refusal_of_the_second_question_is_a_refusal(monkeypatch):
    listen(monkeypatch, script("hm", Reply(status="refused", detail="no")))
    judged = ask_for(MODEL, QUESTION, READ).judged
    assert (judged.status, judged.calls) == ("refused", 2)


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("correct", "ok"),
        ("scale", "ok"),
        ("prose", "unparsed"),
        ("empty", "unparsed"),
        ("nan", "invalid_value"),
        ("wrong option", "unparsed"),
    ],
)
def test_every_text_of_an_endpoint_has_its_status(tmp_path, name, status):
    with loopback(tmp_path, lambda asked: say(TEXTS[name])) as (model, _):
        assert ask_for(model, QUESTION, READ).judged.status == status


@pytest.mark.parametrize(
    ("behaviour", "status"),
    [(refuse(), "refused"), (say("8", finish="length"), "truncated"), (error(400), "transport")],
)
def test_every_failure_of_an_endpoint_has_its_status(tmp_path, behaviour, status):
    with loopback(tmp_path, in_turn(behaviour)) as (model, _):
        assert ask_for(model, QUESTION, READ).judged.status == status


def test_a_way_to_an_answer_costs_nothing_the_second_time(tmp_path):
    with loopback(tmp_path, in_turn(say("nearly"), say("85"))) as (model, server):
        first, second = ask_for(model, QUESTION, READ), ask_for(model, QUESTION, READ)
        assert server.count == 2
    assert first.judged == second.judged
    assert [reply.cached for reply in second.replies] == [True, True]


HOSTILE = {
    "digits": '{"score": 1' + "0" * 400 + "}",
    "brackets": "[" * 100_000,
    "objects": '{"score": {' * 50_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_no_reader_can_take_is_asked_again_and_never_kept(tmp_path, name):
    with loopback(tmp_path, in_turn(*[say(HOSTILE[name])] * 4, say("85"))) as (model, server):
        first = ask_for(model, QUESTION, READ).judged
        assert (first.status, first.calls, server.count) == ("unparsed", 4, 4)
        assert "That answer can't be used." in server.asked[1].text
        again = ask_for(model, QUESTION, READ).judged
        assert (again.value, server.count) == (85, 5)


def test_an_answer_that_breaks_its_reader_is_asked_for_once_and_not_kept(tmp_path, caplog):
    def broken(text):
        return {}[text]

    with loopback(tmp_path, lambda asked: say("85")) as (model, server):
        with caplog.at_level("INFO", "assay"), recorded() as record:
            judged = ask_for(model, QUESTION, broken).judged
        assert (judged.value, judged.status, server.count) == (None, "unparsed", 1)
        assert ask_for(model, QUESTION, READ).judged.value == 85
        assert server.count == 2
    assert "Its reader failed (KeyError: '85')." in judged.detail
    assert [call.status for call in record.calls()] == ["unparsed"]
    assert "Traceback" in caplog.text


def test_what_stops_a_run_passes_the_reader(monkeypatch):
    def full(text):
        raise RunError("No space is left.")

    listen(monkeypatch, script("85"))
    with pytest.raises(RunError, match="No space"):
        ask_for(MODEL, QUESTION, full)


def test_answers_that_led_nowhere_are_asked_for_again(tmp_path):
    with loopback(tmp_path, in_turn(*[say("E")] * 4, say("B"))) as (model, server):
        read = choice(("A", "B"))
        assert ask_for(model, QUESTION, read).judged.status == "invalid_value"
        assert server.count == 4
        again = ask_for(model, QUESTION, read).judged
        assert (again.value, again.calls, server.count) == ("B", 1, 5)
