"""Carry out an audit: judge what is left to judge, then compute and write the report."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from assay.engine import Journal
from assay.jobs._beside import make_beside
from assay.jobs._calls import Packed, Row, asked, revisions_of, unpack, write_calls
from assay.jobs._cells import CellSettings, make_cells, make_fingerprints
from assay.jobs._clips import make_clips
from assay.jobs._diagnostics import Diagnostics
from assay.jobs._holding import hold, up_to_date
from assay.jobs._inputs import Gathered
from assay.jobs._judging import Judging, Results
from assay.jobs._measured import Counting, Measured, measure
from assay.jobs._models import standing, write_usage
from assay.jobs._rundir import RunDirectory, dump_json, read_document, write_file
from assay.jobs._tables import read_scored, write_curves, write_rows
from assay.jobs._units import Scored, decode
from assay.judges.base import ProgressJudge
from assay.models.session import Session
from assay.records import Episode
from assay.reports import words
from assay.reports.audit_page import AuditPage, write_audit_page

__all__ = ["Auditing", "Reporting"]


@dataclass(frozen=True)
class Reporting:
    """How results are counted and shown; see `AuditSettings`."""

    by: tuple[str, ...]
    counting: Counting
    diagnostics: Diagnostics | None
    video: Literal["link", "copy", "none"]
    seed: int


@dataclass(frozen=True)
class Auditing:
    """One audit under way.

    Attributes:
        run: Where it is written.
        gathered: The episodes.
        judges: The judges by name, the main one first.
        passports: What is known of each.
        reporting: How results are counted and shown.
        session: Through which the judges ask models; None if none does.
    """

    run: RunDirectory
    gathered: Gathered
    judges: Mapping[str, ProgressJudge]
    passports: Mapping[str, Mapping[str, Any] | None]
    reporting: Reporting
    session: Session | None = None

    def do(self, fps: float | None, jobs: int | None, *, retry: bool) -> dict[str, Any]:
        """Judge, write, and clear up; return the document."""
        started = time.perf_counter()
        before = standing(self.session)
        # The journal's lock is held while the report is written, so that two commands never mix.
        with Journal(self.run.journal, self.run.fingerprint) as journal:
            judging = Judging(self.judges, journal, fps, jobs)
            known = self._known(retry=retry)
            self._hold(journal, known)
            scored = judging.results(self.gathered.episodes, known)
            write_usage(self.run.path / "usage.json", self.session, before)
            document = self._write(scored, jobs)
        timing = {"seconds": time.perf_counter() - started, "episodes": len(self.gathered.episodes)}
        write_file(self.run.path / "timing.json", json.dumps(timing) + "\n")
        self.run.finish()
        return document

    def _known(self, *, retry: bool) -> Results:
        """Return what an earlier report of this run holds, without what is to be judged again.

        That is what failed, with `retry`, and what another revision of a model judged than the one
        that is pinned now.
        """
        fresh = up_to_date(self.session)

        def stays(scored: Scored) -> bool:
            return fresh(revisions_of(scored.calls)) if scored.status == "ok" else not retry

        return {
            judge: {name: scored for name, scored in own.items() if stays(scored)}
            for judge, own in read_scored(self.run.path).items()
        }

    def _hold(self, journal: Journal, known: Results) -> None:
        """Hold each model to the revision that judged what is there.

        Raises:
            RunError: Another one is pinned, and what is in the journal can't be judged again.
        """
        begun = (decode(data) for _, data in journal.items())
        held = (scored for own in known.values() for scored in own.values())
        judged = (one for one in chain(begun, held) if one.status == "ok")
        hold(self.session, self.run.path, (revisions_of(one.calls) for one in judged))

    def _write(self, scored: Results, jobs: int | None) -> dict[str, Any]:
        """Compute and write everything; the document comes last."""
        out, episodes = self.run.path, self.gathered.episodes
        found = {
            name: measure(
                judge, episodes, scored[name], self.reporting.counting, self.passports[name]
            )
            for name, judge in self.judges.items()
        }
        main, *_ = found.values()
        calls = {
            name: {e: s.calls for e, s in own.items() if s.calls} for name, own in scored.items()
        }
        document = self._document(found, calls)
        write_rows(out / "episodes.parquet", {name: own.rows for name, own in found.items()})
        write_curves(out / "curves.parquet", {name: own.curves for name, own in found.items()})
        write_calls(out / "calls.parquet", calls)
        write_audit_page(
            AuditPage(
                audit=document,
                rows=main.rows,
                curves=main.curves,
                segments={e.id: e.segments for e in episodes if isinstance(e, Episode)},
                events={},
                clips=make_clips(episodes, out, self.reporting.video, jobs),
                title=f"Audit of {words.some(sorted({row['policy'] for row in main.rows}))}",
                beside={name: own.curves for name, own in found.items() if own is not main},
                calls=lambda episode: _calls(calls, episode),
                usage=self._usage(),
            ),
            out,
        )
        write_file(self.run.result, dump_json(document))
        return document

    def _document(self, found: Mapping[str, Measured], calls: Packed) -> dict[str, Any]:
        how, settings = self.reporting, self.run.document["settings"]
        main, *others = found.values()
        cells = CellSettings(how.by, main.epsilon, how.diagnostics, how.seed)
        document = {
            "schema": "assay.audit/1",
            "cells": make_cells(main.rows, main.flat, cells),
            "fingerprints": make_fingerprints(main.rows),
            "judge": main.described(how.seed),
            "epsilon": main.epsilon.as_json(),
            "success_source": self._success_source(main.rows),
            "settings": settings,
            "inputs": list(self.gathered.inputs),
        }
        if others:
            document["beside"] = [make_beside(main, other, how.by, how.seed) for other in others]
        if came_to := asked(calls):
            document["asked"] = came_to
        return document

    def _usage(self) -> dict[str, Any] | None:
        path = self.run.path / "usage.json"
        return read_document(path) if path.exists() else None

    def _success_source(self, rows: Sequence[Mapping[str, Any]]) -> str | None:
        """Say where success comes from, None when nothing tells it."""
        if self.reporting.counting.success_at is not None:
            return f"progress >= {self.reporting.counting.success_at:g}"
        if all(row["success_end"] is None for row in rows):
            return None
        return "labels" if self.gathered.labelled else "recorded"


def _calls(calls: Packed, episode: str) -> list[Row]:
    """Return what all judges asked for an episode, the main one first."""
    return [
        {"judge": judge, **row}
        for judge, own in calls.items()
        for row in unpack(own.get(episode, b""))
    ]
