"""Run on this machine: in processes, in threads, or right here."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from queue import SimpleQueue
from typing import Literal

from assay.engine.base import MakeWorker, Report, Start, Unit, Worker
from assay.engine.drive import drive
from assay.engine.journal import Journal
from assay.engine.processes import Processes
from assay.engine.tally import Tally
from assay.engine.work import perform
from assay.errors import RunError, UnknownNameError, UsageError

__all__ = ["Here", "Threads", "run", "usable_cores"]

NETWORK_JOBS = 64


def run(
    make_worker: MakeWorker,
    units: Iterable[Unit],
    journal: Journal,
    *,
    bound: Literal["cpu", "network"] = "cpu",
    jobs: int | None = None,
    total: int | None = None,
    on_tally: Callable[[Tally], None] | None = None,
) -> Tally:
    """Apply a worker to every unit that has no result in `journal`, and store the results there.

    A unit that raises, or that kills its worker twice, is a `Failure` in the tally and has no
    result: the next run tries it again. The other units go on.

    Args:
        make_worker: Returns the function that is applied to payloads and returns bytes. For "cpu"
            it is picklable and called once in each process, for "network" it is called once.
        units: Drawn from as workers become free. Should be cheap to go through: work belongs in
            the worker.
        journal: Keeps the results. Its keys are skipped.
        bound: "cpu" runs in spawned processes, "network" in threads of this process.
        jobs: How many at once. By default the usable cores, or 64 threads. `jobs=1` with "cpu"
            runs in the calling process: same results, easy to debug, but a crash ends the run.
        total: The number of units, for the time left; taken from `len(units)` if that works.
        on_tally: Called with a snapshot at most ten times a second, and at the end.

    Returns:
        The final tally.

    Raises:
        KeyboardInterrupt: SIGINT or SIGTERM came. What had come back is in the journal.
        RunError: The journal can't be written, or no worker can be made.
        UsageError: Two units have the same key, or an argument makes no sense.
    """
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs must be at least 1, not {jobs}.")
    start: Start
    if bound == "network":
        start = partial(Threads, make_worker)
        jobs = jobs or NETWORK_JOBS
    elif bound == "cpu":
        start = partial(Here if jobs == 1 else Processes, make_worker)
        jobs = jobs or usable_cores()
    else:
        raise UnknownNameError("bound", bound, ["cpu", "network"])
    return drive(start, units, journal, jobs=jobs, total=total, on_tally=on_tally)


def usable_cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Here:
    """Run batches in the calling thread, while it waits.

    Args:
        make_worker: Called once, now.
        count: Not used: there is one caller.
    """

    def __init__(self, make_worker: MakeWorker, count: int = 1) -> None:  # noqa: ARG002 - the shape of a Start
        self._worker = _make(make_worker)
        self._batches: deque[Sequence[Unit]] = deque()
        self._started: list[tuple[Sequence[Unit], Report]] = []

    @property
    def slots(self) -> int:
        """Return 1."""
        return 1

    def submit(self, batch: Sequence[Unit]) -> None:
        """Keep the batch until the caller waits."""
        self._batches.append(batch)

    def wait(self, timeout: float) -> None:  # noqa: ARG002 - there is always something to do
        """Run the next batch. What a KeyboardInterrupt leaves of it can still be collected."""
        if self._batches:
            batch, report = self._batches.popleft(), Report()
            self._started.append((batch, report))
            perform(self._worker, [(unit.key, unit.payload) for unit in batch], report)

    def collect(self) -> list[Report]:
        """Return the reports of the batches that were run."""
        started, self._started = self._started, []
        for batch, report in started:
            report.left = batch[report.count :]
        return [report for _, report in started]

    def close(self, *, now: bool) -> None:
        """Do nothing: there is nothing to end."""


class Threads:
    """Run batches in threads that share one worker.

    Args:
        make_worker: Called once, now.
        count: Number of threads.
    """

    def __init__(self, make_worker: MakeWorker, count: int) -> None:
        self._worker = _make(make_worker)
        self._inbox: SimpleQueue[Sequence[Unit] | None] = SimpleQueue()
        self._reports: deque[Report] = deque()
        self._came = threading.Event()
        # Daemons: Python waits for other threads before it exits, and a call may hang for minutes
        # after Ctrl-C.
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    @property
    def slots(self) -> int:
        """Return the number of threads."""
        return len(self._threads)

    def submit(self, batch: Sequence[Unit]) -> None:
        """Leave the batch to the next free thread."""
        self._inbox.put(batch)

    def wait(self, timeout: float) -> None:
        """Wait for a report."""
        self._came.wait(timeout)

    def collect(self) -> list[Report]:
        """Return the reports that have come."""
        self._came.clear()  # before reading: a report that comes now sets it again
        return [self._reports.popleft() for _ in range(len(self._reports))]

    def close(self, *, now: bool) -> None:
        """End the threads; calls under way are not waited for when `now` is true."""
        while now and not self._inbox.empty():
            self._inbox.get()
        for _ in self._threads:
            self._inbox.put(None)
        if not now:
            for thread in self._threads:
                thread.join()

    def _serve(self) -> None:
        while (batch := self._inbox.get()) is not None:
            report = Report()
            try:
                perform(self._worker, [(unit.key, unit.payload) for unit in batch], report)
                report.left = batch[report.count :]
            except KeyboardInterrupt:  # a unit raised it itself: signals go to the main thread
                report = Report(suspects=batch, cause="KeyboardInterrupt")
            self._reports.append(report)
            self._came.set()


def _make(make_worker: MakeWorker) -> Worker:
    """Make a worker in this process, with the same error as in any other."""
    try:
        return make_worker()
    except Exception as error:
        raise RunError(f"A worker can't be made: {type(error).__name__}: {error}") from error
