"""Train a judge of progress on demonstrations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

from assay.errors import MissingExtraError, UsageError
from assay.jobs._fingerprint import fingerprint
from assay.jobs._inputs import Wanted, gather, refuse_out_inside
from assay.jobs._log import logged
from assay.jobs._rundir import RunDirectory, disk_faults, read_document
from assay.jobs._train_fit import can_go_on
from assay.jobs._training import Training, clear_work
from assay.judges.prm_mini._card import is_trained

__all__ = [
    "TrainResult",
    "TrainSettings",
    "check_shared",
    "require_packages",
    "train",
    "unlearnt",
]

_MOST_HELD_OUT = 0.5
_MOST_FPS = 60.0
_LONGEST_MIN = 1440.0
_MOST_STEPS = 1_000_000
_PACKAGES = ("torch", "onnx", "onnxruntime")
_SIZE = "(200 MB to download with a CPU build of torch, several GB with CUDA)"


@dataclass(frozen=True)
class TrainSettings:
    """What to train on and how.

    Attributes:
        out: The run directory; it becomes the judge.
        start: "scratch", "prm-mini", the folder of a trained judge, or "auto": prm-mini if it has
            seen such scenes, else scratch.
        labels: csv that overrides task, policy, scene and success by episode.
        task_map: csv that renames tasks.
        views: The views to learn from; empty takes all.
        fps: Frames a second.
        validation: The share of episodes to hold out; 0 learns from all of them.
        steps: The most steps of training; None takes the recipe's own.
        minutes: The most time for the steps; None sets no limit.
        limit: How many episodes to take from each source.
        jobs: Workers that read frames; None takes one a core.
        seed: Decides who is held out, what is made, and the training.
    """

    out: Path | str
    start: str = "auto"
    labels: Path | None = None
    task_map: Path | None = None
    views: tuple[str, ...] = ()
    fps: float = 5.0
    validation: float = 0.2
    steps: int | None = None
    minutes: float | None = None
    limit: int | None = None
    jobs: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what can't be meant, before anything is read."""
        _within("--fps", self.fps, _MOST_FPS)
        _within("--minutes", self.minutes, _LONGEST_MIN)
        check_shared(self)


@dataclass(frozen=True)
class TrainResult:
    """A finished training.

    Attributes:
        out: The run directory, which is the judge too: `--judge DIR` takes it.
        document: What `train.json` holds.
    """

    out: Path
    document: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Return `train.json` to the letter."""
        return (self.out / "train.json").read_text(encoding="utf-8")

    @property
    def ok(self) -> bool:
        """Tell whether every demonstration could be used."""
        return not self.document["unreadable"]

    def problems(self) -> list[str]:
        """Return a sentence on the demonstrations that could not be used."""
        return unlearnt(self.document)


class _Shared(Protocol):
    """The settings that every training has."""

    @property
    def steps(self) -> int | None: ...
    @property
    def limit(self) -> int | None: ...
    @property
    def jobs(self) -> int | None: ...
    @property
    def validation(self) -> float: ...
    @property
    def seed(self) -> int: ...


def check_shared(settings: _Shared) -> None:
    """Refuse what no training can mean."""
    _within("--steps", settings.steps, _MOST_STEPS)
    _within("--limit", settings.limit, _MOST_STEPS)
    _within("--jobs", settings.jobs, _MOST_STEPS)
    if not 0.0 <= settings.validation <= _MOST_HELD_OUT:
        raise UsageError(
            f"--validation must lie in 0..{_MOST_HELD_OUT:g}, not {settings.validation:g}."
        )
    if settings.seed < 0:
        raise UsageError(f"--seed must be 0 or more, not {settings.seed}.")


def unlearnt(document: Mapping[str, Any]) -> list[str]:
    """Return a sentence on the demonstrations that a training could not use."""
    bad = document["unreadable"]
    if not bad:
        return []
    total = len(bad) + sum(document["episodes"].values())
    why = f"the first is {bad[0]['episode']}: {bad[0]['detail']}"
    return [f"Not learnt from: {len(bad)} of {total} episodes, {why}"]


def train(sources: Sequence[str | Path], settings: TrainSettings) -> TrainResult:
    """Train a judge on the episodes of `sources` and write it to the run directory.

    Takes up an unfinished run in the same directory, and does nothing if it is finished.

    Args:
        sources: `[LABEL=]PATH` texts or paths.
        settings: What to do with them.
    """
    versions = require_packages("Training a judge")
    start = _start(settings.start)
    out = Path(settings.out)
    refuse_out_inside(sources, out)
    with logged() as log:
        gathered = gather(_wanted(sources, settings))
        record = _record(sources, settings)
        run = RunDirectory.open(
            out,
            {
                "verb": "train",
                "seed": settings.seed,
                "settings": record,
                "fingerprints": {**gathered.fingerprints, **versions, **start},
            },
            frozenset(record),
        )
        if run.finished and is_trained(run.path):
            clear_work(run)  # in case it was stopped while it cleared up
            return TrainResult(run.path, read_document(run.result))
        with disk_faults(run.path):
            log.open(run.path)
            return TrainResult(run.path, Training(run, gathered, settings.jobs).do())


def require_packages(feature: str) -> dict[str, str]:
    """Return the versions of what training needs.

    Args:
        feature: What needs them, such as "Training a judge".

    Raises:
        MissingExtraError: A package is not installed.
    """
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            raise MissingExtraError(f"{feature} {_SIZE}", package, "train") from None
    return found


def _start(start: str) -> dict[str, str]:
    """Return the fingerprint of the judge to start from, if it is a folder.

    Raises:
        UsageError: There is no such judge.
    """
    if start in ("auto", "scratch", "prm-mini"):
        return {}
    folder = Path(start)
    if not can_go_on(folder):
        raise UsageError(
            "--from takes scratch, prm-mini, auto or the folder of a trained judge;"
            f" {start} is none of them."
        )
    return {start: fingerprint(folder)}


def _wanted(sources: Sequence[str | Path], settings: TrainSettings) -> Wanted:
    return Wanted(
        tuple(map(str, sources)),
        signals=frozenset({"progress", "success"}),
        labels=settings.labels,
        task_map=settings.task_map,
        views=settings.views,
        limit=settings.limit,
    )


def _record(sources: Sequence[str | Path], settings: TrainSettings) -> dict[str, Any]:
    """Return the settings that decide the result, as plain data for run.json."""
    return {
        "sources": [str(source) for source in sources],
        "from": settings.start,
        "labels": None if settings.labels is None else str(settings.labels),
        "task_map": None if settings.task_map is None else str(settings.task_map),
        "views": list(settings.views),
        "fps": settings.fps,
        "validation": settings.validation,
        "steps": settings.steps,
        "minutes": settings.minutes,
        "limit": settings.limit,
        "seed": settings.seed,
    }


def _within(option: str, value: float | None, most: float) -> None:
    if value is not None and not 0 < value <= most:
        raise UsageError(f"{option} must be above 0 and at most {most:,g}, not {value:g}.")
