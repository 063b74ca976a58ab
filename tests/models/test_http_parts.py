"""Bodies, limits, waits, budget, redaction, prices: each by itself."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.models._flights import Flights
from assay.models._http.bodies import CodedPictures, body_of
from assay.models._http.limits import Budget, Endpoint, endpoint_of
from assay.models._http.loop import LoopThread
from assay.models._http.redaction import redact, secrets_in
from assay.models._http.retrying import Backoff
from assay.models._http.transport import proxy_of
from assay.models.base import Address, Picture, Request
from assay.models.prices import Price, estimate, load_prices, price_of
from model_server import ModelServer, error, in_turn, say
from model_stubs import KEY, StubHttp, asking, picture

HERE = Address("stub", "seer", "http://127.0.0.1:1/v1")
parts = st.lists(st.one_of(st.text(), st.builds(picture, st.integers(0, 3))), max_size=6)


@given(parts)
def test_a_body_is_what_the_provider_words(shown: list[str | Picture]) -> None:
    request = Request(tuple(shown))
    made = b"".join(body_of(StubHttp(HERE), request, CodedPictures()))
    assert json.loads(made) == StubHttp(HERE).body(request)


def test_a_provider_that_changes_pictures_sees_them() -> None:
    class Turning(StubHttp):
        def body(self, request: Request) -> Mapping[str, Any]:
            turned = [base64.b64encode(one.jpeg[::-1]).decode() for one in request.pictures]
            return {"pictures": turned}

    request = Request((picture(1), "?"))
    made = b"".join(body_of(Turning(HERE), request, CodedPictures()))
    assert json.loads(made) == Turning(HERE).body(request)


def test_a_picture_is_coded_once_and_kept_within_bounds() -> None:
    coded = CodedPictures(most=1000)
    first = coded.of(picture(0))  # 300 bytes are 400 of base64
    assert base64.b64decode(first) == picture(0).jpeg
    assert coded.of(replace(picture(0), jpeg=b"never looked at")) is first
    coded.of(picture(1))
    coded.of(picture(0))
    coded.of(picture(2))  # 1200 bytes: the one not used for longest goes
    assert coded.of(picture(0)) is first
    assert coded.of(replace(picture(1), jpeg=b"abc")) == base64.b64encode(b"abc")


def test_limits_are_counted_by_scheme_host_and_port() -> None:
    assert endpoint_of("https://a.example/v1/chat?x=1") == endpoint_of(
        "https://u:p@A.example:443/v2"
    )
    assert endpoint_of("http://a.example/v1") != endpoint_of("https://a.example/v1")
    assert endpoint_of("http://a.example:8000/") != endpoint_of("http://a.example:8001/")


def test_no_more_requests_at_once_than_allowed_over_all_models(tmp_path: Path) -> None:
    with ModelServer(lambda asked: say("85"), latency_s=0.05) as server:
        with asking(tmp_path, server, in_flight=3) as (session, to):
            models = [replace(to, name=name) for name in ("a", "b")]
            with ThreadPoolExecutor(12) as pool:
                asked = [(models[n % 2], Request((f"{n}?",))) for n in range(12)]
                statuses = {r.status for r in pool.map(lambda one: session.ask(*one), asked)}
        assert (server.count, server.most_at_once, statuses) == (12, 3, {"ok"})


def test_the_rate_holds_for_all_models_of_an_endpoint(tmp_path: Path) -> None:
    began = time.monotonic()
    with (
        ModelServer(lambda asked: say("85")) as server,
        asking(tmp_path, server, per_minute=600.0) as (session, to),
    ):
        for name in "abcde":
            session.ask(replace(to, name=name), Request(("?",)))
    assert time.monotonic() - began >= 4 * 0.1  # five starts, 0.1 s apart: never less


def test_a_wait_that_the_endpoint_asks_for_holds_for_all(tmp_path: Path) -> None:
    times = []

    def answer(asked):
        times.append(time.monotonic())
        return error(429, "", retry_after="0.5") if asked.nth == 0 else say("85")

    with (
        ModelServer(answer) as server,
        asking(tmp_path, server) as (session, to),
        ThreadPoolExecutor(4) as pool,
    ):
        list(pool.map(lambda n: session.ask(to, Request((f"{n}?",))), range(4)))
    assert len(times) == 5
    assert min(times[1:]) - times[0] >= 0.5


def test_a_date_in_retry_after_is_waited_for(tmp_path: Path) -> None:
    then = datetime.now(UTC) + timedelta(seconds=2)
    script = in_turn(error(503, "", retry_after=format_datetime(then, usegmt=True)), say("85"))
    with ModelServer(script) as server, asking(tmp_path, server) as (session, to):
        assert session.ask(to, Request(("?",))).attempts == 2
    assert datetime.now(UTC) >= then.replace(microsecond=0)  # a header has whole seconds


def test_waits_double_up_to_a_cap_and_half_of_each_is_drawn() -> None:
    backoff = Backoff(np.random.default_rng(3), base_s=1.0, cap_s=5.0)
    waits = [backoff.delay(n) for n in (1, 2, 3, 4, 200)]
    for wait, whole in zip(waits, (1.0, 2.0, 4.0, 5.0, 5.0), strict=True):
        assert whole / 2 <= wait <= whole
    again = Backoff(np.random.default_rng(3), base_s=1.0, cap_s=5.0)
    assert [again.delay(n) for n in (1, 2, 3, 4, 200)] == waits


@given(st.integers(1, 100), st.floats(0.0, 1e6))
def test_never_sooner_than_asked(failures: int, asked: float) -> None:
    assert (
        asked <= Backoff(np.random.default_rng(0)).delay(failures, asked) <= max(60.0, asked * 1.1)
    )


def test_starts_are_evenly_apart() -> None:
    async def starts() -> list[float]:
        read: list[float] = []
        times: list[float] = []

        def clock() -> float:
            read.append(time.monotonic())
            return read[-1]

        endpoint = Endpoint(8, per_minute=1200.0, clock=clock)

        async def one() -> None:
            async with endpoint.place():
                times.append(read[-1])  # the start as the endpoint saw it, however late we are

        await asyncio.gather(*(one() for _ in range(5)))
        return times

    assert np.all(np.diff(asyncio.run(starts())) >= 0.05 - 1e-6)


def test_a_budget_waits_for_estimates_that_may_be_too_high() -> None:
    async def bought() -> list[bool]:
        budget = Budget(1.0)
        first = await budget.reserve(0.8)
        second = asyncio.create_task(budget.reserve(0.8))
        await asyncio.sleep(0)
        assert not second.done()
        await budget.settle(0.8, 0.1)
        third = asyncio.create_task(budget.reserve(0.8))
        assert await second
        await budget.settle(0.8, 0.5)
        return [first, await third, await budget.reserve(0.01)]

    # 0.6 is spent: 0.8 does not fit, and from then on nothing does.
    assert asyncio.run(bought()) == [True, False, False]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=20))
def test_no_more_is_spent_than_allowed(requests: list[tuple[float, float]]) -> None:
    async def spent() -> float:
        budget, total = Budget(2.0), 0.0
        for estimate_, share in requests:
            if await budget.reserve(estimate_):
                total += estimate_ * share
                await budget.settle(estimate_, estimate_ * share)
        return total

    assert asyncio.run(spent()) <= 2.0 + 1e-9


def test_keys_are_hidden_in_every_form() -> None:
    url = "https://me:pass%20word@a.example/v1?key=query-key&alt=sse"
    secrets = secrets_in(
        {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}, url
    )
    for form in (KEY, f"Bearer {KEY}", "sk-very%2Fsecret%2Bkey%3D1", "pass word", "query-key"):
        hidden = redact(f"a {form} b", secrets)
        assert (form not in hidden, "[key]" in hidden) == (True, True)
    assert redact("application/json from Bearer", secrets) == "application/json from Bearer"


@given(st.text(min_size=8), st.text(), st.text())
def test_no_key_survives(key: str, before: str, after: str) -> None:
    secrets = secrets_in({"x-api-key": key})
    assert key not in redact(before + key + after, secrets).replace("[key]", "\0")


def test_proxies_of_the_environment_are_used_but_not_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "inside.example")
    assert proxy_of("https://a.example/v1") == "http://proxy.example:3128"
    assert proxy_of("https://inside.example/v1") is None
    assert proxy_of("http://localhost:8000/v1") is None
    assert proxy_of("http://127.0.0.1:8000/v1") is None


def test_the_loop_ends_with_its_work_and_then_what_was_shared() -> None:
    events = []

    @asynccontextmanager
    async def shared():
        yield "shared"
        events.append("closed")

    async def work() -> None:
        try:
            await asyncio.sleep(60.0)
        finally:
            events.append("cancelled")

    async def quick() -> str:
        return "done"

    loop = LoopThread(shared)
    assert loop.resource == "shared"
    assert loop.submit(quick()).result() == "done"
    future = loop.submit(work())
    loop.submit(quick()).result()  # the first has begun
    loop.close()
    loop.close()
    assert future.cancelled()
    assert events == ["cancelled", "closed"]
    with pytest.raises(RuntimeError, match="closed"):
        loop.submit(quick())


def test_work_in_flight_is_shared_and_taken_over_where_it_fails() -> None:
    flights: Flights[int] = Flights()
    began, go = threading.Event(), threading.Event()

    def fails() -> int:
        began.set()
        go.wait(20.0)
        raise KeyError

    with ThreadPoolExecutor(2) as pool:
        leader = pool.submit(flights.run, "a", fails)
        assert began.wait(20.0)
        follower = pool.submit(flights.run, "a", lambda: 7)
        go.set()
        assert follower.result(20.0) == (7, False)
        assert isinstance(leader.exception(20.0), KeyError)
    assert flights.run("a", lambda: 8) == (8, False)  # nothing is remembered


def test_an_estimate_by_hand() -> None:
    request = Request(("Grüße", picture(0)), system="ab")
    # 7 bytes of UTF-8 and 2; 448/28 = 16 patches a side, 256 x 2.5 = 640 tokens; 3 x 16 around.
    assert estimate(request, None).input_tokens == 7 + 2 + 640 + 48
    # With 100 tokens a picture: 157 in, 1024 out, at 2 and 8 USD a million.
    priced = estimate(request, Price(2.0, 8.0, 100))
    assert priced.cost == pytest.approx((157 * 2 + 1024 * 8) / 1e6)


def test_prices_are_found_by_the_closest_name(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(
        '[m]\ninput = 1\noutput = 2\n["openai:m"]\ninput = 3\noutput = 4\n'
        '["openai:m@http://a/v1"]\ninput = 5\noutput = 6\n'
    )
    prices = load_prices(path)
    assert price_of(prices, Address("openai", "m", "http://a/v1")) == Price(5.0, 6.0)
    assert price_of(prices, Address("openai", "m", "http://b/v1")) == Price(3.0, 4.0)
    assert price_of(prices, Address("gemini", "m")) == Price(1.0, 2.0)
    assert price_of(prices, Address("gemini", "n")) is None
    (tmp_path / "prices.json").write_text('{"m": {"input": 1, "output": 2, "picture": 9}}')
    assert load_prices(tmp_path / "prices.json") == {"m": Price(1.0, 2.0, 9)}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[m]\ninput = 1\n", "needs `input` and `output`"),
        ("m = 3\n", "needs `input` and `output`"),
        ("[m]\ninput = 1\noutput = -2\n", "output of 'm' must be a number, 0 or more: -2"),
        ("[m]\ninput = 'a'\noutput = 2\n", "input of 'm' must be a number"),
        ("[m]\ninput = nan\noutput = 2\n", "input of 'm' must be a number"),
        ("[m]\ninput = 1\noutput = 2\noutptu = 2\n", "Did you mean 'output'"),
        ("[m\n", "no toml"),
    ],
)
def test_bad_prices_name_the_file_and_the_fault(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=fault) as caught:
        load_prices(path)
    assert "prices.toml" in str(caught.value)
