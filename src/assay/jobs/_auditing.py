"""Carry out an audit: judge what is left to judge, then compute and write the report."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assay.engine import Journal
from assay.jobs._beside import make_beside
from assay.jobs._cells import CellSettings, make_cells, make_fingerprints
from assay.jobs._clips import make_clips
from assay.jobs._diagnostics import Diagnostics
from assay.jobs._inputs import Gathered
from assay.jobs._judging import Judging, Results
from assay.jobs._measured import Counting, Measured, measure
from assay.jobs._rundir import RunDirectory, dump_json, write_file
from assay.jobs._tables import read_scored, write_curves, write_rows
from assay.judges.base import ProgressJudge
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
    """One audit under way; `judges` has the main judge first, `passports` what is known of each."""

    run: RunDirectory
    gathered: Gathered
    judges: Mapping[str, ProgressJudge]
    passports: Mapping[str, Mapping[str, Any] | None]
    reporting: Reporting

    def do(self, fps: float | None, jobs: int | None, *, retry: bool) -> dict[str, Any]:
        """Judge, write, and clear up; return the document."""
        started = time.perf_counter()
        # The journal's lock is held while the report is written, so that two commands never mix.
        with Journal(self.run.journal, self.run.fingerprint) as journal:
            judging = Judging(self.judges, journal, fps, jobs)
            scored = judging.results(self.gathered.episodes, self._known(retry=retry))
            document = self._write(scored, jobs)
        timing = {"seconds": time.perf_counter() - started, "episodes": len(self.gathered.episodes)}
        write_file(self.run.path / "timing.json", json.dumps(timing) + "\n")
        self.run.finish()
        return document

    def _known(self, *, retry: bool) -> Results:
        """Return what an earlier report of this run holds, without what is to be tried again."""
        known = read_scored(self.run.path)
        if not retry:
            return known
        return {
            judge: {name: scored for name, scored in own.items() if scored.status == "ok"}
            for judge, own in known.items()
        }

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
        document = self._document(found)
        write_rows(out / "episodes.parquet", {name: own.rows for name, own in found.items()})
        write_curves(out / "curves.parquet", {name: own.curves for name, own in found.items()})
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
            ),
            out,
        )
        write_file(self.run.result, dump_json(document))
        return document

    def _document(self, found: Mapping[str, Measured]) -> dict[str, Any]:
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
        return document

    def _success_source(self, rows: Sequence[Mapping[str, Any]]) -> str | None:
        """Say where success comes from, None when nothing tells it."""
        if self.reporting.counting.success_at is not None:
            return f"progress >= {self.reporting.counting.success_at:g}"
        if all(row["success_end"] is None for row in rows):
            return None
        return "labels" if self.gathered.labelled else "recorded"
