"""Run judges on a benchmark."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from assay.benchmarks.pulse.thresholds import NOISE_LEVELS
from assay.engine import Journal
from assay.errors import InputError, UnknownNameError, UsageError
from assay.jobs._describe import check_ready, describe_judge
from assay.jobs._fingerprint import fingerprint
from assay.jobs._log import logged
from assay.jobs._models import asking, asks, standing, write_usage
from assay.jobs._passports import passport_of
from assay.jobs._planning import CallPlan, planning, refuse_plan
from assay.jobs._pulse_answers import read_answers
from assay.jobs._pulse_opening import open_benchmark
from assay.jobs._pulse_running import Asking, Running
from assay.jobs._retrying import AGAIN, can_retry
from assay.jobs._rundir import RunDirectory, disk_faults, read_document
from assay.jobs.build import BENCHMARKS
from assay.judges import make_judge
from assay.judges.base import HopJudge, Judge, ProgressJudge
from assay.models.session import ModelSettings
from assay.reports.asked import mixed_notes

__all__ = ["NULLS", "BenchResult", "BenchSettings", "bench", "plan"]

NULLS = ("ramp", "constant", "random", "last-frame", "pixel-change")
"""Judges that every table has: what they get right needs no understanding."""

_MOST_NOISE = 0.99


@dataclass(frozen=True)
class BenchSettings:
    """Which judges to run and how.

    Attributes:
        out: The run directory.
        benchmark: What the folder holds: "pulse".
        judges: Judges by the name that the table gives them; a list of names will do.
        answers: Recorded answers (csv, jsonl, parquet: item, answer) by name.
        noise: Shares of noise in the pictures; 0 is always among them.
        limit: Take only so many episodes, for a quick look.
        jobs: Workers; None takes one a core.
        seed: Decides the noise and the resampling of the intervals.
        by_curve: Whether judges that score pairs, too, answer by their curves as all others do: a
            judge with and one without a goal are then asked the same.
        retry: Whether what is not ok in a finished run is asked again.
        models: How models are asked, by judges that ask one; None takes the session that is open
            in this process, else the defaults.
    """

    out: Path | str
    benchmark: str = "pulse"
    judges: Mapping[str, str | Judge] | Sequence[str | Judge] = ()
    answers: Mapping[str, Path] | Sequence[Path] = ()
    noise: tuple[float, ...] = (NOISE_LEVELS[0],)
    limit: int | None = None
    jobs: int | None = None
    seed: int = 0
    by_curve: bool = False
    retry: bool = False
    models: ModelSettings | None = None

    def __post_init__(self) -> None:
        """Refuse what can't be meant, before anything is read."""
        if self.benchmark not in BENCHMARKS:
            raise UnknownNameError("benchmark", self.benchmark, BENCHMARKS)
        for share in self.noise:
            if not (math.isfinite(share) and 0 <= share <= _MOST_NOISE):
                raise UsageError(f"--noise takes shares from 0 to {_MOST_NOISE}, not {share:g}.")
        for option, value in (("--limit", self.limit), ("--jobs", self.jobs)):
            if value is not None and value < 1:
                raise UsageError(f"{option} must be at least 1, not {value}.")
        if self.seed < 0:
            raise UsageError(f"--seed must be 0 or more, not {self.seed}.")


@dataclass(frozen=True)
class BenchResult:
    """A finished run of judges.

    Attributes:
        out: The run directory; `index.html` is the report.
        document: What `bench.json` holds.
    """

    out: Path
    document: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Return `bench.json` to the letter."""
        return (self.out / "bench.json").read_text(encoding="utf-8")

    @property
    def usage(self) -> Mapping[str, Any] | None:
        """Return what the command that made the run asked of models; None if it asked nothing."""
        path = self.out / "usage.json"
        return read_document(path) if path.is_file() else None

    @property
    def ok(self) -> bool:
        """Tell whether every judge that was asked for answered every item."""
        return not self._silent()

    def problems(self) -> list[str]:
        """Return a sentence on each judge that left items unanswered, and on mixed revisions."""
        found = [
            f"{judge['name']}: no valid answer to {judge['counts']['invalid']} of"
            f" {self.document['items']} items{_first(judge)}."
            for judge in self._silent()
        ]
        again = [AGAIN] if found and can_retry(self.out) else []
        return [*found, *again, *mixed_notes(self.document)]

    def _silent(self) -> list[Mapping[str, Any]]:
        asked = [judge for judge in self.document["judges"] if not judge["null"]]
        return [judge for judge in asked if judge["counts"]["invalid"]]


def _first(judge: Mapping[str, Any]) -> str:
    trouble = judge["trouble"]
    return f", the first in {trouble[0]['episode']}: {trouble[0]['detail']}" if trouble else ""


def bench(folder: Path | str, settings: BenchSettings) -> BenchResult:
    """Let judges answer the items of a built benchmark, and write the run directory.

    The null judges are always run beside them. Takes up an unfinished run in the same directory,
    and does nothing if it is finished, unless `retry` is set and something in it is not ok.

    Args:
        folder: What `build` wrote.
        settings: Which judges, and how.

    Raises:
        InputError: There is no benchmark, or its episodes have changed since it was built.
    """
    refuse_plan(settings.models)
    judges = _judges(settings)
    recorded = _recorded(settings, judges)
    with asking(judges.values(), settings.models) as session, logged() as log:
        _check(judges)
        opened = open_benchmark(Path(folder), _needs(judges), settings.limit)
        names = [item.item for item in opened.items]
        answers = {name: read_answers(path, names) for name, path in recorded.items()}
        record = _record(folder, settings, judges, recorded)
        document = {
            "verb": "bench",
            "seed": settings.seed,
            "settings": record,
            "fingerprints": opened.fingerprints,
        }
        # A passport that can't be read is told before any judge is asked.
        passports = {name: passport_of(judge, use="bench") for name, judge in judges.items()}
        run = RunDirectory.open(Path(settings.out), document, frozenset(record))
        if run.finished and not (settings.retry and can_retry(run.path)):
            return BenchResult(run.path, read_document(run.result))
        with disk_faults(run.path):
            log.open(run.path)
            how = _how(settings)
            running = Running(run, opened, judges, NULLS, answers, how, passports, session)
            before = standing(session)
            done = running.do(settings.jobs)
            write_usage(run.path / "usage.json", session, before)
            return BenchResult(run.path, done)


def plan(folder: Path | str, settings: BenchSettings) -> CallPlan:
    """Count what judges would ask of models; send and write nothing.

    Args:
        folder: What `build` wrote.
        settings: Which judges, and how.
    """
    judges = {name: judge for name, judge in _judges(settings).items() if asks(judge)}
    with asking(judges.values(), planning(settings.models)) as session:
        _check(judges)
        opened = open_benchmark(Path(folder), _needs(judges), settings.limit)
        with TemporaryDirectory() as place, Journal(Path(place) / "plan", "plan") as journal:
            run = RunDirectory(Path(place), {"verb": "bench"}, frozenset())
            Running(run, opened, judges, (), {}, _how(settings)).ask(journal, settings.jobs)
        return CallPlan(len(opened.episodes), standing(session), {})


def _check(judges: Mapping[str, Judge]) -> None:
    for judge in judges.values():
        check_ready(judge)


def _judges(settings: BenchSettings) -> dict[str, Judge]:
    """Return the judges by name: those asked for, then the null judges that were not."""
    asked = settings.judges
    pairs = asked.items() if isinstance(asked, Mapping) else ((None, one) for one in asked)
    found: dict[str, Judge] = {}
    for label, one in pairs:
        judge = make_judge(one) if isinstance(one, str) else one
        name = label or describe_judge(judge)["name"]
        if not isinstance(judge, ProgressJudge | HopJudge):
            raise UsageError(f"The judge {name} gives neither progress nor hops: it can't answer.")
        if name in found:
            raise UsageError(f"The judge {name} was asked for twice: give each a LABEL=.")
        if name in NULLS and type(judge) is not type(make_judge(name)):
            raise UsageError(f"{name} is the name of a null judge: give another LABEL=.")
        found[name] = judge
    return found | {name: make_judge(name) for name in NULLS if name not in found}


def _recorded(settings: BenchSettings, judges: Mapping[str, Judge]) -> dict[str, Path]:
    """Return the files of recorded answers by name, which no judge may have."""
    given = settings.answers
    pairs = given.items() if isinstance(given, Mapping) else ((path.stem, path) for path in given)
    found: dict[str, Path] = {}
    for name, path in pairs:
        if name in found or name in judges:
            raise UsageError(f"The answers {path} are called {name!r}, as another judge is.")
        if not Path(path).is_file():
            raise InputError("there is no such file of answers.", path)
        found[name] = Path(path)
    return found


def _needs(judges: Mapping[str, Judge]) -> frozenset[str]:
    return frozenset({"progress"}).union(*(judge.needs for judge in judges.values()))


def _levels(settings: BenchSettings) -> tuple[float, ...]:
    return tuple(sorted({0.0, *settings.noise}))


def _how(settings: BenchSettings) -> Asking:
    return Asking(_levels(settings), settings.seed, settings.by_curve)


def _record(
    folder: Path | str,
    settings: BenchSettings,
    judges: Mapping[str, Judge],
    recorded: Mapping[str, Path],
) -> dict[str, Any]:
    """Return the settings that decide the result, as plain data for run.json."""
    return {
        "folder": str(folder),
        "benchmark": settings.benchmark,
        "judges": {name: describe_judge(judge) for name, judge in judges.items()},
        "answers": {name: fingerprint(path) for name, path in recorded.items()},
        "noise": list(_levels(settings)),
        "limit": settings.limit,
        "seed": settings.seed,
        **({"by_curve": True} if settings.by_curve else {}),
    }
