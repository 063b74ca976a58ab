"""Where the next batch comes from."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Sequence

from assay.engine.base import Unit
from assay.engine.pace import TARGET_S
from assay.errors import UsageError

__all__ = ["Intake"]


class Intake:
    """Draw units as they are needed: skip finished ones, take back those that were not run.

    Memory holds the keys seen, not the payloads.

    Args:
        units: The source, drawn from lazily.
        done: Keys to skip.
        total: The number of units in the source, if known.
    """

    def __init__(self, units: Iterable[Unit], done: frozenset[str], total: int | None) -> None:
        self.skipped = 0
        self._source = iter(units)
        self._drained = False
        self._done = done
        self._total = total
        self._seen: set[str] = set()
        self._again: deque[Unit] = deque()
        self._alone: deque[Unit] = deque()

    @property
    def empty(self) -> bool:
        """Tell whether nothing is left to hand out."""
        return self._drained and not self._again and not self._alone

    @property
    def left(self) -> int | None:
        """Return how many units are still to be handed out, if that is known."""
        if self._total is None:
            return None
        return max(0, self._total - len(self._seen)) + len(self._again) + len(self._alone)

    def take(self, most: int) -> list[Unit]:
        """Return up to `most` units, at least one unless all are handed out.

        A slow source ends the batch early: results that came back meanwhile want to be stored.
        """
        if self._alone:
            return [self._alone.popleft()]
        batch: list[Unit] = []
        end = time.monotonic() + TARGET_S
        while len(batch) < most and (unit := self._next()) is not None:
            batch.append(unit)
            if time.monotonic() > end:
                break
        return batch

    def give_back(self, units: Sequence[Unit]) -> None:
        """Take units back that were not run."""
        self._again.extend(units)

    def give_back_alone(self, unit: Unit) -> None:
        """Take a unit back that must be a batch of its own."""
        self._alone.append(unit)

    def _next(self) -> Unit | None:
        if self._again:
            return self._again.popleft()
        for unit in self._source:
            self._note(unit.key)
            if unit.key not in self._done:
                return unit
            self.skipped += 1
        self._drained = True
        return None

    def _note(self, key: str) -> None:
        if key in self._seen:
            raise UsageError(f"Two units have the key {key!r}; every unit needs a key of its own.")
        self._seen.add(key)
        try:
            key.encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"The key {key!r} is not text that can be stored.") from error
