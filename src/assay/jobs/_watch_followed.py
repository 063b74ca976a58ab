"""What it is to follow a run: the episodes that will come, those that came, and its end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from assay.errors import RunError
from assay.jobs._compare_cases import Case
from assay.jobs._rows import flatten, make_rows
from assay.jobs._rundir import read_document
from assay.jobs._units import Scored
from assay.jobs._watch_journal import read_entries
from assay.metrics.gaps import Fill
from assay.metrics.opd import opd
from assay.records import Episode, Unreadable

__all__ = ["Counting", "Followed", "Found", "Planned", "case_of"]

Found: TypeAlias = Episode | Unreadable

_UNCHANGED = frozenset({"", "none", "plain"})


@dataclass(frozen=True)
class Planned:
    """An episode that a run has or will have, and where it belongs."""

    policy: str
    condition: str
    scene: str | None
    is_labelled: bool


@dataclass(frozen=True)
class Counting:
    """How curves become metrics; `epsilon` is None while nothing fixes it for the whole run."""

    epsilon: float | None
    fill: Fill | None = None
    success_at: float | None = None


class Followed(ABC):
    """A run that is followed.

    Attributes:
        path: The run directory.
        verb: "audit" or "rollout".
        judge: Who judges, as plain data.
        names: The policies as the run calls them.
        plan: What will come.
        counting: How curves become metrics.

    Args:
        path: The run directory.
        label: What its policy is called; "" keeps the names that the run has.
        record: What `run.json` holds.
    """

    verb: str
    judge: Mapping[str, Any]
    names: set[str]
    plan: Sequence[Planned]
    counting: Counting

    def __init__(self, path: Path, label: str, record: Mapping[str, Any]) -> None:
        self.path, self.label, self.record = path, label, record
        self.finished = False
        self._after, self._mark = 0, ""
        self._seen: set[str] = set()

    def arrivals(self) -> list[Case]:
        """Return the episodes that have come since the last call, in the order of their coming.

        Raises:
            RunError: The folder holds another run by now.
        """
        if read_document(self.path / "run.json") != self.record:
            raise RunError(f"{self.path} holds another run by now: start to watch it anew.")
        entries = read_entries(self.path / "journal.sqlite", self._after)
        rows: list[dict[str, Any]] = []
        if entries is not None:
            if self._mark and entries.mark and entries.mark != self._mark:
                raise RunError(f"{self.path} was begun anew: start to watch it anew.")
            self._after, self._mark = entries.last, entries.mark or self._mark
            rows += self._growing(entries.found)
        if self._is_over(has_journal=entries is not None):
            rows += self._over()
            self.finished = True
        fresh: dict[str, dict[str, Any]] = {}
        for row in rows:
            if row["episode"] not in self._seen:
                fresh.setdefault(row["episode"], row)  # what was bet on stays as it was
        self._seen |= fresh.keys()
        return [case_of(row, self.label) for row in fresh.values()]

    def report(self) -> Mapping[str, Any]:
        """Return what the report of the run says or, of its judge, will say; empty without one."""
        return {}

    @abstractmethod
    def _growing(self, entries: Iterable[tuple[str, bytes]]) -> list[dict[str, Any]]:
        """Return the rows of results of the journal."""

    @abstractmethod
    def _is_over(self, *, has_journal: bool) -> bool:
        """Tell whether the run has ended."""

    @abstractmethod
    def _over(self) -> list[dict[str, Any]]:
        """Return all rows of a run that has ended."""

    def rows_of(
        self, episodes: Sequence[Found], scored: Mapping[str, Scored]
    ) -> list[dict[str, Any]]:
        """Return the rows of episodes, as an audit makes them."""
        how = self.counting
        curves = {e.id: scored[e.id].curve for e in episodes if len(scored[e.id].curve.times)}
        flat = flatten(curves, how.fill)
        table = opd(flat.values, flat.offsets, epsilon=how.epsilon or 0.0)
        return make_rows(episodes, scored, table, flat, how.success_at)

    def name_of(self, policy: str) -> str:
        """Return what a policy of the run is called here."""
        return self.label or policy


def case_of(row: Mapping[str, Any], label: str) -> Case:
    """Return a row as a comparison sees it; a label renames its policy."""
    changed = row["perturbation"] or ""
    return Case(
        row["episode"],
        label or row["policy"],
        "",
        row["task"],
        row["scene"],
        "" if changed in _UNCHANGED else changed,
        row["status"],
        row,
    )
