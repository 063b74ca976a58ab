"""One event loop in its own thread, for callers that are plain functions."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from typing import Any, Generic, TypeVar

__all__ = ["LoopThread"]

R = TypeVar("R")
T = TypeVar("T")


class LoopThread(Generic[R]):
    """Run coroutines in a thread that is started now and ended by `close`.

    Args:
        resource: Opens what all coroutines share, in the loop. It is closed after the last of them
            has ended.
    """

    def __init__(self, resource: Callable[[], AbstractAsyncContextManager[R]]) -> None:
        self._open = resource
        self._started: Future[R] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        # A daemon: Python waits for other threads before it calls what was registered by atexit,
        # and that is where a session nobody closed is closed.
        self._thread = threading.Thread(target=self._run, name="assay-models", daemon=True)
        self._thread.start()
        self.resource: R = self._started.result()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine; the future gives its result, and cancels it."""
        if self._loop is None or self._loop.is_closed():
            work.close()
            raise RuntimeError("The loop is closed.")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """Cancel what still runs, close what was shared, end the thread. May be called twice."""
        loop, stop = self._loop, self._stop
        if loop is not None and stop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(stop.set)
        self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        try:
            async with self._open() as resource:
                self._loop = asyncio.get_running_loop()
                self._stop = asyncio.Event()
                self._started.set_result(resource)
                await self._stop.wait()
                others = asyncio.all_tasks() - {asyncio.current_task()}
                for task in others:
                    task.cancel()
                await asyncio.gather(*others, return_exceptions=True)
        except Exception as error:
            if self._started.done():
                raise
            self._started.set_exception(error)  # the one who waits for the start is told
