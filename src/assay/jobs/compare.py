"""Compare finished audits: policies, their judges with people, or simulation with reality."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.episodes.human import SCALES
from assay.errors import UnknownNameError, UsageError
from assay.jobs._compare_arms import PAIRINGS, Pairing
from assay.jobs._compare_duels import How
from assay.jobs._compare_human import WithPeople, people_problems
from assay.jobs._compare_points import SCORES
from assay.jobs._compare_policies import BetweenPolicies, policy_problems
from assay.jobs._compare_real import SimAgainstReal, real_problems
from assay.jobs._log import logged
from assay.jobs._rundir import RunDirectory, disk_faults, dump_json, read_document, write_file
from assay.metrics.strata import Weighting

__all__ = ["CompareResult", "CompareSettings", "compare"]

_LEVEL = 0.95
_SCORE = "last30"


@dataclass(frozen=True)
class CompareSettings:
    """What to compare with, and how.

    Attributes:
        out: The run directory.
        human: Scores that people gave (csv, jsonl, parquet: episode, score, rater, time). With
            them judges are compared with people, without them policies with each other.
        scale: What people call a finished task: 100 or 1; None reads it off the scores.
        score: How a curve becomes the score of its episode: "last30", "end" or "max".
        seed: Decides resampling and permutations.
        metrics: What policies are compared by: columns of `episodes.parquet`, or shares such as
            "mc@75"; empty takes MP, and success at the end where there are labels.
        across_judges: Whether runs of different judges may be compared.
        pair: "scene" compares scene by scene, "none" task by task, and "auto" scene by scene when
            most scenes are common.
        level: The wanted coverage of intervals, and 1 less the level of the tests.
        weights: Whether tasks count the same ("equal") or by their episodes ("size").
        real: Finished audits of real episodes, as the runs are given; the runs themselves are then
            those of simulation.
    """

    out: Path | str
    human: Path | str | None = None
    scale: int | None = None
    score: str = _SCORE
    seed: int = 0
    metrics: tuple[str, ...] = ()
    across_judges: bool = False
    pair: Pairing = "auto"
    level: float = _LEVEL
    weights: Weighting = "equal"
    real: tuple[str | Path, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what can't be meant, before anything is read."""
        if self.metrics and self.human is not None:
            raise UsageError(
                "Choose one: --metric compares policies with each other, and --human compares"
                " judges with people."
            )
        self._check_real()
        if self.human is None and (self.scale is not None or self.score != _SCORE):
            raise UsageError("--scale and --score go with people's scores: give --human FILE.")
        plain = (self.across_judges, self.pair, self.level) == (False, "auto", _LEVEL)
        if self.human is not None and not plain:
            raise UsageError("--across-judges, --pair and --level don't go with --human.")
        if self.scale is not None and self.scale not in SCALES:
            raise UsageError(f"--scale is 100 or 1, not {self.scale:g}.")
        if self.score not in SCORES:
            raise UnknownNameError("way to --score", self.score, SCORES)
        if self.pair not in PAIRINGS:
            raise UnknownNameError("way to --pair", self.pair, PAIRINGS)
        if self.weights not in {"equal", "size"}:
            raise UnknownNameError("weights", self.weights, ("equal", "size"))
        if not 0.5 <= self.level < 1:
            raise UsageError(f"--level is a share from 0.5 to below 1, not {self.level:g}.")
        if self.seed < 0:
            raise UsageError(f"--seed must be 0 or more, not {self.seed}.")

    def _check_real(self) -> None:
        if self.real and self.human is not None:
            raise UsageError(
                "Choose one: --human compares judges with people, and --real compares simulation"
                " with reality."
            )
        if self.real and (self.pair, self.weights) != ("auto", "equal"):
            raise UsageError(
                "--pair and weights don't go with --real: a simulated episode has no real twin."
            )


@dataclass(frozen=True)
class CompareResult:
    """A finished comparison.

    Attributes:
        out: The run directory; `index.html` is the report.
        document: What `compare.json` holds.
    """

    out: Path
    document: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Return `compare.json` to the letter."""
        return (self.out / "compare.json").read_text(encoding="utf-8")

    @property
    def ok(self) -> bool:
        """Tell whether everything was scored, and all that people scored was found."""
        return not self.problems()

    def problems(self) -> list[str]:
        """Return a sentence on each thing that was left out."""
        told = {"human": people_problems, "sim-real": real_problems}
        return told.get(self.document["kind"], policy_problems)(self.document)


def compare(runs: Sequence[str | Path], settings: CompareSettings) -> CompareResult:
    """Compare finished audits, and write the run directory.

    Does nothing if the directory holds this comparison, finished.

    Args:
        runs: Finished audits, as `[LABEL=]RUN` texts or paths. Among policies a label is
            `POLICY[/CHECKPOINT]`; against people it names the input setting.
        settings: What to compare with, and how.

    Raises:
        InputError: A file can't be used, or belongs to no episode of the runs.
        RunError: A run is not finished, or no audit.
        UsageError: The runs can't be compared as asked.
    """
    with logged() as log:
        part = _open(runs, settings)
        record = _record(runs, settings)
        document = {
            "verb": "compare",
            "seed": settings.seed,
            "settings": record,
            "fingerprints": part.fingerprints(),
        }
        run = RunDirectory.open(Path(settings.out), document, frozenset(record))
        if not run.finished:
            with disk_faults(run.path):
                log.open(run.path)
                write_file(run.result, dump_json(part.write(run.path, run.document["settings"])))
        return CompareResult(run.path, read_document(run.result))


def _open(
    runs: Sequence[str | Path], settings: CompareSettings
) -> WithPeople | BetweenPolicies | SimAgainstReal:
    if settings.human is not None:
        return WithPeople.open(runs, Path(settings.human), settings.scale)
    if settings.real:
        return SimAgainstReal.open(
            runs,
            settings.real,
            settings.metrics,
            across_judges=settings.across_judges,
            level=settings.level,
            seed=settings.seed,
        )
    return BetweenPolicies.open(
        runs,
        settings.metrics,
        pair=settings.pair,
        across_judges=settings.across_judges,
        how=How(settings.level, settings.weights, seed=settings.seed),
    )


def _record(runs: Sequence[str | Path], settings: CompareSettings) -> dict[str, Any]:
    """Return the settings that decide the result, as plain data for run.json."""
    shared = {"runs": [str(run) for run in runs], "seed": settings.seed}
    if settings.human is not None:
        human = {"human": str(settings.human), "scale": settings.scale, "score": settings.score}
        return {**shared, **human}
    compared = {
        **shared,
        "metrics": list(settings.metrics),
        "across_judges": settings.across_judges,
        "level": settings.level,
    }
    if settings.real:
        return {**compared, "real": [str(run) for run in settings.real]}
    return {**compared, "pair": settings.pair, "weights": settings.weights}
