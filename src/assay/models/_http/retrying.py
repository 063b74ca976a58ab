"""Try again what may get better, later each time, and never sooner than the endpoint asks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from assay.models._http.faults import Fault
from assay.models._http.limits import Budget, Endpoint
from assay.models.base import Reply

__all__ = ["Backoff", "Hand", "Send", "Tried", "tried"]

Send: TypeAlias = Callable[[], Awaitable[Reply | Fault]]
Hand: TypeAlias = "Callable[[Tried], Awaitable[None]]"
_SPENT = Fault("The next request could pass --max-cost, so nothing more is sent.")


@dataclass(frozen=True)
class Backoff:
    """How long to wait before trying again.

    Attributes:
        rng: Spreads the waits, so that many processes do not come back at the same moment.
        base_s: The first wait [s]; each further one is twice as long.
        cap_s: The longest wait of our own [s].
        longest_s: The longest wait that an endpoint may ask for [s]; beyond it the request fails.
    """

    rng: np.random.Generator = field(default_factory=np.random.default_rng)
    base_s: float = 1.0
    cap_s: float = 60.0
    longest_s: float = 600.0

    def delay(self, failures: int, asked: float | None = None) -> float:
        """Return the wait [s] after so many failures, 1 and more.

        Half of it is fixed and half is drawn. What the endpoint asked for is waited in full, with
        up to a tenth on top.
        """
        whole = min(self.cap_s, self.base_s * 2.0 ** min(failures - 1, 30))
        share = float(self.rng.random())
        own = whole * (0.5 + 0.5 * share)
        return own if asked is None else max(own, asked * (1.0 + 0.1 * share))


@dataclass(frozen=True, slots=True)
class Tried:
    """How a request ended: a reply or the last fault, and how often it was sent."""

    end: Reply | Fault
    attempts: int


async def tried(
    send: Send,
    hand: Hand,
    endpoint: Endpoint,
    budget: Budget,
    estimate: float,
    backoff: Backoff,
    tries: int,
) -> Tried:
    """Send until there is a reply, a fault that waiting can't mend, or no try left.

    Args:
        send: Sends once.
        hand: Takes a reply or such a fault, and returns when it may give up its place.
        endpoint: Where; its limits hold for every try.
        budget: What may be spent.
        estimate: What one try may cost at most [USD].
        backoff: How long to wait between tries.
        tries: How often to send at most.
    """
    last = Fault("It was never sent.")
    for attempt in range(1, tries + 1):
        if endpoint.given_up:
            return Tried(_given_up(endpoint.given_up), attempt - 1)
        async with endpoint.place():
            if not await budget.reserve(estimate):
                return Tried(_SPENT, attempt - 1)
            end = await _settled(send, budget, estimate)
            if isinstance(end, Reply) or not end.again:
                endpoint.count(lost=False)
                done = Tried(end, attempt)
                await hand(done)
                return done
        last = end
        wait = backoff.delay(attempt, end.wait)
        if end.crowded:
            endpoint.pause(min(wait, backoff.longest_s))
        if wait > backoff.longest_s:
            return Tried(_too_long(end, wait), attempt)
        if attempt < tries:
            await asyncio.sleep(wait)
    endpoint.count(lost=True)
    return Tried(_exhausted(last, tries), tries)


async def _settled(send: Send, budget: Budget, estimate: float) -> Reply | Fault:
    """Send, and settle with the budget whatever happens.

    What may have been charged and is not known counts as the estimate.
    """
    cost = estimate
    try:
        end = await send()
        if isinstance(end, Reply):
            cost = estimate if end.cost is None else end.cost
        else:
            cost = estimate if end.billed else 0.0
        return end
    finally:
        await budget.settle(estimate, cost)


def _exhausted(fault: Fault, tries: int) -> Fault:
    times = "once" if tries == 1 else f"{tries} times"
    return replace(fault, sentence=f"{fault.sentence} It was sent {times}.")


def _too_long(fault: Fault, wait: float) -> Fault:
    return replace(
        fault, sentence=f"{fault.sentence} It asks to wait {wait:.0f} s: run again then."
    )


def _given_up(lost: int) -> Fault:
    return Fault(f"The last {lost} requests to this endpoint found no answer: nothing was sent.")
