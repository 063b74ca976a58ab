"""The loop of a run: hand batches out, store what comes back, keep count."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Sized

from assay.engine.base import Engine, Failure, Report, Start, Unit
from assay.engine.intake import Intake
from assay.engine.interrupts import Interrupts
from assay.engine.journal import Journal
from assay.engine.pace import Pacer
from assay.engine.tally import Meter, Tally
from assay.errors import RunError

__all__ = ["drive"]

TICK_S = 0.1
TRIES = 2


def drive(
    start: Start,
    units: Iterable[Unit],
    journal: Journal,
    *,
    jobs: int,
    total: int | None = None,
    on_tally: Callable[[Tally], None] | None = None,
) -> Tally:
    """Run `units` on the engine that `start` starts; see `assay.engine.run` for all else.

    The engine is not started when the journal has every result already, and never with more
    workers than there are units left.
    """
    done = journal.done()
    if total is None and isinstance(units, Sized):
        total = len(units)
    if total is not None:
        jobs = max(1, min(jobs, total - len(done)))
    loop = _Loop(Intake(units, done, total), journal, Meter(total), on_tally)
    try:
        with Interrupts() as interrupts:
            loop.run(start, jobs, interrupts)
    except KeyboardInterrupt:
        loop.tell()
        raise
    return loop.tell()


class _Loop:
    """The state of one run between its beginning and its end."""

    def __init__(
        self,
        intake: Intake,
        journal: Journal,
        meter: Meter,
        on_tally: Callable[[Tally], None] | None,
    ) -> None:
        self._intake = intake
        self._journal = journal
        self._meter = meter
        self._on_tally = on_tally
        self._next_tally = 0.0
        self._pacer = Pacer()
        self._in_flight = 0
        self._deaths: Counter[str] = Counter()

    def run(self, start: Start, jobs: int, interrupts: Interrupts) -> None:
        """Start the engine if there is anything to do, run all units, end the engine."""
        with interrupts.allowed():
            self._intake.give_back(self._intake.take(1))
            if self._intake.empty:
                return
            engine = start(jobs)
        clean = False
        try:
            self._run(engine, interrupts)
            clean = True
        except RunError:  # the journal takes no more, or the engine has nothing to give
            raise
        except BaseException:
            self._absorb(engine.collect())
            raise
        finally:
            engine.close(now=not clean)

    def tell(self) -> Tally:
        """Pass a tally on, and return it."""
        self._next_tally = time.monotonic() + TICK_S
        tally = self._meter.tally(self._intake.skipped)
        if self._on_tally is not None:
            self._on_tally(tally)
        return tally

    def _run(self, engine: Engine, interrupts: Interrupts) -> None:
        while True:
            room = engine.slots * self._pacer.ahead - self._in_flight
            with interrupts.allowed():
                batch = self._intake.take(self._size(engine.slots)) if room > 0 else []
            if batch:
                engine.submit(batch)
                self._in_flight += 1
            elif not self._in_flight and self._intake.empty:
                return
            with interrupts.allowed():
                engine.wait(0 if batch else TICK_S)
            self._absorb(engine.collect())
            if time.monotonic() >= self._next_tally:
                self.tell()

    def _size(self, slots: int) -> int:
        """Return the size of the next batch: smaller near a known end, for an even finish."""
        size, left = self._pacer.size, self._intake.left
        return size if left is None else min(size, left // (2 * slots) + 1)

    def _absorb(self, reports: Sequence[Report]) -> None:
        """Store results before anything else is done with them; then count, and take units back."""
        results = [result for report in reports for result in report.results]
        if results:
            self._journal.put(results)
        failures = [failure for report in reports for failure in report.failures]
        for report in reports:
            self._in_flight -= 1
            self._pacer.learn(report.count, report.seconds)
            self._intake.give_back(report.left)
            failures += self._try_again(report)
        self._meter.add(len(results), failures)

    def _try_again(self, report: Report) -> list[Failure]:
        """Give units whose worker died another try, alone; return those that had one."""
        failures = []
        for unit in report.suspects:
            self._deaths[unit.key] += 1
            if self._deaths[unit.key] < TRIES:
                self._intake.give_back_alone(unit)
            else:
                words = f"The worker died {TRIES} times while it ran this unit: {report.cause}."
                failures.append(Failure(unit.key, "WorkerDied", words))
        return failures
