"""Carry out an audit: judge what is left to judge, then compute and write the report."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assay.engine import Journal, Unit
from assay.engine import run as run_units
from assay.engine.progress import ProgressBar
from assay.jobs._cells import CellSettings, make_cells, make_fingerprints
from assay.jobs._clips import make_clips
from assay.jobs._diagnostics import Diagnostics
from assay.jobs._inputs import Gathered
from assay.jobs._rows import Epsilon, Flat, choose_epsilon, flatten, make_rows
from assay.jobs._rundir import RunDirectory, dump_json, write_file
from assay.jobs._tables import read_scored, write_curves, write_rows
from assay.jobs._units import Scored, decode, unscored, worker
from assay.judges.base import ProgressJudge
from assay.metrics.gaps import Fill
from assay.metrics.opd import opd
from assay.records import Episode, Unreadable
from assay.reports import words
from assay.reports.audit_page import AuditPage, write_audit_page

__all__ = ["Auditing", "Reporting"]

_LOG = logging.getLogger("assay")


@dataclass(frozen=True)
class Reporting:
    """How results are counted and shown; see `AuditSettings`."""

    by: tuple[str, ...]
    epsilon: float | None
    fill: Fill | None
    success_at: float | None
    diagnostics: Diagnostics | None
    video: Literal["link", "copy", "none"]
    seed: int


@dataclass(frozen=True)
class Auditing:
    """One audit under way."""

    run: RunDirectory
    gathered: Gathered
    judge: ProgressJudge
    reporting: Reporting

    def do(self, fps: float | None, jobs: int | None, *, retry: bool) -> dict[str, Any]:
        """Judge, write, and clear up; return the document."""
        started = time.perf_counter()
        # The journal's lock is held while the report is written, so that two commands never mix.
        with Journal(self.run.journal, self.run.fingerprint) as journal:
            scored = self._score(journal, fps, jobs, retry=retry)
            document = self._write(scored, jobs)
        timing = {"seconds": time.perf_counter() - started, "episodes": len(scored)}
        write_file(self.run.path / "timing.json", json.dumps(timing) + "\n")
        self.run.finish()
        return document

    def _score(
        self, journal: Journal, fps: float | None, jobs: int | None, *, retry: bool
    ) -> dict[str, Scored]:
        """Judge what neither the journal nor an earlier report holds; return all results by id."""
        known = read_scored(self.run.path)
        if retry:
            known = {name: scored for name, scored in known.items() if scored.status == "ok"}
        found = self.gathered.episodes
        left = [e for e in found if isinstance(e, Episode) and e.id not in known]
        with ProgressBar("judging") as bar:
            tally = run_units(
                worker(self.judge, fps),
                (Unit(episode.id, episode) for episode in left),
                journal,
                bound=self.judge.bound,
                jobs=jobs,
                total=len(left),
                on_tally=bar,
            )
        known |= {key: decode(data) for key, data in journal.items()}
        for failure in tally.failures:
            _LOG.info("%s: the judge failed.\n%s", failure.key, failure.traceback)
            why = f"the judge failed: {failure.type}: {failure.message} (see log.jsonl)"
            known[failure.key] = unscored("invalid_value", why)
        for episode in found:
            if isinstance(episode, Unreadable):
                known[episode.id] = unscored(episode.status, episode.detail)
        return known

    def _write(self, scored: Mapping[str, Scored], jobs: int | None) -> dict[str, Any]:
        """Compute and write everything; the document comes last."""
        how, out, episodes = self.reporting, self.run.path, self.gathered.episodes
        curves = {e.id: scored[e.id].curve for e in episodes if len(scored[e.id].curve.times)}
        flat = flatten(curves, how.fill)
        epsilon = choose_epsilon(how.epsilon, self.judge.noise, episodes, curves)
        table = opd(flat.values, flat.offsets, epsilon=epsilon.value)
        rows = make_rows(episodes, scored, table, flat, how.success_at)
        document = self._document(rows, flat, epsilon)
        write_rows(out / "episodes.parquet", rows, document["judge"]["name"])
        write_curves(out / "curves.parquet", curves, document["judge"]["name"])
        write_audit_page(
            AuditPage(
                audit=document,
                rows=rows,
                curves=curves,
                segments={e.id: e.segments for e in episodes if isinstance(e, Episode)},
                events={},
                clips=make_clips(episodes, out, how.video, jobs),
                title=f"Audit of {words.some(sorted({row['policy'] for row in rows}))}",
            ),
            out,
        )
        write_file(self.run.result, dump_json(document))
        return document

    def _document(
        self, rows: Sequence[dict[str, Any]], flat: Flat, epsilon: Epsilon
    ) -> dict[str, Any]:
        how, settings = self.reporting, self.run.document["settings"]
        cells = CellSettings(how.by, epsilon, how.diagnostics, how.seed)
        return {
            "schema": "assay.audit/1",
            "cells": make_cells(rows, flat, cells),
            "fingerprints": make_fingerprints(rows),
            "judge": settings["judge"],
            "epsilon": {"value": epsilon.value, "source": epsilon.source, "sigma": epsilon.sigma},
            "success_source": self._success_source(rows),
            "settings": settings,
            "inputs": list(self.gathered.inputs),
        }

    def _success_source(self, rows: Sequence[Mapping[str, Any]]) -> str | None:
        """Say where success comes from, None when nothing tells it."""
        if self.reporting.success_at is not None:
            return f"progress >= {self.reporting.success_at:g}"
        if all(row["success_end"] is None for row in rows):
            return None
        return "labels" if self.gathered.labelled else "recorded"
