"""Audit policies: judge episodes, add up the evidence, write the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from assay import plugins
from assay.errors import UnknownNameError, UsageError
from assay.jobs._auditing import Auditing, Reporting
from assay.jobs._cells import GROUPS
from assay.jobs._describe import check_ready, describe_judge
from assay.jobs._diagnostics import Diagnostics
from assay.jobs._inputs import Wanted, gather, refuse_out_inside
from assay.jobs._log import logged
from assay.jobs._measured import Counting
from assay.jobs._models import asking, asks
from assay.jobs._passports import digest, passport_of
from assay.jobs._planning import CallPlan, count_calls, planning, refuse_plan
from assay.jobs._rundir import RunDirectory, disk_faults, read_document
from assay.jobs._tables import read_scored, read_views
from assay.judges import make_judge
from assay.judges.base import Judge, ProgressJudge
from assay.metrics.gaps import FILLS, Fill
from assay.models.session import ModelSettings, Session
from assay.reports.asked import mixed_notes

__all__ = ["AuditResult", "AuditSettings", "audit", "plan"]

_RECORDED = "recorded"
_MOST = 1_000_000  # moments a second, episodes, workers: more is a slip of the hand
_JUDGING = frozenset(
    {"sources", "judge", "beside", "labels", "curves", "task_map", "views", "fps", "limit"}
)  # all other settings only change the report


@dataclass(frozen=True)
class AuditSettings:
    """What to audit and how.

    Attributes:
        out: The run directory.
        judge: A judge, or the name of one.
        options: The judge's options, when it is given by name.
        beside: Further judges, or names of judges, of the same episodes: the report says where
            they agree with the main one.
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
        passport: The judge's passport; None looks where it is kept.
        limit: How many episodes to take from each source.
        trust_pickles: Whether pickles of the sources may be opened. It is asked of whoever runs
            the command, each time, and so is no part of what a run records.
        jobs: Workers; None takes one a core.
        video: Whether the report links to, copies or leaves out the videos.
        retry: Whether episodes of a finished run that are not ok are judged again.
        models: How models are asked, by judges that ask one; None takes the session that is open
            in this process, else the defaults. It changes no answer, and so is no part of what
            tells one run from another.
        note: A sentence that stands at the head of the report.
        seed: Decides the resampling of the intervals.
    """

    out: Path | str
    judge: str | Judge = _RECORDED
    options: Mapping[str, Any] = field(default_factory=dict)
    beside: tuple[str | Judge, ...] = ()
    labels: Path | None = None
    curves: Path | None = None
    task_map: Path | None = None
    by: tuple[str, ...] = ("task", "policy")
    views: tuple[str, ...] = ()
    fps: float | None = None
    epsilon: float | None = None
    fill: Fill | None = None
    success_at: float | None = None
    diagnostics: tuple[str, ...] = ()
    experts: Path | None = None
    passport: Path | None = None
    limit: int | None = None
    trust_pickles: bool = False
    jobs: int | None = None
    video: Literal["link", "copy", "none"] = "link"
    retry: bool = False
    models: ModelSettings | None = None
    note: str = ""
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
    def usage(self) -> Mapping[str, Any] | None:
        """Return what the command that made the run asked of models; None if it asked nothing."""
        path = self.out / "usage.json"
        return read_document(path) if path.is_file() else None

    @property
    def ok(self) -> bool:
        """Tell whether every judge scored every episode."""
        beside = self.document.get("beside") or ()
        judged = [self.document["cells"], *(judge["cells"] for judge in beside)]
        return all(set(cell["status"]) == {"ok"} for cells in judged for cell in cells)

    def problems(self) -> list[str]:
        """Return a sentence for each kind of trouble: how many episodes, and the first of them."""
        if self.ok:
            return mixed_notes(self.document)
        troubled: dict[tuple[str, str], list[tuple[str, str]]] = {}
        main = self.document["judge"]["name"]
        for judge, own in read_scored(self.out).items():
            by = "" if judge == main else f" by {judge}"
            for name, scored in own.items():
                if scored.status != "ok":
                    troubled.setdefault((by, scored.status), []).append((name, scored.detail))
        told = [
            f"Not scored{by}, {status}: {len(found)} of {self._count()} episodes,"
            f" the first is {found[0][0]}: {found[0][1]}"
            for (by, status), found in sorted(troubled.items())
        ]
        uncurved = {name for name, _ in troubled.get(("", "no_reference"), ())}
        if main == _RECORDED and self._have_frames(uncurved):
            told.append("They have frames: --judge prm-mini scores episodes by what they show.")
        return [*told, *mixed_notes(self.document)]

    def _have_frames(self, names: AbstractSet[str]) -> bool:
        """Tell whether one of the named episodes has a view."""
        return any(views for name, views in read_views(self.out).items() if name in names)

    def _count(self) -> int:
        return sum(cell["n"] for cell in self.document["cells"])


def audit(sources: Sequence[str | Path], settings: AuditSettings) -> AuditResult:
    """Judge the episodes of `sources` and write the run directory.

    Takes up an unfinished run in the same directory, and does nothing if it is finished. When only
    settings of the report have changed, nothing is judged again.

    Args:
        sources: `[LABEL=]PATH` texts or paths.
        settings: What to do with them.
    """
    made = _made(settings)
    refuse_plan(settings.models)
    diagnostics = _diagnostics(settings)
    refuse_out_inside(sources, Path(settings.out))
    with asking(made, settings.models) as session, logged() as log:
        judges = _named(made, settled=_is_settled(settings))
        passports = _passports(settings, judges)
        gathered = gather(_wanted(sources, settings, judges))
        run = RunDirectory.open(
            Path(settings.out),
            {
                "verb": "audit",
                "seed": settings.seed,
                "settings": {
                    **_record(sources, settings, judges),
                    **_answers_kept(session),
                    "passport": _text(settings.passport),
                    "passports": digest(passports),
                },
                "fingerprints": gathered.fingerprints,
            },
            _JUDGING,
        )
        if run.finished and not settings.retry:
            return AuditResult(run.path, read_document(run.result))
        with disk_faults(run.path):
            log.open(run.path)
            how = _reporting(settings, diagnostics)
            work = Auditing(run, gathered, judges, passports, how, session)
            return AuditResult(run.path, work.do(settings.fps, settings.jobs, retry=settings.retry))


def plan(sources: Sequence[str | Path], settings: AuditSettings) -> CallPlan:
    """Count what judging the episodes of `sources` would ask of models; send and write nothing.

    Args:
        sources: `[LABEL=]PATH` texts or paths.
        settings: What would be done with them.
    """
    made = _made(settings)
    with asking(made, planning(settings.models)) as session:
        judges = _named(made)
        gathered = gather(_wanted(sources, settings, judges))
        return count_calls(judges, gathered.episodes, session, settings.fps, settings.jobs)


def _made(settings: AuditSettings) -> list[ProgressJudge]:
    """Return the judges, the main one first."""
    asked: list[tuple[str | Judge, Mapping[str, Any]]] = [(settings.judge, settings.options)]
    asked += [(judge, {}) for judge in settings.beside]
    found: list[ProgressJudge] = []
    for one, options in asked:
        judge = make_judge(one, options) if isinstance(one, str) else one
        if not isinstance(judge, ProgressJudge):
            name = describe_judge(judge)["name"]
            raise UsageError(f"The judge {name} gives no progress: it can't audit.")
        found.append(judge)
    return found


def _is_settled(settings: AuditSettings) -> bool:
    """Tell whether all is judged already, so that no model need be there."""
    out = Path(settings.out)
    ended = (out / "audit.json").is_file() and not (out / "journal.sqlite").exists()
    return ended and not settings.retry


def _named(made: Sequence[ProgressJudge], *, settled: bool = False) -> dict[str, ProgressJudge]:
    """Return the judges by name, after a check of each; one that has asked all is not checked."""
    found: dict[str, ProgressJudge] = {}
    for judge in made:
        if not (settled and asks(judge)):
            check_ready(judge)
        name = describe_judge(judge)["name"]
        if name in found:
            raise UsageError(
                f"The judge {name} was asked for twice: name each judge once,"
                " with --judge or with --beside."
            )
        found[name] = judge
    return found


def _answers_kept(session: Session | None) -> dict[str, str]:
    """Return where answers are kept, for a replay; the default place is no setting."""
    place = None if session is None else session.settings.ledger
    return {} if place is None else {"ledger": str(place)}


def _passports(
    settings: AuditSettings, judges: Mapping[str, ProgressJudge]
) -> dict[str, dict[str, Any] | None]:
    """Return what the judges' passports say; a path that was given is the main judge's."""
    main = next(iter(judges))
    return {
        name: passport_of(judge, settings.passport if name == main else None)
        for name, judge in judges.items()
    }


def _diagnostics(settings: AuditSettings) -> Diagnostics | None:
    """Return the diagnostics; read before judging, so that a bad file costs nothing."""
    if settings.experts is not None and not settings.diagnostics:
        raise UsageError("--experts is for --diagnostics that compare with them, such as grdtw.")
    return Diagnostics(settings.diagnostics, settings.experts) if settings.diagnostics else None


def _reporting(settings: AuditSettings, diagnostics: Diagnostics | None) -> Reporting:
    return Reporting(
        by=settings.by,
        counting=Counting(settings.epsilon, settings.fill, settings.success_at),
        diagnostics=diagnostics,
        video=settings.video,
        seed=settings.seed,
    )


def _wanted(
    sources: Sequence[str | Path], settings: AuditSettings, judges: Mapping[str, ProgressJudge]
) -> Wanted:
    return Wanted(
        tuple(map(str, sources)),
        signals=frozenset({"progress", "success"}).union(*(j.needs for j in judges.values())),
        labels=settings.labels,
        task_map=settings.task_map,
        curves=settings.curves,
        experts=settings.experts,
        views=settings.views,
        limit=settings.limit,
        trust_pickles=settings.trust_pickles,
    )


def _record(
    sources: Sequence[str | Path], settings: AuditSettings, judges: Mapping[str, ProgressJudge]
) -> dict[str, Any]:
    """Return the settings that decide the result, as plain data for run.json."""
    main, *beside = map(describe_judge, judges.values())
    return {
        "sources": [str(source) for source in sources],
        "judge": main,
        **({"beside": beside} if beside else {}),
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
        "note": settings.note,
        "seed": settings.seed,
    }


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _positive(option: str, value: float | None) -> None:
    if value is not None and not 0 < value <= _MOST:
        raise UsageError(f"{option} must be above 0 and at most {_MOST:,}, not {value:g}.")
