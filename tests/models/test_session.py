"""The session against a real server on this machine."""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError, MissingExtraError, RunError, UsageError
from assay.models import session as sessions
from assay.models.base import Address, Request, Sampling
from assay.models.ledger import Ledger, key_of
from assay.models.session import ModelSettings, Session, Usage, current, opened
from model_server import ModelServer, cut, error, hang, in_turn, say
from model_stubs import StubLocal, asking, picture, stub

PRICES = "[seer]\ninput = 1000.0\noutput = 10000.0\npicture = 500\n"


def ask_many(session: Session, address: Address, requests: list[Request]) -> list[str]:
    with ThreadPoolExecutor(len(requests)) as pool:
        return [r.status for r in pool.map(lambda one: session.ask(address, one), requests)]


def test_an_answer_is_paid_for_once_and_found_by_the_next_session(tmp_path: Path) -> None:
    request = Request(("How far?", picture(1), picture(2)), sampling=Sampling(max_tokens=7))
    with ModelServer(lambda asked: say("85")) as server:
        with asking(tmp_path, server) as (session, address):
            first = session.ask(address, request)
            second = session.ask(address, request)
        with asking(tmp_path, server) as (session, address):
            third = session.ask(address, request)
            usage = session.usage()
        assert server.count == 1
        assert server.asked[0].pictures == [picture(1).jpeg, picture(2).jpeg]
        assert server.asked[0].body["max_tokens"] == 7
    assert (first.text, first.status, first.attempts, first.cached) == ("85", "ok", 1, False)
    assert first.key == key_of(address, "stub-2026-01", request)
    for again in (second, third):
        assert (again.text, again.attempts, again.cached, again.key) == ("85", 0, True, first.key)
    assert usage == {str(address): Usage(cached=1)}


def test_another_sample_is_another_answer(tmp_path: Path) -> None:
    with (
        ModelServer(lambda asked: say(str(asked.nth))) as server,
        asking(tmp_path, server) as (session, address),
    ):
        texts = [session.ask(address, Request(("?",), sample=n)).text for n in (0, 1, 0)]
    assert texts == ["0", "1", "0"]


def test_equal_requests_in_flight_are_sent_once(tmp_path: Path) -> None:
    with ModelServer(lambda asked: say("85"), latency_s=0.3) as server:
        with asking(tmp_path, server) as (session, address):
            assert ask_many(session, address, [Request(("?",))] * 8) == ["ok"] * 8
            usage = session.usage()[str(address)]
        assert server.count == 1
    assert (usage.calls, usage.cached, usage.input_tokens, usage.output_tokens) == (1, 7, 100, 10)


def test_a_place_is_held_until_the_answer_is_stored(tmp_path: Path, monkeypatch) -> None:
    at_risk, stored = [], []

    def put(self: Ledger, *row: Any) -> None:
        time.sleep(0.05)  # time enough for others to be sent, were there a place for them
        at_risk.append(server.count - len(stored))
        store(self, *row)
        stored.append(row)

    store = Ledger.put
    monkeypatch.setattr(Ledger, "put", put)
    with ModelServer(lambda asked: say("85")) as server:
        with asking(tmp_path, server, in_flight=2) as (session, address):
            requests = [Request((f"{n}?",)) for n in range(8)]
            assert ask_many(session, address, requests) == ["ok"] * 8
        assert server.count == len(stored) == 8
    assert max(at_risk) <= 2


def test_nothing_more_is_sent_where_an_answer_can_t_be_stored(tmp_path: Path, monkeypatch) -> None:
    def put(self: Ledger, *row: Any) -> None:
        raise RunError("No space is left.")

    monkeypatch.setattr(Ledger, "put", put)
    with ModelServer(lambda asked: say("85")) as server:
        with asking(tmp_path, server, in_flight=1) as (session, address):
            for n in range(3):
                with pytest.raises(RunError, match="No space"):
                    session.ask(address, Request((f"{n}?",)))
        assert server.count == 1  # the others would have been paid for in vain


def test_usage_adds_up_what_the_endpoint_counted(tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text(PRICES)
    with (
        ModelServer(lambda asked: say("85", tokens=(30, 4))) as server,
        asking(tmp_path, server, prices=tmp_path / "prices.toml") as (session, address),
    ):
        replies = [session.ask(address, Request((f"{n}?", picture(n)))) for n in range(3)]
        usage = session.usage()[str(address)]
    # 30 tokens at 1000 and 4 at 10000 USD a million: 0.03 + 0.04 USD.
    assert [r.cost for r in replies] == pytest.approx([0.07] * 3)
    assert usage.cost == pytest.approx(0.21)
    assert (usage.calls, usage.input_tokens, usage.output_tokens, usage.pictures) == (3, 90, 12, 3)


def test_without_a_price_the_cost_is_not_known(tmp_path: Path) -> None:
    with (
        ModelServer(lambda asked: say("85")) as server,
        asking(tmp_path, server) as (session, address),
    ):
        assert session.ask(address, Request(("?",))).cost is None
        assert session.usage()[str(address)].cost is None


def test_a_plan_counts_what_is_missing_and_sends_nothing(tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text(PRICES)
    known, new = Request(("Known?",)), Request(("New?", picture(1)), system="Look.")
    with ModelServer(lambda asked: say("85")) as server:
        with asking(tmp_path, server) as (session, address):
            session.ask(address, known)
        settings = {"plan": True, "prices": tmp_path / "prices.toml"}
        with asking(tmp_path, server, **settings) as (session, address):
            replies = [session.ask(address, one) for one in (known, new, new)]
            usage = session.usage()[str(address)]
        assert server.count == 1
    assert [r.status for r in replies] == ["ok", "transport", "transport"]
    assert replies[1].detail == "planned, not sent"
    # "New?" and "Look." have 9 bytes, the picture is 500 tokens by the file, and 3 x 16 tokens may
    # stand around two parts and the system's: 557. The answer may have 1024.
    # 557 x 1000 + 1024 x 10000 USD a million are 10.797 USD.
    cost = pytest.approx(10.797)
    assert usage == Usage(1, 2, 0, 557, 1024, cost, 1)


def test_a_plan_leaves_no_file_whatever_is_there(tmp_path: Path) -> None:
    def files() -> dict[str, bytes]:
        return {p.name: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}

    with ModelServer(lambda asked: say("85")) as server:
        for number, known in enumerate(("nothing", "an empty file", "a ledger")):
            if known == "an empty file":
                (tmp_path / "ledger.sqlite").touch()
            if known == "a ledger":
                with asking(tmp_path, server) as (session, address):
                    session.ask(address, Request(("Known?",)))
            before = files()
            with asking(tmp_path, server, plan=True) as (session, address):
                replies = [session.ask(address, Request((text,))) for text in ("Known?", "New?")]
                assert files() == before
            assert files() == before
            assert [r.status for r in replies] == [
                "ok" if known == "a ledger" else "transport", "transport",
            ]  # fmt: skip
            assert server.count == (number == 2)


def test_a_plan_beside_a_run_sees_what_it_has_stored(tmp_path: Path) -> None:
    with (
        ModelServer(lambda asked: say("85")) as server,
        asking(tmp_path, server) as (session, address),
    ):
        session.ask(address, Request(("Known?",)))
        with asking(tmp_path, server, plan=True) as (planned, _):
            assert planned.ask(address, Request(("Known?",))).text == "85"
        assert session.ask(address, Request(("New?",))).status == "ok"


def test_a_plan_takes_no_answer_back(tmp_path: Path) -> None:
    with ModelServer(lambda asked: say("85")) as server:
        with asking(tmp_path, server) as (session, address):
            session.ask(address, Request(("Known?",)))
        with asking(tmp_path, server, plan=True) as (session, address):
            reply = session.ask(address, Request(("Known?",)))
            session.reject(reply, "unparsed", "It holds no number.")
            assert session.ask(address, Request(("Known?",))).text == "85"


def test_what_must_be_installed_is_told_before_spending(tmp_path: Path, monkeypatch) -> None:
    with (
        ModelServer(lambda asked: say("85")) as server,
        asking(tmp_path, server) as (session, address),
    ):
        monkeypatch.setitem(sys.modules, "aiohttp", None)
        with pytest.raises(MissingExtraError, match=r"'aiohttp': pip install 'assay\[models\]'"):
            session.provider(address)
        monkeypatch.undo()
        assert session.ask(address, Request(("?",))).status == "ok"


def test_a_plan_needs_neither_key_nor_server(tmp_path: Path) -> None:
    class Keyless(StubLocal):
        def check(self) -> None:
            raise UsageError("The variable STUB_KEY is not set.")

    nowhere = Address("stub", "seer", "http://127.0.0.1:9/v1")
    settings = ModelSettings(ledger=tmp_path / "l", plan=True)
    with Session(settings, make=Keyless) as session:
        assert session.ask(nowhere, Request(("?",))).detail == "planned, not sent"


def test_offline_answers_from_the_ledger_alone(tmp_path: Path) -> None:
    script = in_turn(say("85"), error(400, "no"))
    with ModelServer(script) as server:
        with asking(tmp_path, server) as (session, address):
            session.ask(address, Request(("Known?",)))
            failed = session.ask(address, Request(("Failed?",)))
        with asking(tmp_path, server, offline=True) as (session, address):
            known, failed_again, new = (
                session.ask(address, Request((text,))) for text in ("Known?", "Failed?", "New?")
            )
        assert server.count == 2
    assert (known.text, known.cached) == ("85", True)
    assert (failed_again.status, failed_again.detail) == ("transport", failed.detail)
    assert (new.status, "offline" in new.detail) == ("transport", True)


def test_a_changed_revision_is_told_and_not_mixed(tmp_path: Path) -> None:
    with ModelServer(in_turn(say("1"), say("2", model="stub-2027"))) as server:
        with asking(tmp_path, server) as (session, address):
            replies = [session.ask(address, Request((f"{n}?",))) for n in range(3)]
        assert server.count == 2  # what can't be used is not bought
    assert [r.status for r in replies] == ["ok", "transport", "transport"]
    assert "stub-2027" in replies[1].detail
    assert replies[2].detail == replies[1].detail
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        paid = ledger.get(key_of(address, "stub-2027", Request(("1?",))))
        assert paid is not None
        assert paid.text == "2"


def test_more_pictures_than_the_model_takes_are_not_sent(tmp_path: Path) -> None:
    with ModelServer(lambda asked: say("85")) as server:
        with asking(tmp_path, server) as (session, address):
            reply = session.ask(address, Request(tuple(picture(n) for n in range(9))))
        assert server.count == 0
    assert reply.status == "transport"
    assert "9 pictures" in reply.detail
    assert "8 at most" in reply.detail


def test_a_budget_without_a_price_is_told_before_spending(tmp_path: Path) -> None:
    with (
        ModelServer(lambda asked: say("85")) as server,
        asking(tmp_path, server, max_cost=1.0) as (session, address),
        pytest.raises(UsageError, match="--max-cost needs the price of 'seer'"),
    ):
        session.provider(address)
    assert server.count == 0


def test_an_endpoint_that_is_not_there_is_told_before_spending(tmp_path: Path) -> None:
    with ModelServer(lambda asked: say("85")) as server:
        pass  # it has gone again, and its port is free
    told = f"nothing takes connections at 127.0.0.1:{server.port}"
    with asking(tmp_path, server) as (session, to), pytest.raises(UsageError, match=told):
        session.ask(to, Request(("?",)))


def test_a_provider_is_made_and_checked_once_and_again_after_a_failure(tmp_path: Path) -> None:
    checks = []

    class Checked(StubLocal):
        def check(self) -> None:
            checks.append(self.address)
            if len(checks) == 1:
                raise UsageError("The variable STUB_KEY is not set.")

    address = Address("local", "seer")
    with Session(ModelSettings(ledger=tmp_path / "l"), make=Checked) as session:
        with pytest.raises(UsageError, match="STUB_KEY"):
            session.provider(address)
        assert session.provider(address) is session.provider(address)
    assert len(checks) == 2


def test_a_local_model_answers_one_request_at_a_time_and_is_kept(tmp_path: Path) -> None:
    address = Address("local", "seer")
    with Session(ModelSettings(ledger=tmp_path / "l"), make=stub) as session:
        provider = session.provider(address)
        assert ask_many(session, address, [Request((f"{n}",)) for n in range(4)]) == ["ok"] * 4
        again = session.ask(address, Request(("2",)))
        usage = session.usage()[str(address)]
    assert isinstance(provider, StubLocal)
    assert provider.most == [1, 1, 1, 1]
    assert (again.text, again.cached, again.revision) == ("I see 2", True, "weights-1")
    assert (usage.calls, usage.cached, usage.cost) == (4, 1, 0.0)


def test_a_budget_is_kept_and_ends_the_spending(tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text("[seer]\ninput = 0.0\noutput = 1000.0\n")
    settings = {"prices": tmp_path / "prices.toml", "max_cost": 0.1, "in_flight": 4}
    asked = [Request((f"{n}?",), sampling=Sampling(max_tokens=25)) for n in range(12)]
    # A try is 25 tokens = 0.025 USD at most and 10 tokens = 0.01 USD in truth. The n-th is sent if
    # 0.01 (n - 1) + 0.025 <= 0.1: eight are, and cost 0.08 USD.
    with ModelServer(lambda one: say("85", tokens=(1, 10))) as server:
        with asking(tmp_path, server, **settings) as (session, address):
            statuses = ask_many(session, address, asked)
            late = session.ask(address, Request(("late?",)))
            usage = session.usage()[str(address)]
        assert server.count == 8
    assert sorted(statuses) == ["ok"] * 8 + ["transport"] * 4
    assert "--max-cost" in late.detail
    assert usage.cost == pytest.approx(0.08)
    assert (usage.calls, usage.failed) == (8, 5)


def test_ctrl_c_gives_up_what_is_on_its_way(tmp_path: Path) -> None:
    waiting = threading.Event()
    replies = []

    def answer(asked):
        waiting.set()
        return hang(60.0)

    with ModelServer(answer) as server:
        with asking(tmp_path, server, timeout_s=60.0) as (session, address):
            unit = threading.Thread(
                target=lambda: replies.append(session.ask(address, Request(("?",))))
            )
            unit.start()
            assert waiting.wait(20.0)
        unit.join(20.0)  # the session is closed, as Ctrl-C leaves it
    assert [r.status for r in replies] == ["transport"]
    assert "stopped" in replies[0].detail


def test_the_current_session_is_the_one_opened_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_LEDGER", str(tmp_path / "default"))
    monkeypatch.setattr(sessions, "_CURRENT", sessions._Current())
    default = current()
    assert current() is default
    with opened(ModelSettings(ledger=tmp_path / "outer")) as outer:
        with opened(ModelSettings(ledger=tmp_path / "inner")) as inner:
            assert current() is inner
        assert current() is outer
    assert current() is default
    default.close()
    default.close()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("in_flight", 0),
        ("tries", 0),
        ("timeout_s", 0.0),
        ("per_minute", -1.0),
        ("per_minute", float("nan")),
        ("max_cost", -0.1),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(field: str, value: float) -> None:
    with pytest.raises(UsageError, match=field):
        ModelSettings(**{field: value})


def test_bad_prices_are_told_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read"):
        Session(ModelSettings(ledger=tmp_path / "l", prices=tmp_path / "none.toml"))


def test_cut_connections_are_counted_against_the_budget(tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text("[seer]\ninput = 0.0\noutput = 1000.0\n")
    settings = {"prices": tmp_path / "prices.toml", "max_cost": 0.06, "tries": 5}
    request = Request(("?",), sampling=Sampling(max_tokens=25))
    with ModelServer(lambda asked: cut()) as server:
        with asking(tmp_path, server, **settings) as (session, address):
            reply = session.ask(address, request)
        # Two tries may have been charged 0.025 USD each; a third could pass 0.06.
        assert server.count == 2
    assert "--max-cost" in reply.detail
