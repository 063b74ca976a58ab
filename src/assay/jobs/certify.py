"""Certify a judge: put every check to it and write its passport."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from assay import plugins
from assay.benchmarks.passport.examining import Subject
from assay.benchmarks.passport.identity import identify
from assay.benchmarks.passport.scenes import SEEDS, TASKS, scenes
from assay.engine import Journal
from assay.errors import UnknownNameError, UsageError
from assay.jobs._certify_goals import write_goals
from assay.jobs._certifying import Certifying
from assay.jobs._describe import card_of, check_ready
from assay.jobs._goals import with_goal
from assay.jobs._inputs import Gathered, Wanted, gather
from assay.jobs._log import logged
from assay.jobs._models import asking, asks, standing, write_usage
from assay.jobs._planning import CallPlan, MadeUp, planning, refuse_plan
from assay.jobs._retrying import AGAIN, can_retry
from assay.jobs._rundir import RunDirectory, disk_faults, read_document
from assay.judges import make_judge
from assay.judges.base import Judge, ProgressJudge
from assay.models.session import ModelSettings
from assay.records import Unreadable
from assay.reports.asked import mixed_notes
from assay.worlds.gl import choose, require_mujoco
from assay.worlds.look import LOOK

__all__ = ["CertifyResult", "CertifySettings", "certify", "own_tasks", "plan"]

_TASKS = "assay.worlds.tasks"
_WORLDS = "worlds"
_MOST_SEEDS = len(SEEDS) // 3
_MOST = 1_000_000
_SILENT = ("not run", "not measured")  # verdicts without a value


@dataclass(frozen=True)
class CertifySettings:
    """Whom to certify, on what.

    Attributes:
        out: The run directory.
        judge: A judge, or the name of one.
        options: The judge's options, when it is given by name.
        goal: A goal image or demonstrations for the judge; "worlds" films how experts end.
        on: Episodes of your own, as `[LABEL=]PATH` texts or paths.
        worlds: Whether simulated worlds are used; None uses them unless the judge's card says
            that it was trained on other scenes alone.
        tasks: The tasks of the worlds; empty takes those that the judge has learned, else the six
            simplest.
        seeds: Scenes of each kind and task.
        views: The views of your episodes to use; empty takes all.
        limit: How many episodes to take from each path of `on`.
        jobs: Workers; None takes one a core.
        keep: Whether a trained judge gets the passport into its folder.
        retry: Whether what has no answer in a finished run is examined again.
        models: How models are asked, by a judge that asks one; None takes the session that is open
            in this process, else the defaults.
    """

    out: Path | str
    judge: str | Judge
    options: Mapping[str, Any] = field(default_factory=dict)
    goal: Path | str | None = None
    on: tuple[str | Path, ...] = ()
    worlds: bool | None = None
    tasks: tuple[str, ...] = ()
    seeds: int = 2
    views: tuple[str, ...] = ()
    limit: int = 20
    jobs: int | None = None
    keep: bool = True
    retry: bool = False
    models: ModelSettings | None = None

    def __post_init__(self) -> None:
        """Refuse what can't be meant, before anything is read."""
        if not 1 <= self.seeds <= _MOST_SEEDS:
            raise UsageError(f"--seeds must be 1 to {_MOST_SEEDS}, not {self.seeds}.")
        for option, value in (("--limit", self.limit), ("--jobs", self.jobs)):
            if value is not None and not 1 <= value <= _MOST:
                raise UsageError(f"{option} must be above 0 and at most {_MOST:,}, not {value}.")
        known = plugins.names(_TASKS)
        for task in self.tasks:
            if task not in known:
                raise UnknownNameError("task", task, known)
        if not self.on and self.worlds is False:
            raise UsageError("There is nothing to certify on: give --on PATH, or allow --worlds.")


@dataclass(frozen=True)
class CertifyResult:
    """A finished certification.

    Attributes:
        out: The run directory; `index.html` is the passport to read.
        document: What `certify.json` holds.
    """

    out: Path
    document: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Return `certify.json` to the letter."""
        return (self.out / "certify.json").read_text(encoding="utf-8")

    @property
    def usage(self) -> Mapping[str, Any] | None:
        """Return what the command that made the run asked of models; None if it asked nothing."""
        path = self.out / "usage.json"
        return read_document(path) if path.is_file() else None

    @property
    def ok(self) -> bool:
        """Tell whether no check says no, every domain says something, and no answer is missing."""
        said = {c["domain"] for c in self.document["checks"] if c["verdict"] not in _SILENT}
        failed = any(c["verdict"] == "fail" for c in self.document["checks"])
        missing = "unanswered" in self.document
        return not (failed or missing) and said == set(self.document["domains"])

    def problems(self) -> list[str]:
        """Return what failed and what is silent, then what is missing or of mixed revisions."""
        lines = self.document["checks"]
        found = [f"Fails {c['title']} ({c['domain']}): {c['meaning']}" for c in lines
                 if c["verdict"] == "fail"]  # fmt: skip
        for domain in self.document["domains"]:
            own = [c for c in lines if c["domain"] == domain]
            lost = [c for c in own if c["verdict"] == "not measured"]
            if lost and all(c["verdict"] in _SILENT for c in own):
                found.append(f"Nothing could be measured on {domain}: {lost[0]['why']}")
        if lacking := self.document.get("unanswered"):
            every = sum(about["subjects"] for about in self.document["domains"].values())
            found.append(
                f"Without an answer to some check: {lacking['subjects']} of {every} episodes and"
                f" scenes, the first: {lacking['first']} {AGAIN}"
            )
        return [*found, *mixed_notes(self.document)]


def certify(settings: CertifySettings) -> CertifyResult:
    """Put every check to the judge and write the run directory.

    Takes up an unfinished run in the same directory, and does nothing if it is finished, unless
    `retry` is set and it lacks answers.
    """
    refuse_plan(settings.models)
    judge = _judge(settings)
    with asking([judge], settings.models) as session, logged() as log:
        check_ready(judge)  # what would stop every episode is told before any is read
        worlds = _with_worlds(settings, judge)
        gathered = gather(_wanted(settings, judge)) if settings.on else None
        record = _record(settings, judge, worlds=worlds)
        prints = {} if gathered is None else gathered.fingerprints
        run = RunDirectory.open(
            Path(settings.out),
            {
                "verb": "certify",
                "seed": None,
                "settings": record,
                "fingerprints": {**prints, "look": LOOK},
            },
            frozenset(record),
        )
        if run.finished and not (settings.retry and can_retry(run.path)):
            return CertifyResult(run.path, read_document(run.result))
        with disk_faults(run.path):
            log.open(run.path)
            before = standing(session)
            work = _work(settings, run, judge, gathered, worlds=worlds)
            work = replace(work, session=session)
            done = work.do(_jobs(settings, judge), keep=settings.keep)
            write_usage(run.path / "usage.json", session, before)
            return CertifyResult(run.path, done)


def plan(settings: CertifySettings) -> CallPlan:
    """Count what the judge would ask of models; send nothing, and write nothing that stays."""
    judge = _judge(settings)
    with asking([judge], planning(settings.models)) as session:
        check_ready(judge)
        if session is None:
            return CallPlan(0, {}, {})
        worlds = _with_worlds(settings, judge)
        gathered = gather(_wanted(settings, judge)) if settings.on else None
        with TemporaryDirectory() as place, Journal(Path(place) / "plan", "plan") as journal:
            run = RunDirectory(Path(place), {"verb": "certify"}, frozenset())
            work = _work(settings, run, judge, gathered, worlds=worlds)
            counted = cast("ProgressJudge", MadeUp(work.judge))
            replace(work, judge=counted).examine(journal, jobs=1)
        return CallPlan(len(work.subjects), standing(session), {})


def _work(
    settings: CertifySettings,
    run: RunDirectory,
    judge: ProgressJudge,
    gathered: Gathered | None,
    *,
    worlds: bool,
) -> Certifying:
    """Return what is to be examined, and by whom; films goals if they are asked for."""
    if worlds:
        require_mujoco()
        choose()
    tasks = settings.tasks or own_tasks(judge)
    if settings.goal == _WORLDS:
        write_goals(run.path / "goals", tasks)
        (judge,) = _progress_judges(with_goal([judge], run.path / "goals"))
    played = scenes(tasks, settings.seeds) if worlds else []
    return Certifying(run, judge, gathered, _subjects(gathered, played))


def own_tasks(judge: ProgressJudge) -> tuple[str, ...]:
    """Return the tasks of the worlds that a judge has learned, or else those that all are asked."""
    learned = (card_of(judge) or {}).get("tasks") or ()
    return tuple(sorted(set(learned) & set(plugins.names(_TASKS)))) or TASKS


def _jobs(settings: CertifySettings, judge: ProgressJudge) -> int | None:
    """Return how many workers there are: one, in this process, for a judge that asks a model.

    Scenes are drawn by processes, and a budget is kept by one. A judge has many questions about
    each scene under way at once, so that one worker is enough.
    """
    return 1 if asks(judge) else settings.jobs


def _judge(settings: CertifySettings) -> ProgressJudge:
    asked = settings.judge
    made = make_judge(asked, settings.options) if isinstance(asked, str) else asked
    goal = None if settings.goal in (None, _WORLDS) else Path(str(settings.goal))
    (judge,) = _progress_judges(with_goal([made], goal))
    if settings.goal == _WORLDS and not (hasattr(judge, "goal") and settings.worlds is not False):
        raise UsageError("--goal worlds is for judges that take a goal, on simulated worlds.")
    return judge


def _progress_judges(judges: Sequence[Judge]) -> list[ProgressJudge]:
    for judge in judges:
        if not isinstance(judge, ProgressJudge):
            name = type(judge).__name__
            raise UsageError(f"The judge {name} gives no progress: it can't be certified.")
    return [judge for judge in judges if isinstance(judge, ProgressJudge)]


def _with_worlds(settings: CertifySettings, judge: ProgressJudge) -> bool:
    """Tell whether worlds are used: a judge of other scenes is not asked about them unbidden."""
    if settings.worlds is not None:
        return settings.worlds
    card = card_of(judge) or {}
    foreign = "look" in card and card["look"] is None
    return not (foreign and settings.on)


def _wanted(settings: CertifySettings, judge: ProgressJudge) -> Wanted:
    return Wanted(
        tuple(map(str, settings.on)),
        signals=frozenset({"progress", "success"}) | judge.needs,
        views=settings.views,
        limit=settings.limit,
    )


def _subjects(gathered: Gathered | None, played: list[Any]) -> dict[str, Subject | Unreadable]:
    """Return everything to examine by a key that names it for good."""
    episodes = () if gathered is None else gathered.episodes
    found: dict[str, Subject | Unreadable] = {f"episode {e.id}": e for e in episodes}
    for scene in played:
        told = "/".join(str(part) for part in dataclasses.astuple(scene))
        found[f"scene {type(scene).__name__.lower()}/{told}"] = scene
    return found


def _record(settings: CertifySettings, judge: ProgressJudge, *, worlds: bool) -> dict[str, Any]:
    """Return the settings that decide the result, as plain data for run.json."""
    return {
        "judge": identify(judge),
        "goal": None if settings.goal is None else str(settings.goal),
        "on": [str(source) for source in settings.on],
        "worlds": worlds,
        "tasks": list(settings.tasks),
        "seeds": settings.seeds,
        "views": list(settings.views),
        "limit": settings.limit,
    }
