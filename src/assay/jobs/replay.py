"""Score a finished audit again, from stored answers alone: nothing is asked of any model."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import RunError
from assay.jobs._calls import read_recall
from assay.jobs._recorded import Recorded, read_recorded, remade
from assay.jobs._tables import read_scored
from assay.jobs._units import Scored
from assay.jobs.audit import AuditResult, AuditSettings, audit
from assay.judges.base import Judge
from assay.models.session import ModelSettings, opened

__all__ = ["ReplayResult", "ReplaySettings", "replay"]


@dataclass(frozen=True)
class ReplaySettings:
    """What to score again.

    Attributes:
        out: The new run directory; None puts it beside the run, with "-replay" after its name.
        ledger: Where the answers are; None takes the place that the run names, else the default.
        options: Options of the main judge that are to differ, such as how hops are joined.
        sources: Where the episodes are now, `[LABEL=]PATH`; empty takes the run's.
        trust_pickles: Whether pickles of the sources may be opened; a run can't say so.
        jobs: Workers; None takes one a core.
    """

    out: Path | None = None
    ledger: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    trust_pickles: bool = False
    jobs: int | None = None


@dataclass(frozen=True)
class ReplayResult(AuditResult):
    """A finished audit that was made from another one.

    Attributes:
        run: The run that was scored again.
        compared: How many curves both have.
        differing: Which of them are not the same, as "judge: episode".
        moved: Whether the episodes are no longer those of the run, to the byte.
    """

    run: Path
    compared: int
    differing: tuple[str, ...]
    moved: bool

    def problems(self) -> list[str]:
        """Return what `AuditResult.problems` says, then how this differs from the run."""
        same = self.compared - len(self.differing)
        told = f"The same as in {self.run}: {same} of {self.compared} curves"
        if self.differing:
            told += f", the first that differs is {self.differing[0]}"
        moved = [f"The episodes have changed since {self.run} was judged."] if self.moved else []
        return [*super().problems(), *moved, f"{told}."]


def replay(run: Path, settings: ReplaySettings | None = None) -> ReplayResult:
    """Judge the episodes of a finished audit again, with no call at all, and write a new run.

    The run itself stays as it is. Each answer is that of the revision that the run recorded,
    whatever is pinned now. What the ledger does not hold gets the status "transport".

    Args:
        run: The directory of a finished audit.
        settings: What is to differ.

    Raises:
        RunError: There is no finished audit there.
        UsageError: Its judge is code of the user's own, which no run file can call.
    """
    chosen = settings or ReplaySettings()
    recorded = read_recorded(run)
    main = remade(recorded.settings.judge, run, chosen.options)
    beside = tuple(remade(judge, run, {}) for judge in recorded.settings.beside)
    out = chosen.out or run.resolve().with_name(f"{run.resolve().name}-replay")
    if out.resolve() == run.resolve():
        raise RunError(f"--out {out} is the run itself: choose another folder.")
    sources = chosen.sources or recorded.settings.sources
    with _answers(run, recorded, chosen.ledger, (main, *beside)):
        done = audit(sources, _settings(recorded, out, main, beside, chosen))
    compared, differing = _compare(read_scored(run), read_scored(out))
    now = read_recorded(out).fingerprints.values()
    moved = sorted(now) != sorted(recorded.fingerprints.values())
    return ReplayResult(done.out, done.document, run, compared, differing, moved)


@contextmanager
def _answers(
    run: Path, recorded: Recorded, ledger: Path | None, judges: tuple[Judge, ...]
) -> Iterator[None]:
    """Let judges that ask a model find the run's answers in the ledger, and nothing else."""
    if all(judge.bound == "cpu" for judge in judges):
        yield
        return
    place = ledger or recorded.settings.ledger
    with opened(ModelSettings(ledger=place, offline=True)) as session:
        session.recall(read_recall(run / "calls.parquet"))
        yield


def _settings(
    recorded: Recorded, out: Path, main: Judge, beside: tuple[Judge, ...], chosen: ReplaySettings
) -> AuditSettings:
    """Return the settings of the run, with its judges made anew."""
    own = recorded.settings
    names = {f.name for f in dataclasses.fields(AuditSettings)} & set(type(own).model_fields)
    same = {name: getattr(own, name) for name in names - {"judge", "beside", "note"}}
    return AuditSettings(
        out=out,
        judge=main,
        beside=beside,
        **same,
        trust_pickles=chosen.trust_pickles,
        jobs=chosen.jobs,
        retry=True,  # what a fuller ledger may answer now
        note="Scored again from stored answers; no model was asked.",
    )


def _compare(
    before: Mapping[str, Mapping[str, Scored]], after: Mapping[str, Mapping[str, Scored]]
) -> tuple[int, tuple[str, ...]]:
    """Return how many curves both have, and which of them differ."""
    both = [
        (judge, episode)
        for judge in sorted(before.keys() & after.keys())
        for episode in sorted(before[judge].keys() & after[judge].keys())
    ]
    differing = [
        f"{judge}: {episode}"
        for judge, episode in both
        if not _same(before[judge][episode], after[judge][episode])
    ]
    return len(both), tuple(differing)


def _same(a: Scored, b: Scored) -> bool:
    return (
        a.status == b.status
        and np.array_equal(a.curve.times, b.curve.times)
        and np.array_equal(a.curve.values, b.curve.values, equal_nan=True)
        and np.array_equal(a.curve.status, b.curve.status)
    )
