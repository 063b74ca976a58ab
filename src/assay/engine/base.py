"""What an engine is: a place where batches of units run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

__all__ = ["Engine", "Failure", "MakeWorker", "Report", "Start", "Unit", "Worker"]

Worker: TypeAlias = Callable[[Any], bytes]
MakeWorker: TypeAlias = Callable[[], Worker]


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of work: `key` names it for good, `payload` is what the worker is called with."""

    key: str
    payload: Any


@dataclass(frozen=True, slots=True)
class Failure:
    """A unit without a result: the exception's type name, its text, and its traceback as text."""

    key: str
    type: str
    message: str
    traceback: str = ""


@dataclass(slots=True)
class Report:
    """What came of one batch. Every unit of the batch stands in exactly one of the four lists.

    Attributes:
        results: Key and result of each unit that went well.
        failures: The units that raised.
        left: Units that were not run; they are handed out again.
        suspects: Units that were being run when their worker died, of `cause`.
        seconds: How long the units took together [s].
    """

    results: list[tuple[str, bytes]] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    left: Sequence[Unit] = ()
    suspects: Sequence[Unit] = ()
    cause: str = ""
    seconds: float = 0.0

    @property
    def count(self) -> int:
        """Return the number of units that were run to their end."""
        return len(self.results) + len(self.failures)


class Engine(Protocol):
    """A place where batches run. One object serves one run, from one thread."""

    @property
    def slots(self) -> int:
        """Return how many batches can run at the same moment; 0 while workers start."""
        ...

    def submit(self, batch: Sequence[Unit]) -> None:
        """Take a batch without waiting for it."""
        ...

    def wait(self, timeout: float) -> None:
        """Return when `collect` has something to give, or after `timeout` [s].

        The only method that may take long. A KeyboardInterrupt raised inside it must lose nothing.
        """
        ...

    def collect(self) -> list[Report]:
        """Return one report for each batch that has come back, without waiting."""
        ...

    def close(self, *, now: bool) -> None:
        """End all workers: let them finish, or drop what they are doing when `now` is true."""
        ...


Start: TypeAlias = Callable[[int], Engine]
"""Start an engine with the given number of workers."""
