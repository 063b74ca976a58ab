"""Train a policy on demonstrations, by behaviour cloning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import UnknownNameError
from assay.jobs._inputs import Wanted, gather, refuse_out_inside
from assay.jobs._log import logged
from assay.jobs._policy_lessons import demos_of
from assay.jobs._policy_training import PolicyTraining, clear_work
from assay.jobs._rundir import RunDirectory, disk_faults, read_document
from assay.jobs._seeds import seeds_from
from assay.jobs.rollout import make_task
from assay.jobs.train import check_shared, require_packages, unlearnt
from assay.worlds.policies._cloned.card import INPUTS, is_cloned
from assay.worlds.policies._cloned.inputs import OWN

__all__ = ["PolicyTrainResult", "PolicyTrainSettings", "train_policy"]


@dataclass(frozen=True)
class PolicyTrainSettings:
    """What to train on and how.

    Attributes:
        out: The run directory; it becomes the policy.
        inputs: "state" looks at the simulator's state, "pixels" at pictures.
        labels: csv that overrides task and success by episode.
        views: The views to learn from; empty takes all.
        validation: The share of demonstrations to hold out; 0 learns from all of them.
        steps: The most steps of training; None takes the recipe's own.
        limit: How many episodes to take from each source.
        jobs: Workers that read frames; None takes one a core.
        seed: Decides who is held out, and the training.
        tried: Scenes on which the new policy tries its task, such as "1000:1050"; empty: none.
    """

    out: Path | str
    inputs: str = "state"
    labels: Path | None = None
    views: tuple[str, ...] = ()
    validation: float = 0.1
    steps: int | None = None
    limit: int | None = None
    jobs: int | None = None
    seed: int = 0
    tried: str = ""

    def __post_init__(self) -> None:
        """Refuse what can't be meant, before anything is read."""
        if self.inputs not in INPUTS:
            raise UnknownNameError("kind of inputs", self.inputs, INPUTS)
        check_shared(self)
        if self.tried:
            seeds_from(self.tried)


@dataclass(frozen=True)
class PolicyTrainResult:
    """A finished training.

    Attributes:
        out: The run directory, which is the policy too: `--policy DIR` takes it.
        document: What `train-policy.json` holds.
    """

    out: Path
    document: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Return `train-policy.json` to the letter."""
        return (self.out / "train-policy.json").read_text(encoding="utf-8")

    @property
    def ok(self) -> bool:
        """Tell whether every demonstration could be used."""
        return not self.document["unreadable"]

    def problems(self) -> list[str]:
        """Return a sentence on the demonstrations that could not be used."""
        return unlearnt(self.document)


def train_policy(sources: Sequence[str | Path], settings: PolicyTrainSettings) -> PolicyTrainResult:
    """Train a policy on the episodes of `sources` and write it to the run directory.

    Takes up an unfinished run in the same directory, and does nothing if it is finished.

    Args:
        sources: `[LABEL=]PATH` texts or paths.
        settings: What to do with them.
    """
    versions = require_packages("Training a policy")
    out = Path(settings.out)
    refuse_out_inside(sources, out)
    with logged() as log:
        gathered = gather(_wanted(sources, settings))
        demos = demos_of(gathered.episodes, settings.inputs, settings.validation)
        if settings.tried:
            make_task(demos.episodes[0].task)  # or refuse what the worlds don't have
        record = _record(sources, settings)
        run = RunDirectory.open(
            out,
            {
                "verb": "train-policy",
                "seed": settings.seed,
                "settings": record,
                "fingerprints": {**gathered.fingerprints, **versions},
            },
            frozenset(record),
        )
        if run.finished and is_cloned(run.path):
            clear_work(run)  # in case it was stopped while it cleared up
            return PolicyTrainResult(run.path, read_document(run.result))
        with disk_faults(run.path):
            log.open(run.path)
            return PolicyTrainResult(
                run.path, PolicyTraining(run, gathered, demos, settings.jobs).do()
            )


def _wanted(sources: Sequence[str | Path], settings: PolicyTrainSettings) -> Wanted:
    return Wanted(
        tuple(map(str, sources)),
        signals=frozenset({"action", "object.*", *OWN}),
        labels=settings.labels,
        views=settings.views,
        limit=settings.limit,
    )


def _record(sources: Sequence[str | Path], settings: PolicyTrainSettings) -> dict[str, Any]:
    """Return the settings that decide the result, as plain data for run.json."""
    return {
        "sources": [str(source) for source in sources],
        "inputs": settings.inputs,
        "labels": None if settings.labels is None else str(settings.labels),
        "views": list(settings.views),
        "validation": settings.validation,
        "steps": settings.steps,
        "limit": settings.limit,
        "seed": settings.seed,
        "try": settings.tried,
    }
