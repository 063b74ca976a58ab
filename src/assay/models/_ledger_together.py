"""Store what many threads hand in with one wait for the disk."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Generic, TypeAlias, TypeVar

from assay.errors import AssayError, UsageError

__all__ = ["Together"]

T = TypeVar("T")
_Job: TypeAlias = "tuple[T, Future[None]]"


class Together(Generic[T]):
    """Hand items to one thread, which stores all that wait at once.

    A wait for the disk takes milliseconds and serves any number of items: one at a time, it would
    be the narrowest place with 64 requests in flight.

    Args:
        store: Stores items, all or none; called by one thread at a time.
    """

    def __init__(self, store: Callable[[Sequence[T]], None]) -> None:
        self._store = store
        self._queue: SimpleQueue[_Job[T] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False

    def put(self, item: T) -> None:
        """Return when `item` is stored, or raise why it is not."""
        job: _Job[T] = (item, Future())
        with self._lock:
            if self._closed:
                raise UsageError("The ledger is closed: open it again to store an answer.")
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="ledger", daemon=True)
                self._thread.start()
            self._queue.put(job)
        job[1].result()

    def close(self) -> None:
        """Store what waits and end the thread; a second call does nothing."""
        with self._lock:
            self._closed = True
            thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(None)
            thread.join()

    def _work(self) -> None:
        going = True
        while going:
            found = [self._queue.get(), *self._rest()]
            going = None not in found  # nothing is handed in after the end
            self._settle([job for job in found if job is not None])

    def _rest(self) -> list[_Job[T] | None]:
        """Return what else waits, without waiting."""
        found: list[_Job[T] | None] = []
        while True:
            try:
                found.append(self._queue.get_nowait())
            except Empty:
                return found

    def _settle(self, jobs: Sequence[_Job[T]]) -> None:
        """Store a batch and tell each that waits how it went."""
        if not jobs:
            return
        try:
            self._store([item for item, _ in jobs])
        except AssayError as error:
            for _, done in jobs:  # each its own: a traceback grows with every raise
                done.set_exception(type(error)(str(error)))
        except BaseException as error:  # noqa: BLE001 - handed to those who wait, not swallowed
            for _, done in jobs:
                done.set_exception(error)
        else:
            for _, done in jobs:
                done.set_result(None)
