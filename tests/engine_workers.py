"""Workers for the tests of the engine.

Beside the test folders, not in one: spawned processes import it by this name.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from assay.engine import Unit


def squares() -> Callable[[int], bytes]:
    """Square numbers; a text makes it raise."""
    return _square


def _square(number: int) -> bytes:
    return str(int(number) ** 2).encode()


def logging_squares(
    log: Path, seconds: float, make_log: Path | None = None
) -> Callable[[int], bytes]:
    """Square numbers slowly, writing each number to `log` first."""
    if make_log is not None:
        append(make_log, str(os.getpid()))
    return partial(_log_and_square, log, seconds)


def _log_and_square(log: Path, seconds: float, number: int) -> bytes:
    append(log, str(number))
    time.sleep(seconds)
    return _square(number)


def logging_mixed(log: Path, pids: Path) -> Callable[[int], bytes]:
    """Square numbers, most in 2 ms and every fiftieth in 0.25 s; note each number and this pid."""
    append(pids, str(os.getpid()))
    return partial(_log_mixed, log)


def _log_mixed(log: Path, number: int) -> bytes:
    if number >= 250 and os.environ.get("ASSAY_TEST_HOLD"):
        time.sleep(600)  # until the run is stopped
    return _log_and_square(log, 0.25 if number % 50 == 0 else 0.002, number)


def append(path: Path, line: str) -> None:
    """Add a line in one write, whole even when several processes write at once."""
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(fd, f"{line}\n".encode())
    os.close(fd)


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def calling() -> Callable[[Callable[[], bytes]], bytes]:
    """Call the payload."""
    return _call


def _call(payload: Callable[[], Any]) -> Any:
    return payload()


def die_unless_there(path: Path) -> bytes:
    """Kill this worker the first time, succeed the second."""
    if path.exists():
        return b"survived"
    path.touch()
    os._exit(7)


def broken_factory() -> NoReturn:
    raise LookupError("no weights in this folder")


def dying_factory() -> NoReturn:
    os._exit(9)


def cancelled() -> NoReturn:
    raise asyncio.CancelledError


def stopping() -> NoReturn:
    raise KeyboardInterrupt


class Unpicklable:
    def __reduce__(self) -> NoReturn:
        raise RuntimeError("not to be sent")


def numbers(count: int) -> list[Unit]:
    return [Unit(f"{i:05}", i) for i in range(count)]
