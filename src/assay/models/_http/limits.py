"""What all units share at one endpoint: places, a rate, pauses, and patience.

An endpoint is scheme, host and port. Everything here lives in the one loop and needs no lock.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

__all__ = ["Budget", "Endpoint", "endpoint_of"]

_PORTS = {"http": 80, "https": 443}


def endpoint_of(url: str) -> str:
    """Return scheme, host and port of `url`: what limits are counted by."""
    parts = urlsplit(url)
    port = parts.port or _PORTS.get(parts.scheme, 0)
    return f"{parts.scheme}://{parts.hostname}:{port}"


class Endpoint:
    """The limits of one endpoint.

    Args:
        in_flight: Requests at once.
        per_minute: Requests a minute, evenly apart; None sets no limit.
        clock: Returns the time [s].
    """

    def __init__(
        self,
        in_flight: int,
        per_minute: float | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._places = asyncio.Semaphore(in_flight)
        self._patience = max(8, in_flight)
        self._apart = 60.0 / per_minute if per_minute else 0.0  # [s]
        self._clock = clock
        self._next = 0.0  # when the next request may start [s]
        self._paused = 0.0  # until when nothing may start [s]
        self._lost = 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold one of the places, from the moment at which a request may start."""
        async with self._places:
            while (wait := self._until()) > 0.0:
                await asyncio.sleep(wait)
            self._next = self._clock() + self._apart
            yield

    def _until(self) -> float:
        """Return how long nothing may start [s]."""
        return max(self._next, self._paused) - self._clock()

    def pause(self, seconds: float) -> None:
        """Start nothing for so long; what runs goes on."""
        self._paused = max(self._paused, self._clock() + seconds)

    def count(self, *, lost: bool) -> None:
        """Count a request that found no answer in all its tries, or one that did."""
        self._lost = self._lost + 1 if lost else 0

    @property
    def given_up(self) -> int:
        """Return how many requests in a row found no answer once that is too many, else 0."""
        return self._lost if self._lost >= self._patience else 0


class Budget:
    """Money that may be spent over all endpoints.

    A request is sent only when its upper estimate still fits; afterwards what it did cost is put
    in its place. The first one that does not fit closes the budget for good.

    Args:
        most: [USD]; None sets no limit.
    """

    def __init__(self, most: float | None) -> None:
        self._most = most
        self._spent = 0.0
        self._reserved: list[float] = []
        self._closed = False
        self._settled = asyncio.Condition()

    async def reserve(self, estimate: float) -> bool:
        """Set `estimate` aside [USD], and return whether it fits.

        While others are on their way their estimates may turn out too high, so this waits.
        """
        if self._most is None:
            return True
        async with self._settled:
            while not self._closed and self._total() + estimate > self._most:
                if not self._reserved:
                    self._closed = True
                    self._settled.notify_all()
                else:
                    await self._settled.wait()
            if not self._closed:
                self._reserved.append(estimate)
            return not self._closed

    async def settle(self, estimate: float, cost: float) -> None:
        """Put what a request did cost in the place of its estimate [USD]."""
        if self._most is None:
            return
        async with self._settled:
            self._reserved.remove(estimate)
            self._spent += cost
            self._settled.notify_all()

    def _total(self) -> float:
        return self._spent + sum(self._reserved)
