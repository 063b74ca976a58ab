"""Do the same work once, however many threads want it at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

__all__ = ["Flights"]

T = TypeVar("T")


class Flights(Generic[T]):
    """Share the result of work in progress; thread-safe. What is done is forgotten."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flying: dict[Hashable, Future[T]] = {}

    def run(self, key: Hashable, work: Callable[[], T]) -> tuple[T, bool]:
        """Return the result of `work`, and whether another thread did it.

        Where that thread fails or is interrupted, one of those that wait takes over.
        """
        while True:
            with self._lock:
                leading = self._flying.get(key)
                if leading is None:
                    mine = self._flying[key] = Future()
                    break
            if leading.exception() is None:
                return leading.result(), True
        try:
            result = work()
        except BaseException as error:
            self._land(key)  # first: those that are woken must not find it again
            mine.set_exception(error)
            raise
        self._land(key)
        mine.set_result(result)
        return result, False

    def _land(self, key: Hashable) -> None:
        with self._lock:
            del self._flying[key]
