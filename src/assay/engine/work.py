"""What a worker does with a batch, whatever it runs in."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterable
from typing import Any

from assay.engine.base import Failure, Report, Worker
from assay.engine.pace import TARGET_S
from assay.errors import RunError

__all__ = ["failure_of", "perform", "stop_at"]

LIMIT_S = 2 * TARGET_S


def perform(worker: Worker, batch: Iterable[tuple[str, Any]], report: Report) -> None:
    """Run a batch of keys and payloads, writing into `report` unit by unit.

    A batch that turns out slow is cut short after the unit that passes 0.4 s, so that its results
    are stored soon; the caller hands the rest out again. So is one with a unit that raises a
    `RunError`: what it met, such as a full disk, the next one would meet too.
    """
    start = time.perf_counter()
    for key, payload in batch:
        try:
            report.results.append((key, _checked(worker(payload))))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a unit raises is that unit's failure: asyncio's CancelledError and SystemExit are no Exception
            report.failures.append(failure_of(key, error))
            if isinstance(error, RunError):
                return
        report.seconds = time.perf_counter() - start
        if report.seconds > LIMIT_S:
            return


def failure_of(key: str, error: BaseException) -> Failure:
    """Return `error` as text; exceptions themselves need not survive a pickle."""
    summary = traceback.TracebackException.from_exception(error)
    kind = RunError if isinstance(error, RunError) else type(error)
    return Failure(key, kind.__name__, str(summary), "".join(summary.format()))


def stop_at(failures: Iterable[Failure]) -> None:
    """Raise the first `RunError` that a unit met; meant for `on_tally`, where it ends the run.

    Whoever runs units decides: a unit that can't store what it paid for must stop all others, and
    one that can't be written itself need not.

    Args:
        failures: The failures so far.

    Raises:
        RunError: One of them is a `RunError`. What had come back is in the journal.
    """
    for failure in failures:
        if failure.type == RunError.__name__:
            raise RunError(failure.message)


def _checked(result: object) -> bytes:
    if not isinstance(result, bytes):
        raise TypeError(f"A worker must return bytes, not {type(result).__name__}.")
    return result
