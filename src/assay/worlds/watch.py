"""Run a call that may never return, and go on without it when its time is up."""

from __future__ import annotations

import ctypes
import queue
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

__all__ = ["TimeUp", "Watch"]


class TimeUp(Exception):  # noqa: N818 - the name says what happened; callers word it
    """The call has not returned in time."""


@dataclass(slots=True)
class _Reply:
    """What a call came to: a value, or the exception it raised."""

    value: Any = None
    error: BaseException | None = None


class Watch:
    """Make calls in a thread of its own, one after the other, each within a time limit.

    A call that takes too long is left behind: its thread is asked to end, which it does as soon as
    it runs Python code again, and the next call gets a new thread.

    Args:
        limit_s: The most that one call may take [s].
    """

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self._thread: threading.Thread | None = None

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401 - of any kind
        """Return what `function(*arguments)` returns, or raise what it raises.

        Raises:
            TimeUp: It has not come back in time.
        """
        if self._thread is None:
            self._begin()
        self._calls.put((function, arguments))
        try:
            reply = self._replies.get(timeout=self.limit_s)
        except queue.Empty:
            self._abandon()
            raise TimeUp from None
        if isinstance(reply.error, Exception | SystemExit):
            raise reply.error
        if reply.error is not None:  # a KeyboardInterrupt of the call is not one of the user
            raise RuntimeError(type(reply.error).__name__) from reply.error
        return reply.value

    def close(self) -> None:
        """End the thread; a second call does nothing."""
        if self._thread is not None:
            self._calls.put(None)
            self._thread.join()
            self._thread = None

    def _begin(self) -> None:
        self._calls: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._replies: queue.SimpleQueue[_Reply] = queue.SimpleQueue()
        # A daemon: a call that hangs must not keep the process from ending.
        self._thread = threading.Thread(
            target=_serve, args=(self._calls, self._replies), daemon=True
        )
        self._thread.start()
        weakref.finalize(self, self._calls.put, None)  # who forgets to close leaves no thread

    def _abandon(self) -> None:
        """Ask the thread to end: a loop of Python code would slow down all that follows."""
        thread, self._thread = self._thread, None
        if thread is not None and thread.ident is not None:
            self._calls.put(None)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit)
            )


def _serve(calls: queue.SimpleQueue[Any], replies: queue.SimpleQueue[_Reply]) -> None:
    with suppress(SystemExit):  # it may come just after the call that took too long has ended
        while (call := calls.get()) is not None:
            replies.put(_answer(*call))
            # What waits for the next call must not hold on to the last one: the caller of it may
            # own the watch, which would then never be let go of, nor this thread.
            del call


def _answer(function: Callable[..., Any], arguments: tuple[Any, ...]) -> _Reply:
    try:
        return _Reply(value=function(*arguments))
    except BaseException as error:  # noqa: BLE001 - raised again where the call was made
        return _Reply(error=error)
