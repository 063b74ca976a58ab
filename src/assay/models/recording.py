"""Note which questions are put on behalf of what, such as one episode.

    with recorded() as record:
        judge.progress(episode, times)
    record.calls()  # every question and its reply, in the order of the program

Whoever asks says nothing of it: `Session.ask` notes what passes. Calls made in other threads are
noted too, as long as `branched` hands them out.

Where the same question is to be put again, `redrawn` has it answered anew: the ledger holds the
answers that were drawn before, and would give them back.

`witnessed` notes only who answered, whatever else is recorded inside it.
"""

from __future__ import annotations

import itertools
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias, TypeVar

from assay.models.base import Picture, Reply, Request
from assay.records import Status

__all__ = [
    "Call",
    "Record",
    "branched",
    "drawn",
    "mark",
    "note",
    "recorded",
    "redrawn",
    "showing",
    "witnessed",
]

T = TypeVar("T")
_Place: TypeAlias = tuple[int, ...]
_FIRST, _PAST = 1 << 20, 1 << 30  # sample indices of draws: above those that judges give


@dataclass(frozen=True, slots=True)
class Call:
    """One question and its reply.

    Attributes:
        model: The model, `provider:name[@url]`.
        request: What was asked.
        reply: What came back.
        status: The reply's status, or what the one who asked made of its text.
        detail: Why it is not ok.
    """

    model: str
    request: Request
    reply: Reply
    status: Status
    detail: str = ""


class Record:
    """What was asked; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: dict[_Place, Call] = {}
        self._shown: dict[str, tuple[str, float]] = {}

    def calls(self) -> list[Call]:
        """Return the calls in the order of the program, whichever came back first."""
        with self._lock:
            return [call for _, call in sorted(self._calls.items(), key=lambda pair: pair[0])]

    def shown(self) -> Mapping[str, tuple[str, float]]:
        """Return view and time [s] of every known picture, by its key; the first if several."""
        with self._lock:
            return dict(self._shown)

    def put(self, place: _Place, call: Call) -> None:
        """Keep a call."""
        with self._lock:
            self._calls[place] = call

    def mark(self, place: _Place, status: Status, detail: str) -> None:
        """Say what became of a call."""
        with self._lock:
            self._calls[place] = replace(self._calls[place], status=status, detail=detail)

    def show(self, key: str, view: str, at_s: float) -> None:
        """Keep where a picture comes from."""
        with self._lock:
            self._shown.setdefault(key, (view, at_s))


@dataclass(slots=True)
class _Here:
    """A line of the program that asks one question after the other."""

    record: Record
    place: _Place = ()
    draw: str = ""
    steps: Iterator[int] = field(default_factory=itertools.count)
    last: _Place | None = None


_HERE: ContextVar[_Here | None] = ContextVar("assay_recording", default=None)
_WITNESS: ContextVar[set[tuple[str, str]] | None] = ContextVar("assay_witness", default=None)


@contextmanager
def recorded() -> Iterator[Record]:
    """Note all that this thread asks in the block."""
    record = Record()
    token = _HERE.set(_Here(record))
    try:
        yield record
    finally:
        _HERE.reset(token)


@contextmanager
def redrawn(draw: str) -> Iterator[Record]:
    """Note all that this thread asks in the block, and have every question answered anew.

    Each question is put as a sample of its own (see `drawn`), also where two are equal: neither the
    ledger nor a request on its way answers one for the other. The same block of the same name puts
    the same samples in a second run, which so finds its answers in the ledger.

    Args:
        draw: Names the block among all that ask the same.
    """
    with recorded() as record:
        _HERE.set(_Here(record, draw=draw))  # `recorded` puts back what was there
        yield record


@contextmanager
def witnessed() -> Iterator[set[tuple[str, str]]]:
    """Collect which model answered as which revision in the block, in all its threads."""
    found: set[tuple[str, str]] = set()
    token = _WITNESS.set(found)
    try:
        yield found
    finally:
        _WITNESS.reset(token)


def drawn(request: Request) -> Request:
    """Return the request as it is put here: inside `redrawn` as a sample of its own.

    Its index is a hash of the draw's name, of the place in the program and of its own index, so it
    is the same whichever thread is faster.
    """
    here = _HERE.get()
    if here is None or not here.draw:
        return request
    # What was asked last on this line of the program counts its questions.
    told = repr((here.draw, here.place, here.last, request.sample))
    index = _FIRST + zlib.crc32(told.encode()) % (_PAST - _FIRST)
    return replace(request, sample=index)


def note(model: str, request: Request, reply: Reply) -> None:
    """Note a call; nothing happens where no one records."""
    if (found := _WITNESS.get()) is not None and reply.status == "ok":
        found.add((model, reply.revision))
    if (here := _HERE.get()) is not None:
        here.last = (*here.place, next(here.steps))
        here.record.put(here.last, Call(model, request, reply, reply.status, reply.detail))


def mark(status: Status, detail: str) -> None:
    """Say of the call noted last that its text is of no use, and why."""
    if (here := _HERE.get()) is not None and here.last is not None:
        here.record.mark(here.last, status, detail)


def showing(picture: Picture, view: str, at_s: float) -> None:
    """Note which moment of an episode a picture shows.

    Args:
        picture: The picture.
        view: The camera.
        at_s: [s]
    """
    if (here := _HERE.get()) is not None:
        here.record.show(picture.key, view, at_s)


def branched(calls: Iterable[Callable[[], T]]) -> list[Callable[[], T]]:
    """Return the same calls, to be made in any threads: what they ask is noted in their order."""
    here = _HERE.get()
    if here is None:
        return [partial(copy_context().run, call) for call in calls]
    step = next(here.steps)
    lines = [
        (_Here(here.record, (*here.place, step, number), here.draw), call)
        for number, call in enumerate(calls)
    ]
    return [partial(copy_context().run, _branch, line, call) for line, call in lines]


def _branch(here: _Here, call: Callable[[], T]) -> T:
    _HERE.set(here)  # in a context of its own, which ends with the call
    return call()
