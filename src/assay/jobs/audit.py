"""Audit policies: judge episodes, add up the evidence, write the report."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from assay import plugins
from assay.engine import Journal, Unit
from assay.engine import run as run_units
from assay.engine.progress import ProgressBar
from assay.episodes.catalogue import Source
from assay.errors import UnknownNameError, UsageError
from assay.jobs._cells import GROUPS, CellSettings, make_cells, make_fingerprints
from assay.jobs._clips import make_clips
from assay.jobs._describe import describe_judge
from assay.jobs._diagnostics import Diagnostics
from assay.jobs._inputs import Gathered, Wanted, gather
from assay.jobs._log import logged
from assay.jobs._rows import Epsilon, Flat, choose_epsilon, flatten, make_rows
from assay.jobs._rundir import RunDirectory, disk_faults, dump_json, read_document, write_file
from assay.jobs._tables import write_curves, write_rows
from assay.jobs._units import Scored, decode, unscored, worker
from assay.judges import make_judge
from assay.judges.base import ProgressJudge
from assay.metrics.gaps import FILLS
from assay.metrics.opd import opd
from assay.records import Episode, Unreadable
from assay.reports.audit_page import AuditPage, write_audit_page

__all__ = ["AuditResult", "AuditSettings", "audit"]

_LOG = logging.getLogger("assay")


@dataclass(frozen=True)
class AuditSettings:
    """What to audit and how.

    Attributes:
        out: The run directory.
        judge: A judge, or the name of one as typed on the command line.
        options: The judge's options, when it is given by name.
        labels: csv that overrides task, policy, scene and success by episode.
        curves: Recorded curves to join to the episodes by id.
        task_map: csv that renames tasks.
        by: What to group by.
        views: The views to use; empty takes all.
        fps: Judged moments a second; None takes the judge's own clock, else 5.
        epsilon: Steps below this count as standing still; None measures it.
        fill: How unscored moments are filled; None leaves them unscored.
        success_at: Progress that counts as success; None takes only labels.
        diagnostics: Names of further metrics to show.
        experts: Recorded curves of demonstrations, for diagnostics that compare with them.
        limit: How many episodes to take from each source.
        jobs: Workers; None takes one a core.
        video: Whether the report links to, copies or leaves out the videos.
        seed: Decides the resampling of the intervals.
    """

    out: Path | str
    judge: str | ProgressJudge = "recorded"
    options: Mapping[str, Any] = field(default_factory=dict)
    labels: Path | None = None
    curves: Path | None = None
    task_map: Path | None = None
    by: tuple[str, ...] = ("task", "policy")
    views: tuple[str, ...] = ()
    fps: float | None = None
    epsilon: float | None = None
    fill: Literal["previous", "linear"] | None = None
    success_at: float | None = None
    diagnostics: tuple[str, ...] = ()
    experts: Path | None = None
    limit: int | None = None
    jobs: int | None = None
    video: Literal["link", "copy", "none"] = "link"
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what can't be meant, before anything is read."""
        _positive("--fps", self.fps)
        _positive("--limit", self.limit)
        _positive("--jobs", self.jobs)
        if self.fill is not None and self.fill not in FILLS:
            raise UnknownNameError("way to --fill", self.fill, FILLS)
        if self.success_at is not None and not 0.0 < self.success_at <= 1.0:
            raise UsageError(f"--success-at must lie in (0, 1], not {self.success_at:g}.")
        if self.epsilon is not None and not 0.0 < self.epsilon < 1.0:
            raise UsageError(f"--epsilon must lie between 0 and 1, not {self.epsilon:g}.")
        for name in self.diagnostics:
            plugins.find("assay.metrics.diagnostics", name)
        for name in self.by:
            if name not in GROUPS:
                raise UnknownNameError("column to group --by", name, GROUPS)


@dataclass(frozen=True)
class AuditResult:
    """A finished audit.

    Attributes:
        out: The run directory; `index.html` is the report.
        document: What `audit.json` holds.
    """

    out: Path
    document: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Return `audit.json` to the letter."""
        return (self.out / "audit.json").read_text(encoding="utf-8")

    @property
    def ok(self) -> bool:
        """Tell whether every episode was scored."""
        return all(set(cell["status"]) == {"ok"} for cell in self.document["cells"])


def audit(sources: Sequence[str | Path], settings: AuditSettings) -> AuditResult:
    """Judge the episodes of `sources` and write the run directory.

    Takes up an unfinished run in the same directory, and does nothing if it is finished.

    Args:
        sources: `[LABEL=]PATH` texts or paths.
        settings: What to do with them.
    """
    judge = _judge(settings)
    _refuse_out_inside(sources, Path(settings.out))
    with logged() as log:
        gathered = gather(_wanted(sources, settings, judge))
        run = RunDirectory.open(
            Path(settings.out), "audit", _record(sources, settings, judge), gathered.fingerprints
        )
        if run.finished:
            return AuditResult(run.path, read_document(run.path / "audit.json"))
        with disk_faults(run.path):
            log.open(run.path)
            return AuditResult(run.path, _run(run, gathered, judge, settings))


def _run(
    run: RunDirectory, gathered: Gathered, judge: ProgressJudge, settings: AuditSettings
) -> dict[str, Any]:
    """Judge, write, and clear up; return the document."""
    started = time.perf_counter()
    # The journal's lock is held to the end, so that two commands never write one report.
    with Journal(run.journal, run.fingerprint) as journal:
        scored = _score(journal, gathered, judge, settings)
        document = _write(run, gathered, scored, judge, settings)
    timing = {"seconds": time.perf_counter() - started, "episodes": len(gathered.episodes)}
    write_file(run.path / "timing.json", json.dumps(timing) + "\n")
    run.finish()
    return document


def _wanted(sources: Sequence[str | Path], settings: AuditSettings, judge: ProgressJudge) -> Wanted:
    return Wanted(
        tuple(map(str, sources)),
        signals=frozenset({"progress", "success", *judge.needs}),
        labels=settings.labels,
        task_map=settings.task_map,
        curves=settings.curves,
        views=settings.views,
        limit=settings.limit,
    )


def _refuse_out_inside(sources: Sequence[str | Path], out: Path) -> None:
    """Raise when the report would become part of the data it reports on."""
    for source in sources:
        path = Source.parse(str(source)).path
        if path.is_dir() and out.resolve().is_relative_to(path.resolve()):
            raise UsageError(f"--out {out} lies inside {path}: choose a folder outside it.")


def _judge(settings: AuditSettings) -> ProgressJudge:
    judge = settings.judge
    if isinstance(judge, str):
        judge = make_judge(judge, settings.options)  # type: ignore[assignment]
    if not isinstance(judge, ProgressJudge):
        raise UsageError(f"The judge {settings.judge} gives no progress: it can't audit.")
    return judge


def _record(
    sources: Sequence[str | Path], settings: AuditSettings, judge: ProgressJudge
) -> dict[str, Any]:
    """Return the settings that decide the result, as plain data for run.json."""
    return {
        "sources": [str(source) for source in sources],
        "judge": describe_judge(judge),
        "labels": _text(settings.labels),
        "curves": _text(settings.curves),
        "task_map": _text(settings.task_map),
        "by": list(settings.by),
        "views": list(settings.views),
        "fps": settings.fps,
        "epsilon": settings.epsilon,
        "fill": settings.fill,
        "success_at": settings.success_at,
        "diagnostics": list(settings.diagnostics),
        "experts": _text(settings.experts),
        "limit": settings.limit,
        "video": settings.video,
        "seed": settings.seed,
    }


def _score(
    journal: Journal, gathered: Gathered, judge: ProgressJudge, settings: AuditSettings
) -> dict[str, Scored]:
    """Judge what the journal does not hold yet; return the results of all episodes by id."""
    readable = [e for e in gathered.episodes if isinstance(e, Episode)]
    units = (Unit(episode.id, episode) for episode in readable)
    with ProgressBar("judging") as bar:
        tally = run_units(
            worker(judge, settings.fps),
            units,
            journal,
            bound=judge.bound,
            jobs=settings.jobs,
            total=len(readable),
            on_tally=bar,
        )
    scored = {key: decode(data) for key, data in journal.items()}
    for failure in tally.failures:
        _LOG.error("%s: the judge failed.\n%s", failure.key, failure.traceback)
        why = f"the judge failed: {failure.type}: {failure.message} (log.jsonl has the traceback)"
        scored[failure.key] = unscored("invalid_value", why)
    for episode in gathered.episodes:
        if isinstance(episode, Unreadable):
            scored[episode.id] = unscored(episode.status, episode.detail)
    return scored


def _write(
    run: RunDirectory,
    gathered: Gathered,
    scored: Mapping[str, Scored],
    judge: ProgressJudge,
    settings: AuditSettings,
) -> dict[str, Any]:
    """Compute and write everything; `audit.json` comes last."""
    episodes = gathered.episodes
    curves = {e.id: scored[e.id].curve for e in episodes if len(scored[e.id].curve.times)}
    flat = flatten(curves, settings.fill)
    epsilon = choose_epsilon(settings.epsilon, judge.noise, episodes, curves)
    table = opd(flat.values, flat.offsets, epsilon=epsilon.value)
    rows = make_rows(episodes, scored, table, flat, settings.success_at)
    document = _document(run, gathered, rows, flat, epsilon, settings)
    name = document["judge"]["name"]
    write_rows(run.path / "episodes.parquet", rows, name)
    write_curves(run.path / "curves.parquet", curves, name)
    write_audit_page(
        AuditPage(
            audit=document,
            rows=rows,
            curves=curves,
            segments={e.id: e.segments for e in episodes if isinstance(e, Episode)},
            events={},
            clips=make_clips(episodes, run.path, settings.video, settings.jobs),
            title=f"Audit of {', '.join(sorted({row['policy'] for row in rows}))}",
        ),
        run.path,
    )
    write_file(run.path / "audit.json", dump_json(document))
    return document


def _document(
    run: RunDirectory,
    gathered: Gathered,
    rows: Sequence[dict[str, Any]],
    flat: Flat,
    epsilon: Epsilon,
    settings: AuditSettings,
) -> dict[str, Any]:
    named = settings.diagnostics
    diagnostics = Diagnostics(named, settings.experts) if named else None
    cells = make_cells(rows, flat, CellSettings(settings.by, epsilon, diagnostics, settings.seed))
    if settings.success_at is not None:
        success: str | None = f"progress >= {settings.success_at:g}"
    elif all(row["success_end"] is None for row in rows):
        success = None
    else:
        success = "labels" if gathered.labelled else "recorded"
    return {
        "schema": "assay.audit/1",
        "cells": cells,
        "fingerprints": make_fingerprints(rows),
        "judge": run.document["settings"]["judge"],
        "epsilon": {"value": epsilon.value, "source": epsilon.source, "sigma": epsilon.sigma},
        "success_source": success,
        "settings": run.document["settings"],
        "inputs": list(gathered.inputs),
    }


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _positive(option: str, value: float | None) -> None:
    if value is not None and not value > 0:
        raise UsageError(f"{option} must be above 0, not {value:g}.")
