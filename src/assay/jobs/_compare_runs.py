"""The finished audits that a comparison reads: each judge of each run, with its curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.episodes.catalogue import Source
from assay.errors import RunError, UsageError
from assay.jobs._tables import read_scored
from assay.jobs._units import Scored
from assay.jobs.audit import AuditResult
from assay.jobs.bench import NULLS
from assay.jobs.show import load
from assay.metrics.gaps import Fill, fill_gaps
from assay.records import Floats

__all__ = ["Audited", "JudgeOfRun", "open_runs"]


@dataclass(frozen=True)
class JudgeOfRun:
    """One judge of one run.

    Attributes:
        setting: What the run is called; "" when there is but one and it has no label.
        judge: The judge's name.
        options: The judge's options that are set.
        scored: What it made of each episode.
        fill: How the run filled unscored moments, or None.
        passport: What the audit says of its passport; None without one.
    """

    setting: str
    judge: str
    options: Mapping[str, Any]
    scored: Mapping[str, Scored]
    fill: Fill | None
    passport: Mapping[str, Any] | None

    @property
    def is_null(self) -> bool:
        """Tell whether the judge needs no understanding."""
        return self.judge in NULLS

    def values(self, episode: str) -> Floats:
        """Return its curve of an episode, with gaps filled where the run did so."""
        curve = self.scored[episode].curve
        if self.fill is None:
            return curve.values
        return fill_gaps(curve.times, curve.values, self.fill)


@dataclass(frozen=True)
class Audited:
    """One finished audit.

    Attributes:
        setting: As in `JudgeOfRun`.
        path: The run directory.
        groups: Task and policy by episode.
        judges: Its judges, the main one first.
    """

    setting: str
    path: Path
    groups: Mapping[str, tuple[str, str]]
    judges: tuple[JudgeOfRun, ...]


def open_runs(runs: Sequence[str | Path]) -> list[Audited]:
    """Open finished audits, given as `[LABEL=]RUN`.

    Raises:
        RunError: One is no run, not finished, or no audit.
        UsageError: None is given, or two have the same name.
    """
    sources = [Source.parse(str(run)) for run in runs]
    if not sources:
        raise UsageError("There is nothing to compare: give at least one finished audit.")
    found: dict[str, Audited] = {}
    for source in sources:
        name = source.label or (source.path.absolute().name if len(sources) > 1 else "")
        if name in found:
            raise UsageError(f"Two runs are called {name!r}: give each a LABEL=.")
        found[name] = _open(name, source.path)
    return list(found.values())


def _open(setting: str, path: Path) -> Audited:
    result = load(path)
    if not isinstance(result, AuditResult):
        verb = getattr(result, "verb", "rollout")
        raise RunError(f"{path} holds a run of {verb!r}: compare takes runs of assay audit.")
    document = result.document
    described = [document["judge"], *(one["judge"] for one in document.get("beside") or ())]
    scored = read_scored(path)
    judges = tuple(
        JudgeOfRun(
            setting,
            judge["name"],
            {k: v for k, v in judge["settings"].items() if v not in (None, "", [], {}, False)},
            scored.get(judge["name"], {}),
            document["settings"].get("fill"),
            judge.get("passport"),
        )
        for judge in described
    )
    return Audited(setting, path, _groups(path), judges)


def _groups(path: Path) -> dict[str, tuple[str, str]]:
    import pyarrow.parquet as pq

    columns = ["episode", "task", "policy"]
    table = pq.read_table(path / "episodes.parquet", columns=columns)
    return {row["episode"]: (row["task"], row["policy"]) for row in table.to_pylist()}
