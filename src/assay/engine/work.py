"""What a worker does with a batch, whatever it runs in."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterable
from typing import Any

from assay.engine.base import Failure, Report, Worker
from assay.engine.pace import TARGET_S

__all__ = ["failure_of", "perform"]

LIMIT_S = 2 * TARGET_S


def perform(worker: Worker, batch: Iterable[tuple[str, Any]], report: Report) -> None:
    """Run a batch of keys and payloads, writing into `report` unit by unit.

    A batch that turns out slow is cut short after the unit that passes 0.4 s, so that its results
    are stored soon; the caller hands the rest out again.
    """
    start = time.perf_counter()
    for key, payload in batch:
        try:
            report.results.append((key, _checked(worker(payload))))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a unit raises is that unit's failure: asyncio's CancelledError and SystemExit are no Exception
            report.failures.append(failure_of(key, error))
        report.seconds = time.perf_counter() - start
        if report.seconds > LIMIT_S:
            return


def failure_of(key: str, error: BaseException) -> Failure:
    """Return `error` as text; exceptions themselves need not survive a pickle."""
    summary = traceback.TracebackException.from_exception(error)
    return Failure(key, type(error).__name__, str(summary), "".join(summary.format()))


def _checked(result: object) -> bytes:
    if not isinstance(result, bytes):
        raise TypeError(f"A worker must return bytes, not {type(result).__name__}.")
    return result
