"""The episodes of finished audits as a comparison of policies sees them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.benchmarks.passport.identity import difference
from assay.episodes.catalogue import Source
from assay.errors import InputError, RunError, UsageError
from assay.jobs._rundir import read_document
from assay.jobs.audit import AuditResult
from assay.jobs.show import OtherResult, load

__all__ = ["Case", "Judges", "Run", "cases_of", "judges_of", "open_audits"]

_CHECKPOINT = "/"
_DIAGNOSE = "diagnose"
_PLAIN = "plain"  # how the scene of a world ends when nothing was changed in it
_UNCHANGED = frozenset({"", "none", _PLAIN})


@dataclass(frozen=True)
class Run:
    """One finished audit, or diagnosis.

    Attributes:
        path: The run directory.
        policy: What its policy is called here; "" keeps the names that the run has.
        checkpoint: Which training of the policy acted; "" when nothing was said.
        document: What `audit.json` or `diagnose.json` holds.
        prints: Fingerprints of the data by path, from `run.json`.
    """

    path: Path
    policy: str
    checkpoint: str
    document: Mapping[str, Any]
    prints: Mapping[str, str]

    @property
    def judge(self) -> Mapping[str, Any]:
        """Return its main judge."""
        judge: Mapping[str, Any] = self.document["judge"]
        return judge

    @property
    def is_audit(self) -> bool:
        """Tell whether it has curves and cells, and not events."""
        return "cells" in self.document

    @property
    def result(self) -> Path:
        """Return where the document stands."""
        return self.path / ("audit.json" if self.is_audit else f"{_DIAGNOSE}.json")


@dataclass(frozen=True)
class Case:
    """One episode.

    Attributes:
        episode: Its id.
        policy: Who acted.
        checkpoint: Which training of the policy; "" when nothing was said.
        task: The task.
        scene: What policies share when they are compared pair by pair, or None.
        perturbation: What was changed in the scene; "" for nothing.
        status: Of the judge; "ok" when it is scored.
        row: The columns of `episodes.parquet`.
    """

    episode: str
    policy: str
    checkpoint: str
    task: str
    scene: str | None
    perturbation: str
    status: str
    row: Mapping[str, Any]

    @property
    def condition(self) -> str:
        """Return what is compared with its like alone: the task, and what was changed in it."""
        return f"{self.task} ({self.perturbation})" if self.perturbation else self.task

    @property
    def control(self) -> str | None:
        """Return the scene without what was changed in it, by its task; None without a scene.

        The scenes of worlds end in the perturbation, or in "plain"; others share the name.
        """
        if self.scene is None:
            return None
        scene = self.scene
        if self.perturbation and scene.endswith(f"/{self.perturbation}"):
            scene = f"{scene.removesuffix(self.perturbation)}{_PLAIN}"
        return f"{self.task}: {scene}"


@dataclass(frozen=True)
class Judges:
    """Who judged.

    Attributes:
        name: One judge, or several in words.
        differ: How they differ; "" when they don't.
        described: Each judge as its audit describes it, by the name that a report gives it.
    """

    name: str
    differ: str
    described: Mapping[str, Mapping[str, Any]]


def open_audits(runs: Sequence[str | Path], *, diagnoses: bool = False) -> list[Run]:
    """Open finished audits, given as `[POLICY[/CHECKPOINT]=]RUN`.

    Args:
        runs: Where they are.
        diagnoses: Whether diagnoses will do, too.

    Raises:
        RunError: One is no run, not finished, or no audit.
        InputError: Two of them read the same path, and what it holds has changed in between.
        UsageError: None is given, or one twice.
    """
    if not runs:
        raise UsageError("There is nothing to compare: give at least one finished audit.")
    found = [_open(Source.parse(str(run)), diagnoses=diagnoses) for run in runs]
    seen: dict[Path, str] = {}
    for run in found:
        place = run.path.resolve()
        if place in seen:
            raise UsageError(f"The run {run.path} is given twice.")
        seen[place] = str(run.path)
    _refuse_changed_data(found)
    return found


def _open(source: Source, *, diagnoses: bool) -> Run:
    result = load(source.path)
    diagnosed = isinstance(result, OtherResult) and result.verb == _DIAGNOSE
    if not (isinstance(result, AuditResult) or (diagnoses and diagnosed)):
        verb = getattr(result, "verb", "rollout")
        taken = "assay audit or assay diagnose" if diagnoses else "assay audit"
        raise RunError(f"{source.path} holds a run of {verb!r}: compare takes runs of {taken}.")
    policy, _, checkpoint = (source.label or "").partition(_CHECKPOINT)
    prints = read_document(source.path / "run.json").get("fingerprints") or {}
    return Run(source.path, policy, checkpoint, result.document, prints)


def _refuse_changed_data(runs: Sequence[Run]) -> None:
    known: dict[str, tuple[str, Path]] = {}
    for run in runs:
        for path, printed in run.prints.items():
            before = known.setdefault(path, (printed, run.path))
            if before[0] != printed:
                raise InputError(
                    f"has changed between {before[1]} and {run.path}, which both judged it:"
                    " audit it again.",
                    Path(path),
                )


def judges_of(runs: Sequence[Run], *, across: bool) -> Judges:
    """Return who judged the runs.

    Raises:
        UsageError: They were judged by different judges, and nobody allowed that.
    """
    first, *others = runs
    for run in others:
        apart = _apart(first.judge, run.judge)
        if not apart:
            continue
        if not across:
            raise UsageError(
                f"{first.path} and {run.path} were judged by different judges ({apart}), so that a"
                " difference could be theirs: --across-judges compares them all the same."
            )
        names = dict.fromkeys(str(one.judge["name"]) for one in runs)
        told = {f"{one.judge['name']} in {one.path}": one.judge for one in runs}
        return Judges(" and ".join(names), apart, told)
    return Judges(str(first.judge["name"]), "", {str(first.judge["name"]): first.judge})


def _apart(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Say how two judges differ; empty when they don't."""
    if one["name"] != other["name"]:
        return f"{one['name']} and {other['name']}"
    return difference(one, other)


def cases_of(runs: Sequence[Run]) -> list[Case]:
    """Return the episodes of all runs, by run and id.

    Raises:
        UsageError: A label would give several policies one name, or an episode is there twice.
    """
    found: list[Case] = []
    seen: dict[tuple[str, str, str], Path] = {}
    for run in runs:
        for case in _cases(run):
            key = (case.policy, case.checkpoint, case.episode)
            if key in seen:
                raise UsageError(
                    f"The episode {case.episode!r} of {case.policy} is in {seen[key]} and in"
                    f" {run.path}: name each policy once, or its trainings as POLICY/1=RUN."
                )
            seen[key] = run.path
            found.append(case)
    return found


def _cases(run: Run) -> Iterator[Case]:
    import pyarrow.parquet as pq

    main = run.judge["name"]
    rows = pq.read_table(run.path / "episodes.parquet").to_pylist()
    own = [row for row in rows if row["judge"] == main]
    policies = sorted({row["policy"] for row in own})
    if run.policy and len(policies) > 1:
        raise UsageError(
            f"{run.path} holds {len(policies)} policies ({', '.join(policies[:3])}...): the label"
            f" {run.policy!r} would make one of them; leave it out, or say /CHECKPOINT=RUN."
        )
    for row in own:
        changed = row["perturbation"] or ""
        yield Case(
            row["episode"],
            run.policy or row["policy"],
            run.checkpoint,
            row["task"],
            row["scene"],
            "" if changed in _UNCHANGED else changed,
            row["status"],
            row,
        )
