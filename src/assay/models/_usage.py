"""Count what was asked, sent and spent, by model."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace

from assay.models.base import Reply, Request
from assay.models.prices import Estimate

__all__ = ["Tally", "Usage"]


@dataclass(frozen=True, slots=True)
class Usage:
    """What one model was asked in this session.

    Attributes:
        calls: Requests that were sent, each counted once however often it was tried; with `plan`,
            those that would be.
        cached: Requests answered without a call of their own.
        failed: Requests without an ok answer; with `plan` none.
        input_tokens: As the endpoint counted them; with `plan`, at most.
        output_tokens: The same for answers.
        cost: [USD]; None when something was sent and no price is known.
        pictures: Pictures in the requests that were sent.
    """

    calls: int = 0
    cached: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0
    pictures: int = 0


class Tally:
    """Add up usage; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._usage: dict[str, Usage] = {}
        self._planned: set[str] = set()

    def add(self, model: str, request: Request, reply: Reply) -> None:
        """Count a reply. Only what was sent costs anything."""
        with self._lock:
            old = self._usage.get(model, Usage())
            old = replace(
                old, cached=old.cached + reply.cached, failed=old.failed + (reply.status != "ok")
            )
            if reply.attempts and not reply.cached:
                tokens = (reply.input_tokens or 0, reply.output_tokens or 0)
                old = _sent(old, request, tokens, reply.cost)
            self._usage[model] = old

    def plan(self, model: str, key: str, request: Request, expected: Estimate) -> None:
        """Count a request that would be sent; the second of two equal ones would be cached."""
        with self._lock:
            old = self._usage.get(model, Usage())
            if key in self._planned:
                self._usage[model] = replace(old, cached=old.cached + 1)
                return
            self._planned.add(key)
            tokens = (expected.input_tokens, expected.output_tokens)
            self._usage[model] = _sent(old, request, tokens, expected.cost)

    def usage(self) -> Mapping[str, Usage]:
        """Return the counts so far, by model."""
        with self._lock:
            return dict(sorted(self._usage.items()))


def _sent(old: Usage, request: Request, tokens: tuple[int, int], cost: float | None) -> Usage:
    return replace(
        old,
        calls=old.calls + 1,
        pictures=old.pictures + len(request.pictures),
        input_tokens=old.input_tokens + tokens[0],
        output_tokens=old.output_tokens + tokens[1],
        cost=None if old.cost is None or cost is None else old.cost + cost,
    )
