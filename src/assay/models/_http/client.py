"""Ask over HTTP from plain functions: what is shared by all units of a process stands here."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from queue import SimpleQueue
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from assay.errors import UsageError
from assay.models._http.bodies import CodedPictures, body_of
from assay.models._http.faults import Fault
from assay.models._http.limits import Budget, Endpoint, endpoint_of
from assay.models._http.loop import LoopThread
from assay.models._http.retrying import Backoff, Hand, Tried, tried
from assay.models._http.transport import CONNECT_S, Post, Route, connected, post, proxy_of
from assay.models.base import Address, HttpProvider, Reply, Request
from assay.models.prices import Price, estimate

if TYPE_CHECKING:
    from aiohttp import ClientSession

__all__ = ["Client", "Limits", "reach"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What holds for every request of a client.

    Attributes:
        in_flight: Requests at once, per endpoint.
        per_minute: Requests a minute, per endpoint; None sets no limit.
        timeout_s: How long one try may take [s].
        tries: How often a request is sent at most.
        max_cost: [USD] over all endpoints; None sets no limit.
    """

    in_flight: int
    per_minute: float | None
    timeout_s: float
    tries: int
    max_cost: float | None


@dataclass
class _Opening:
    """The beginning with one model: the first request goes alone.

    What would stop every request, such as a wrong key, then costs one request and not as many as
    there are places.
    """

    claimed: bool = False
    passed: asyncio.Event = field(default_factory=asyncio.Event)
    answered: bool = False
    stops: dict[str, Fault] = field(default_factory=dict)

    def note(self, end: Reply | Fault) -> None:
        """Take in how a try ended. Once a model has answered, no fault stops all others."""
        if isinstance(end, Reply):
            self.answered |= end.status != "transport"
        elif end.stops is not None and not self.answered:
            self.stops[end.stops] = end

    def stopped(self, request: Request) -> Fault | None:
        """Return why `request` needs not be sent."""
        has = {
            "": True,
            "pictures": bool(request.pictures),
            "schema": request.schema is not None,
            "options": bool(request.options),
        }
        return next((fault for what, fault in self.stops.items() if has[what]), None)


class Client:
    """Send requests through one loop in its own thread, which starts with the first of them.

    Args:
        limits: What holds for all of them.
        backoff: How long to wait before trying again.
    """

    def __init__(self, limits: Limits, backoff: Backoff) -> None:
        self._limits = limits
        self._backoff = backoff
        self._budget = Budget(limits.max_cost)
        self._coded = CodedPictures()
        self._routes: dict[Address, Route] = {}
        self._endpoints: dict[str, Endpoint] = {}
        self._openings: dict[Address, _Opening] = {}
        self._loop: LoopThread[ClientSession] | None = None
        self._closed = False
        self._lock = threading.Lock()

    @contextmanager
    def asked(
        self, provider: HttpProvider, request: Request, price: Price | None
    ) -> Iterator[Reply]:
        """Yield the reply to a request, whatever happens to it. Thread-safe.

        The request holds its place until the block is left. So, where the block stores the reply,
        never more answers are at risk than there are places.
        """
        body = body_of(provider, request, self._coded)
        sent = Post(self._route(provider), request, body, self._limits.timeout_s)
        handed: SimpleQueue[Tried | None] = SimpleQueue()

        async def hand(done: Tried) -> None:
            handed.put(done)
            await asyncio.Event().wait()  # until it is cancelled, when the block is left

        running = self._start(sent, price, hand)
        try:
            running.add_done_callback(lambda _: handed.put(None))
            yield _reply(handed.get() or _ended(running), price)
        finally:
            running.cancel()

    def close(self) -> None:
        """Give up what is on its way and end the loop. May be called twice."""
        with self._lock:
            self._closed = True
            loop, self._loop = self._loop, None
        if loop is not None:
            loop.close()

    def _start(self, sent: Post, price: Price | None, hand: Hand) -> Future[Tried]:
        """Start a request; one that comes after the end is cancelled already."""
        with self._lock:
            if self._closed:
                never: Future[Tried] = Future()
                never.cancel()
                return never
            if self._loop is None:
                self._loop = LoopThread(connected)
            return self._loop.submit(self._tried(self._loop.resource, sent, price, hand))

    def _route(self, provider: HttpProvider) -> Route:
        """Return the way to a model; two threads may both make it, and make the same."""
        if provider.address not in self._routes:
            self._routes[provider.address] = Route.to(provider)
        return self._routes[provider.address]

    async def _tried(
        self, http: ClientSession, sent: Post, price: Price | None, hand: Hand
    ) -> Tried:
        opening = self._openings.setdefault(sent.route.provider.address, _Opening())
        if opening.claimed:
            await opening.passed.wait()
        opening.claimed = True
        if (fault := opening.stopped(sent.request)) is not None:
            return Tried(fault, 0)

        async def send() -> Reply | Fault:
            end = _priced(await post(http, sent), price)
            opening.note(end)
            opening.passed.set()
            return end

        most = estimate(sent.request, price).cost or 0.0
        try:
            return await tried(
                send,
                hand,
                self._endpoint(sent.route.url),
                self._budget,
                most,
                self._backoff,
                self._limits.tries,
            )
        finally:  # also when it was never sent: others must not wait for ever
            opening.passed.set()

    def _endpoint(self, url: str) -> Endpoint:
        limits = self._limits
        name = endpoint_of(url)
        if name not in self._endpoints:
            self._endpoints[name] = Endpoint(limits.in_flight, limits.per_minute)
        return self._endpoints[name]


def _ended(running: Future[Tried]) -> Tried:
    """Return the end of a request that found no reply."""
    if running.cancelled():
        return Tried(Fault("The run was stopped before the answer came."), 0)
    return running.result()


def _reply(done: Tried, price: Price | None) -> Reply:
    if isinstance(done.end, Reply):
        return replace(done.end, attempts=done.attempts)
    cost = None if price is None else 0.0
    detail = done.end.sentence
    return Reply(status="transport", detail=detail, attempts=done.attempts, cost=cost)


def _priced(end: Reply | Fault, price: Price | None) -> Reply | Fault:
    """Return a reply with what it cost, where that can be told."""
    if isinstance(end, Fault) or end.cost is not None or price is None:
        return end
    if end.input_tokens is None or end.output_tokens is None:
        return end
    return replace(end, cost=price.cost(end.input_tokens, end.output_tokens))


def reach(url: str, asked: str, timeout_s: float) -> None:
    """Raise a `UsageError` unless something takes connections at `url`. Costs nothing.

    Args:
        url: Where requests are posted.
        asked: The model, as the user typed it.
        timeout_s: How long to wait [s].
    """
    if proxy_of(url) is not None:
        return  # only the proxy knows
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname or "", port), min(CONNECT_S, timeout_s)).close()
    except OSError as error:
        raise UsageError(
            f"{asked} can't be reached: nothing takes connections at {parts.hostname}:{port}"
            f" ({error.strerror or error}). Is the server running, and is the url right?"
        ) from error
