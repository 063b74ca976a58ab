"""Batches in spawned processes."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess

from assay.engine.base import Failure, MakeWorker, Report, Unit
from assay.engine.child import serve
from assay.engine.work import failure_of
from assay.errors import RunError, UsageError

__all__ = ["Processes"]

PATIENCE_S = 5.0
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


class Processes:
    """Run batches in spawned processes, one pipe each.

    With a pipe for each process it is known which batch a dying process had, and no lock is shared
    that it could take with it. A process that dies is replaced, unless it died while starting.

    Args:
        make_worker: Picklable; called once in each process.
        count: Number of processes.
    """

    def __init__(self, make_worker: MakeWorker, count: int) -> None:
        try:
            self._make_worker = pickle.dumps(make_worker)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise UsageError(f"The worker can't be sent to another process: {error}.") from error
        self._waiting: list[Report] = []
        self._members: list[_Member] = []
        try:
            for _ in range(count):
                self._members.append(_Member(self._make_worker))
        except BaseException:
            self.close(now=True)
            raise

    @property
    def slots(self) -> int:
        """Return the number of processes that have made their worker."""
        return sum(member.ready for member in self._members)

    def submit(self, batch: Sequence[Unit]) -> None:
        """Send a batch to the process with the least to do."""
        sent, message, report = [], [], Report()
        for unit in batch:
            try:
                message.append((unit.key, pickle.dumps(unit.payload, pickle.HIGHEST_PROTOCOL)))
                sent.append(unit)
            except Exception as error:  # noqa: BLE001 - a payload's own __reduce__ can raise anything
                report.failures.append(failure_of(unit.key, error))
        if not sent:
            self._waiting.append(report)
            return
        member = min((m for m in self._members if m.ready), key=lambda m: len(m.batches))
        member.batches.append((sent, report.failures))
        with suppress(OSError):  # a dead process is noticed, and its batch saved, by `collect`
            member.pipe.send(message)

    def wait(self, timeout: float) -> None:
        """Wait for a message or a death."""
        if not self._waiting:
            wait([member.pipe for member in self._members], timeout)

    def collect(self) -> list[Report]:
        """Read all messages that have come; replace the dead."""
        reports, self._waiting = self._waiting, []
        # Asked before reading: whatever these had to say is in their pipes already. The end of a
        # pipe alone won't do, since a process forked by a worker can hold it open.
        dead = [member for member in self._members if member.process.exitcode is not None]
        open_pipes = {member.pipe: member for member in self._members}
        while ready := wait(open_pipes, 0):
            for pipe in ready:
                member = open_pipes[pipe]  # type: ignore[index]  # wait() is typed for sockets too
                reports += member.receive()
                if member.ended:
                    del open_pipes[member.pipe]
        for member in list(self._members):
            if member.ended or member in dead:
                reports += self._bury(member)
        return reports

    def close(self, *, now: bool) -> None:
        """End the processes, with a request or with a signal."""
        for member in self._members:
            member.dismiss(now=now)
        end = time.monotonic() + (1.0 if now else PATIENCE_S)
        for member in self._members:
            member.bury(max(0.0, end - time.monotonic()))
        self._members.clear()

    def _bury(self, member: _Member) -> list[Report]:
        self._members.remove(member)
        cause = member.bury(PATIENCE_S)
        if member.ready:
            self._members.append(_Member(self._make_worker))
        elif not self._members:
            raise RunError(
                f"No worker process could start ({cause}). A script that starts a run must do so "
                "under `if __name__ == '__main__':`."
            )
        return member.remains(cause)


class _Member:
    """One process: its pipe, and the batches it has been sent, the one it runs first."""

    def __init__(self, make_worker: bytes) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.batches: deque[tuple[list[Unit], list[Failure]]] = deque()
        self.ready = False
        self.ended = False
        self.process: SpawnProcess = context.Process(
            target=serve, args=(theirs, make_worker), daemon=True
        )
        with theirs, _environment():
            self.process.start()

    def receive(self) -> list[Report]:
        """Read one message; note the end of the pipe."""
        try:
            message = self.pipe.recv()
        except (EOFError, OSError):
            self.ended = True
            return []
        if isinstance(message, Failure):
            raise RunError(f"A worker can't be made: {message.type}: {message.message}")
        if message is None:
            self.ready = True
            return []
        units, unsent = self.batches.popleft()
        report: Report = message
        report.left = units[report.count :]
        report.failures += unsent
        return [report]

    def remains(self, cause: str) -> list[Report]:
        """Return what a dead process leaves: the batch it was running, and those it was not."""
        reports = [Report(failures=unsent, left=units) for units, unsent in self.batches]
        for report in reports[:1]:
            report.suspects, report.left, report.cause = report.left, (), cause
        return reports

    def dismiss(self, *, now: bool) -> None:
        """Ask the process to end, or make it."""
        if now:
            self.process.terminate()
        else:
            with suppress(OSError):  # it may be dead already
                self.pipe.send(None)

    def bury(self, patience: float) -> str:
        """Wait for the end of the process, force it after `patience` [s], return how it ended."""
        self.process.join(patience)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        code = self.process.exitcode or 0
        self.process.close()
        self.pipe.close()
        return f"exit code {code}" if code >= 0 else signal.Signals(-code).name


@contextmanager
def _environment() -> Iterator[None]:
    """Set what a new process inherits: one thread for numeric libraries, and no Ctrl-C.

    The variables must stand before the process starts, because it may load numpy before it runs a
    line of ours. Those set by the user are kept.
    """
    added = [name for name in THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)  # last: it may raise KeyboardInterrupt
