"""The log of a run: `log.jsonl`, with clocks, outside every promise of identical files."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

__all__ = ["RunLog", "logged"]


class RunLog(logging.Handler):
    """Keep log records until the run directory is there, then write them to it."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._waiting: list[str] = []
        self._path: Path | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record as a line of JSON."""
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": when, "level": record.levelname, "message": record.getMessage()}
        self._waiting.append(json.dumps(line) + "\n")
        if self._path is not None:
            self.open(self._path)

    def open(self, run: Path) -> None:
        """Write to the run directory `run` from now on."""
        self._path = run
        with (run / "log.jsonl").open("a", encoding="utf-8") as file:
            file.writelines(self._waiting)
        self._waiting.clear()


@contextmanager
def logged() -> Iterator[RunLog]:
    """Catch what Assay logs while a job runs."""
    logger = logging.getLogger("assay")
    level = logger.level
    log = RunLog()
    logger.addHandler(log)
    logger.setLevel(logging.INFO)
    try:
        yield log
    finally:
        logger.removeHandler(log)
        logger.setLevel(level)
