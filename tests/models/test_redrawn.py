"""A question that is put again is answered anew, and the same way in a second run."""

from concurrent.futures import ThreadPoolExecutor

from assay.models.base import Request, Sampling
from assay.models.recording import branched, drawn, recorded, redrawn
from model_server import ModelServer, say
from model_stubs import asking

ASKED = Request(("how far?",), sampling=Sampling(temperature=1.0))


def in_turn(asked):
    """Answer with the number of the request: no two answers are alike."""
    return say(str(asked.nth))


def three_at_once(session, model):
    """Put the same question from three threads, then once more; return the answers in order."""
    calls = branched([lambda: session.ask(model, ASKED).text for _ in range(3)])
    with ThreadPoolExecutor(3) as threads:
        found = list(threads.map(lambda call: call(), calls))
    return [*found, session.ask(model, ASKED).text]


def test_the_ledger_answers_what_is_not_redrawn(tmp_path):
    with ModelServer(in_turn) as server, asking(tmp_path, server) as (session, model):
        with recorded():
            assert three_at_once(session, model) == ["0"] * 4
        assert server.count == 1


def test_equal_questions_are_draws_of_their_own(tmp_path):
    with ModelServer(in_turn) as server, asking(tmp_path, server) as (session, model):
        with redrawn("repeatability 0") as record:
            first = three_at_once(session, model)
        assert sorted(first) == ["0", "1", "2", "3"]
        assert len({call.request.sample for call in record.calls()}) == 4
        # another draw of the same questions is asked for anew, ...
        with redrawn("repeatability 1"):
            assert set(three_at_once(session, model)).isdisjoint(first)
        assert server.count == 8
        # ... and the same draw is found in the ledger, each answer in its place
        with redrawn("repeatability 0"):
            assert three_at_once(session, model) == first
        assert server.count == 8


def test_several_samples_of_one_question_stay_apart():
    with redrawn("check 0"):
        samples = {drawn(Request(("?",), sample=index)).sample for index in range(8)}
    assert len(samples) == 8
    assert min(samples) > 1000  # and meet none that a judge asks for


def test_nothing_is_redrawn_outside():
    with redrawn("check 0"):
        pass
    assert drawn(ASKED) is ASKED
    with recorded():
        assert drawn(ASKED) is ASKED
