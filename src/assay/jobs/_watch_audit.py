"""Follow an audit: its journal holds curves, and its sources say whose they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from assay.errors import InputError, RunError
from assay.jobs._inputs import Wanted, gather
from assay.jobs._recorded import RecordedSettings
from assay.jobs._rows import choose_epsilon
from assay.jobs._rundir import read_document
from assay.jobs._tables import read_scored
from assay.jobs._units import Scored, decode, unscored
from assay.jobs._watch_followed import Counting, Followed, Found, Planned, case_of
from assay.jobs._watch_passports import passport_so_far
from assay.records import Episode, Unreadable

__all__ = ["Audit"]


class Audit(Followed):
    """An audit: its journal holds curves, and its sources say which episodes they belong to."""

    verb = "audit"

    def __init__(self, path: Path, label: str, record: Mapping[str, Any]) -> None:
        super().__init__(path, label, record)
        settings = record["settings"]
        self.judge = settings["judge"]
        self._first = "0:" if settings.get("beside") else ""
        self._episodes: dict[str, Found] = {}
        self._ended = (path / "audit.json").is_file() and not (path / "journal.sqlite").exists()
        chosen = choose_epsilon(settings.get("epsilon"), self.judge.get("noise"), [], {})
        self.counting = Counting(
            chosen.value if self._ended or chosen.source != "assumed" else None,
            settings.get("fill"),
            settings.get("success_at"),
        )
        if self._ended:
            rows = self._over()
            self.names = {row["policy"] for row in rows}
            self.plan = [self._planned(r, told=r["success_end"] is not None) for r in rows]
        else:
            self._gather()
            found = self._episodes.values()
            self.names = {episode.policy for episode in found}
            told = self.counting.success_at is not None
            self.plan = [self._planned(_where(e), told=told or _tells_success(e)) for e in found]
        self._known = False
        self._report: Mapping[str, Any] = {}

    def report(self) -> Mapping[str, Any]:
        """Return `audit.json`; of an audit that still runs, its judge with the passport it has."""
        if self.finished and "cells" not in self._report:
            self._report = read_document(self.path / "audit.json")
        elif not self._report:
            told = passport_so_far(self.path, self.record)
            self._report = {"judge": {**self.judge, "passport": told}}
        return self._report

    def _gather(self) -> None:
        """Read which episodes are judged; the data must be what the audit began with."""
        try:
            asked = RecordedSettings.model_validate(self.record["settings"])
        except ValueError as error:
            raise RunError(f"{self.path}/run.json is not whole: {error}.") from None
        gathered = gather(
            Wanted(
                asked.sources,
                signals=frozenset({"success"}),
                labels=asked.labels,
                task_map=asked.task_map,
                views=asked.views,
                limit=asked.limit,
            )
        )
        begun = self.record.get("fingerprints") or {}
        for source, printed in gathered.fingerprints.items():
            if begun.get(source, printed) != printed:
                raise InputError(f"has changed since the audit in {self.path} began.", source)
        self._episodes = {episode.id: episode for episode in gathered.episodes}

    def _planned(self, row: Mapping[str, Any], *, told: bool) -> Planned:
        case = case_of({**row, "status": ""}, self.label)
        return Planned(case.policy, case.condition, case.scene, is_labelled=told)

    def _growing(self, entries: Iterable[tuple[str, bytes]]) -> list[dict[str, Any]]:
        found = {} if self._known else self._before()
        self._known = True
        for key, data in entries:
            if key.startswith(self._first):
                found[key.removeprefix(self._first)] = decode(data)
        own = [self._episodes[name] for name in found if name in self._episodes]
        return self.rows_of(own, found)

    def _before(self) -> dict[str, Scored]:
        """Return what no journal will hold: an earlier report, and what can't be read."""
        earlier = read_scored(self.path).get(self.judge["name"], {})
        found = {name: one for name, one in earlier.items() if one.status == "ok"}
        for episode in self._episodes.values():
            if isinstance(episode, Unreadable):
                found[episode.id] = unscored(episode.status, episode.detail)
        return found

    def _is_over(self, *, has_journal: bool) -> bool:
        return not has_journal and (self.path / "audit.json").is_file()

    def _over(self) -> list[dict[str, Any]]:
        import pyarrow.parquet as pq

        rows = pq.read_table(self.path / "episodes.parquet").to_pylist()
        return [row for row in rows if row["judge"] == self.judge["name"]]


def _where(episode: Found) -> dict[str, Any]:
    """Return the fields of an episode that say where it belongs."""
    names = ("task", "policy", "scene", "perturbation")
    return {"episode": episode.id, **{name: getattr(episode, name) for name in names}}


def _tells_success(episode: Found) -> bool:
    signals = episode.signals if isinstance(episode, Episode) else {}
    return "success" in signals or episode.outcome is not None
