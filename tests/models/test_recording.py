"""Which questions are noted, on whose behalf, and in what order."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from assay.models.base import Address, Reply, Request
from assay.models.recording import branched, mark, note, recorded, redrawn, showing, witnessed
from model_server import ModelServer, say
from model_stubs import asking, picture


def ask(text):
    note("m", Request((text,)), Reply(text=text))


def texts(record):
    return [call.reply.text for call in record.calls()]


def test_nothing_is_noted_where_no_one_records():
    ask("before")
    mark("unparsed", "no matter")
    with recorded() as record:
        pass
    ask("after")
    assert record.calls() == []


def test_calls_of_threads_stand_in_the_order_of_the_program():
    def slow(name, wait_s):
        ask(f"{name} first")
        time.sleep(wait_s)
        ask(f"{name} then")

    with recorded() as record, ThreadPoolExecutor(3) as threads:
        ask("begin")
        # The first takes longest, so that what comes back first is not the first.
        calls = branched([lambda n=n: slow(n, 0.06 - 0.02 * n) for n in range(3)])
        list(threads.map(lambda call: call(), calls))
        ask("end")
    each = [f"{n} {when}" for n in range(3) for when in ("first", "then")]
    assert texts(record) == ["begin", *each, "end"]


def test_branches_within_branches():
    def inner(name):
        for call in branched([lambda: ask(f"{name}0"), lambda: ask(f"{name}1")]):
            call()

    with recorded() as record:
        for call in reversed(branched([lambda: inner("a"), lambda: inner("b")])):
            call()
    assert texts(record) == ["a0", "a1", "b0", "b1"]


def test_two_units_at_once_are_kept_apart():
    found, both = {}, threading.Barrier(2)

    def unit(name):
        with recorded() as record:
            both.wait()
            ask(name)
            both.wait()
        found[name] = texts(record)

    units = [threading.Thread(target=unit, args=(name,)) for name in ("a", "b")]
    for thread in units:
        thread.start()
    for thread in units:
        thread.join()
    assert found == {"a": ["a"], "b": ["b"]}


def test_a_text_of_no_use_is_marked_and_the_reply_kept():
    with recorded() as record:
        ask("first")
        ask("second")
        mark("unparsed", "It names no number.")
    first, second = record.calls()
    assert (first.status, first.detail) == ("ok", "")
    assert (second.status, second.detail) == ("unparsed", "It names no number.")
    assert second.reply.status == "ok"


def test_a_picture_is_told_by_the_moment_it_was_first_seen_at():
    with recorded() as record:
        showing(picture(1), "front", 0.5)
        showing(picture(1), "front", 0.75)  # a still scene: the same pixels
    assert record.shown() == {"picture-1": ("front", 0.5)}


def test_a_session_notes_what_it_is_asked_cached_or_not(tmp_path):
    with (
        ModelServer(lambda asked: say("85")) as server,
        asking(tmp_path, server) as (session, address),
        recorded() as record,
    ):
        session.ask(address, Request(("Well?",)))
        session.ask(address, Request(("Well?",)))
    assert isinstance(address, Address)
    assert texts(record) == ["85", "85"]
    assert [call.model for call in record.calls()] == [str(address)] * 2
    assert [call.reply.cached for call in record.calls()] == [False, True]


def test_who_answered_is_known_whatever_else_is_recorded_and_in_all_threads():
    def answered(model, **more):
        note(model, Request(("?",)), Reply(**{"text": "!", "revision": "1"} | more))

    with witnessed() as by, ThreadPoolExecutor(2) as threads:
        answered("a")
        with recorded():
            answered("b")
        with redrawn("again"):
            answered("b", revision="2")
        answered("c", status="refused")  # what is no answer has no witness
        calls = branched([lambda: answered("d"), lambda: answered("d")])
        list(threads.map(lambda call: call(), calls))
    answered("e")
    assert by == {("a", "1"), ("b", "1"), ("b", "2"), ("d", "1")}
