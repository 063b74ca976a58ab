"""Ctrl-C and SIGTERM, let through only where they can do no harm."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Self

__all__ = ["Interrupts"]


class Interrupts:
    """Raise KeyboardInterrupt for SIGINT and SIGTERM, but only inside `allowed()`.

    Elsewhere, such as between the arrival of a result and its storing, a signal is kept for the
    next `allowed()`, or for the end. Outside the main thread Python delivers no signals and this
    does nothing. A signal that the process was told to ignore (nohup) stays ignored.
    """

    def __init__(self) -> None:
        self._allowed = False
        self._pending = False
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                # None is a handler that Python did not install and could not put back.
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        if self._pending and error is None:
            raise KeyboardInterrupt

    @contextmanager
    def allowed(self) -> Iterator[None]:
        """Let a signal through at once, and one that was kept."""
        self._allowed = True
        try:
            # Looked at after the switch: a signal just before is seen here, one just after raises.
            if self._pending:
                raise KeyboardInterrupt
            yield
        finally:
            self._allowed = False

    def _handle(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - Python's own signature
        self._pending = True
        if self._allowed:
            self._allowed = False
            raise KeyboardInterrupt
