"""How far a run has got."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter

from assay.engine.base import Failure

__all__ = ["Meter", "Tally"]

SPACING_S = 0.1
MEMORY = 100


@dataclass(frozen=True, slots=True)
class Tally:
    """A snapshot of a run.

    Attributes:
        total: All units, those of earlier runs included, if known.
        skipped: Units passed over because the journal has their result.
        done: Units that got a result in this run.
        failed: Units that got none.
        failures: One entry for each failed unit, sorted by key.
        rate: Recent units a second, failed ones included.
        seconds_left: The rest at that rate [s]; None while unknown.
    """

    total: int | None
    skipped: int
    done: int
    failed: int
    failures: tuple[Failure, ...]
    rate: float
    seconds_left: float | None


class Meter:
    """Count a run's units.

    The rate looks back over the last 100 moments at which units came back, moments being at least
    0.1 s apart: 10 s for quick units, and far enough for slow ones to have a rate at all.

    Args:
        total: All units, if known.
        clock: Gives the time [s].
    """

    def __init__(self, total: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._clock = clock
        self._done = 0
        self._failures: list[Failure] = []
        self._moments = deque([(clock(), 0)], maxlen=MEMORY)

    @property
    def finished(self) -> int:
        """Return the number of units that came back in this run, with a result or without."""
        return self._done + len(self._failures)

    def add(self, done: int, failures: Iterable[Failure]) -> None:
        """Count units that came back."""
        before = self.finished
        self._done += done
        self._failures.extend(failures)
        self._failures.sort(key=attrgetter("key"))  # cheap: nearly sorted already
        now = self._clock()
        if self.finished > before and now - self._moments[-1][0] >= SPACING_S:
            self._moments.append((now, self.finished))

    def tally(self, skipped: int) -> Tally:
        """Return the count as it stands."""
        rate = self._rate()
        left = None
        if self._total is not None and rate > 0:
            left = max(0, self._total - skipped - self.finished) / rate
        return Tally(
            total=self._total,
            skipped=skipped,
            done=self._done,
            failed=len(self._failures),
            failures=tuple(self._failures),
            rate=rate,
            seconds_left=left,
        )

    def _rate(self) -> float:
        since, finished = self._moments[0]
        elapsed = self._clock() - since
        return (self.finished - finished) / elapsed if elapsed > 0 else 0.0
