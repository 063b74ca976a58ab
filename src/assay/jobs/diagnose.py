"""Diagnose clips: what is wrong in each, when, how bad, and says who."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from assay.errors import UsageError
from assay.jobs._describe import check_ready, describe_judge
from assay.jobs._diagnose_files import read_examined
from assay.jobs._diagnose_units import decode, worker
from assay.jobs._diagnosing import Diagnosing
from assay.jobs._fail_on import Rule, rule_of
from assay.jobs._inputs import Wanted, gather, refuse_out_inside
from assay.jobs._log import logged
from assay.jobs._models import asking, asks
from assay.jobs._planning import CallPlan, planning, refuse_plan
from assay.jobs._rundir import RunDirectory, disk_faults, read_document
from assay.judges import make_judge
from assay.judges.base import Diagnoses, Judge
from assay.models.session import ModelSettings
from assay.records import Unreadable
from assay.reports import words
from assay.reports.asked import mixed_notes

__all__ = ["DiagnoseResult", "DiagnoseSettings", "diagnose", "plan"]

_JUDGING = frozenset({"sources", "judge", "labels", "task_map", "views", "limit"})
_NAMED = 5  # clips in a sentence


@dataclass(frozen=True)
class DiagnoseSettings:
    """What to diagnose and how.

    Attributes:
        out: The run directory.
        judge: A judge that diagnoses, or the name of one.
        options: The judge's options, when it is given by name.
        labels: csv that overrides task, policy, scene and instruction by clip.
        task_map: csv that renames tasks.
        views: The views to use; empty takes all.
        limit: How many clips to take from each source.
        fail_on: Rules such as "severity>=4"; a clip with such an event makes the run not ok.
        trust_pickles: Whether pickles of the sources may be opened.
        jobs: Workers; None takes one a core.
        video: Whether pages link to, copy or leave out the videos.
        retry: Whether clips of a finished run that are not ok are examined again.
        models: How models are asked; None takes the session that is open in this process, else the
            defaults.
    """

    out: Path | str
    judge: str | Judge
    options: Mapping[str, Any] = field(default_factory=dict)
    labels: Path | None = None
    task_map: Path | None = None
    views: tuple[str, ...] = ()
    limit: int | None = None
    fail_on: tuple[str, ...] = ()
    trust_pickles: bool = False
    jobs: int | None = None
    video: Literal["link", "copy", "none"] = "link"
    retry: bool = False
    models: ModelSettings | None = None

    def __post_init__(self) -> None:
        """Refuse what can't be meant, before anything is read."""
        for name, value in (("--limit", self.limit), ("--jobs", self.jobs)):
            if value is not None and value < 1:
                raise UsageError(f"{name} must be at least 1, not {value}.")
        self.rules()

    def rules(self) -> list[Rule]:
        """Return what makes the run fail."""
        return [rule_of(text) for text in self.fail_on]


@dataclass(frozen=True)
class DiagnoseResult:
    """A finished diagnosis.

    Attributes:
        out: The run directory; `index.html` is the report, `reports.jsonl` its events.
        document: What `diagnose.json` holds.
    """

    out: Path
    document: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Return `diagnose.json` to the letter."""
        return (self.out / "diagnose.json").read_text(encoding="utf-8")

    @property
    def usage(self) -> Mapping[str, Any] | None:
        """Return what the command that made the run asked of models; None if it asked nothing."""
        path = self.out / "usage.json"
        return read_document(path) if path.is_file() else None

    @property
    def ok(self) -> bool:
        """Tell whether every clip was examined and none breaks a rule of `fail_on`."""
        broken = any(rule["clips"] for rule in self.document["failing"])
        return set(self.document["status"]) == {"ok"} and not broken

    def problems(self) -> list[str]:
        """Return a sentence on each kind of trouble, and on each rule that clips break."""
        count = self.document["clips"]
        told = [
            f"{rule['rule']}: {len(rule['clips'])} of {count} clips:"
            f" {words.some(rule['clips'], _NAMED)}."
            for rule in self.document["failing"]
            if rule["clips"]
        ]
        if bad := self.document["invalid"]:
            listed = ", ".join(f"{reason} {n}" for reason, n in bad.items())
            told.append(f"Events that can't be meant were left out of the reports: {listed}.")
        if left := self.document["unasked"]:
            listed = ", ".join(f"{name} {n}" for name, n in left.items())
            told.append(f"Not looked for, for want of an instruction or of eyes: {listed} clips.")
        return [*self._unexamined(count), *told, *mixed_notes(self.document)]

    def _unexamined(self, count: int) -> list[str]:
        if set(self.document["status"]) <= {"ok"}:
            return []
        troubled: dict[str, list[tuple[str, str]]] = {}
        for name, one in read_examined(self.out, self.document["judge"]["name"]).items():
            judged = one.found.judged
            if judged.status != "ok":
                troubled.setdefault(judged.status, []).append((name, judged.detail))
        return [
            f"Not examined, {status}: {len(found)} of {count} clips,"
            f" the first is {found[0][0]}: {found[0][1]}"
            for status, found in sorted(troubled.items())
        ]


def diagnose(sources: Sequence[str | Path], settings: DiagnoseSettings) -> DiagnoseResult:
    """Look for faults in the clips of `sources` and write the run directory.

    Takes up an unfinished run in the same directory, and does nothing if it is finished. When only
    the rules of `fail_on` or the videos have changed, nothing is examined again.

    Args:
        sources: `[LABEL=]PATH` texts or paths; LABEL names the generator or policy.
        settings: What to do with them.
    """
    judge = _made(settings)
    refuse_plan(settings.models)
    refuse_out_inside(sources, Path(settings.out))
    with asking([judge], settings.models) as session, logged() as log:
        if not (_is_settled(settings) and asks(judge)):
            check_ready(judge)
        gathered = gather(_wanted(sources, settings, judge))
        run = RunDirectory.open(
            Path(settings.out),
            {
                "verb": "diagnose",
                "seed": 0,
                "settings": _record(sources, settings, judge),
                "fingerprints": gathered.fingerprints,
            },
            _JUDGING,
        )
        if run.finished and not settings.retry:
            return DiagnoseResult(run.path, read_document(run.result))
        with disk_faults(run.path):
            log.open(run.path)
            work = Diagnosing(run, gathered, judge, settings.rules(), settings.video, session)
            return DiagnoseResult(run.path, work.do(settings.jobs, retry=settings.retry))


def plan(sources: Sequence[str | Path], settings: DiagnoseSettings) -> CallPlan:
    """Count what diagnosing the clips of `sources` would ask of models; send and write nothing.

    Where one answer leads to the next question, a judge supposes what it would be.

    Args:
        sources: `[LABEL=]PATH` texts or paths.
        settings: What would be done with them.
    """
    judge = _made(settings)
    with asking([judge], planning(settings.models)) as session:
        if session is None:
            return CallPlan(0, {}, {})
        check_ready(judge)
        clips = gather(_wanted(sources, settings, judge)).episodes
        examine = worker(judge)()
        silent: Counter[str] = Counter()
        for clip in clips:
            if isinstance(clip, Unreadable):
                silent[clip.status] += 1
            else:
                found = decode(examine(clip))
                if not found.calls:
                    silent[found.found.judged.status] += 1
        return CallPlan(len(clips), session.usage(), dict(sorted(silent.items())))


def _made(settings: DiagnoseSettings) -> Diagnoses:
    one = settings.judge
    judge = make_judge(one, settings.options) if isinstance(one, str) else one
    if not isinstance(judge, Diagnoses):
        name = describe_judge(judge)["name"]
        raise UsageError(
            f"The judge {name} finds no events: it can't diagnose. Judges that do: see"
            " `assay list judges`, such as instruments and gaze."
        )
    return judge


def _is_settled(settings: DiagnoseSettings) -> bool:
    """Tell whether all is examined already, so that no model need be there."""
    out = Path(settings.out)
    ended = (out / "diagnose.json").is_file() and not (out / "journal.sqlite").exists()
    return ended and not settings.retry


def _wanted(sources: Sequence[str | Path], settings: DiagnoseSettings, judge: Diagnoses) -> Wanted:
    return Wanted(
        tuple(map(str, sources)),
        # What a judge may look at beside what it needs; one that does not say may look at all.
        signals=judge.needs | getattr(judge, "takes", frozenset({"*"})),
        labels=settings.labels,
        task_map=settings.task_map,
        views=settings.views,
        limit=settings.limit,
        trust_pickles=settings.trust_pickles,
    )


def _record(
    sources: Sequence[str | Path], settings: DiagnoseSettings, judge: Diagnoses
) -> dict[str, Any]:
    """Return the settings that decide the result, as plain data for run.json."""
    return {
        "sources": [str(source) for source in sources],
        "judge": describe_judge(judge),
        "labels": None if settings.labels is None else str(settings.labels),
        "task_map": None if settings.task_map is None else str(settings.task_map),
        "views": list(settings.views),
        "limit": settings.limit,
        "fail_on": [str(rule) for rule in settings.rules()],
        "video": settings.video,
    }
