"""The contract of `audit.json`: what an audit writes and every reader may rely on.

Numbers lie in 0..1 unless they say otherwise. What can't be computed is null and has a `why`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, JsonValue, ValidationError, model_validator

from assay.errors import InputError
from assay.records import Status
from assay.reports._contract import Count, Epsilon, Estimate, Judge, Part, Share
from assay.reports._contract_beside import Beside, BesideCell, Order, Place, Swap, Tau

__all__ = [
    "AuditDocument",
    "Band",
    "Beside",
    "BesideCell",
    "Cell",
    "Conditioned",
    "Epsilon",
    "Estimate",
    "Fingerprint",
    "Fingerprints",
    "Input",
    "Judge",
    "Order",
    "PerMetric",
    "Place",
    "Success",
    "Swap",
    "Tau",
    "check_audit",
]


class Success(Part):
    """The success rates of a cell; null without labels, with the reason."""

    once: Estimate | None
    held: Estimate | None
    end: Estimate | None
    why: str | None = None


class Conditioned(Part):
    """The quality of the scored successes alone, or why there is none."""

    why: str | None = None
    on: Literal["end"] | None = None
    n: Count | None = None
    ppl: Estimate | None = None
    cra: Estimate | None = None
    stagnation: Estimate | None = Field(None, alias="str")

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        numbers = (self.on, self.n, self.ppl, self.cra, self.stagnation)
        if (self.why is None) == (None in numbers):
            raise ValueError("either all numbers of the successes are there, or a why")
        return self


class Band(Part):
    """How far a mean moves under other settings; null when the metric is undefined."""

    low: Share | None
    high: Share | None


class Cell(Part):
    """One group of episodes.

    Attributes:
        group: What the episodes share, by field; empty when all are taken together.
        task: The task, null when episodes are not grouped by it.
        policy: The policy, likewise.
        n: How many episodes there are.
        status: How many of them have each status; "ok" are scored.
        success: The success rates.
        mc: The share that reaches each milestone, "25" to "100".
        mp: Maximum progress.
        ppl: Progress by path length.
        cra: Regret.
        stagnation: Stagnation, called "str" in the file.
        reach: Pairs of progress and the share of scored episodes that reach it, from 0 to 1, one
            wherever the share falls.
        conditioned: The quality of the successes.
        sensitivity: Bands by metric; empty without a scored episode.
        diagnostics: The named diagnostics that were asked for.
        str_at: Stagnation at other epsilons, when epsilon is only assumed.
        novel: The share of moments that the judge has not seen the like of; only there if it can
            tell.
    """

    group: Mapping[str, str | int | None]
    task: str | None
    policy: str | None
    n: Count
    status: Mapping[Status, Count]
    success: Success
    mc: Mapping[str, Estimate]
    mp: Estimate
    ppl: Estimate
    cra: Estimate
    stagnation: Estimate = Field(alias="str")
    reach: Sequence[Sequence[Share]]
    conditioned: Conditioned
    sensitivity: Mapping[str, Band]
    diagnostics: Mapping[str, Estimate] | None = None
    str_at: Mapping[str, Estimate] | None = None
    novel: Estimate | None = None

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if sum(self.status.values()) != self.n:
            raise ValueError(f"the statuses do not add up to n = {self.n}")
        if any(len(pair) != 2 for pair in self.reach):
            raise ValueError("reach holds pairs")
        return self


class PerMetric(Part):
    """A number per metric of the failures; null where it is undefined."""

    mp: float | None
    ppl: float | None
    cra: float | None
    stagnation: float | None = Field(alias="str")


class Fingerprint(Part):
    """How one policy fails at one task.

    Attributes:
        policy: The policy.
        n_failures: How many scored episodes failed.
        raw: The plain means; null without a failure.
        z: Standard scores across policies, up is good; null when there is none at all.
        why: Why some score is null.
    """

    policy: str
    n_failures: Count
    raw: PerMetric | None
    z: PerMetric | None
    why: str | None


class Fingerprints(Part):
    """How the policies fail at one task."""

    task: str
    policies: Sequence[Fingerprint]


class Input(Part):
    """One source of episodes."""

    path: str
    label: str | None
    format: str
    episodes: Count


class AuditDocument(Part):
    """All of `audit.json`.

    Attributes:
        version: The schema's name, called "schema" in the file.
        cells: The groups.
        fingerprints: How policies fail, task by task; empty without success labels.
        judge: Who scored.
        epsilon: What counts as standing still.
        success_source: "recorded", "labels" or a rule on progress; null without labels.
        settings: What was asked for, as in `run.json`.
        inputs: Where the episodes came from.
        beside: Further judges of the same episodes; only there if some were asked for.
    """

    version: Literal["assay.audit/1"] = Field(alias="schema")
    cells: Sequence[Cell]
    fingerprints: Sequence[Fingerprints]
    judge: Judge
    epsilon: Epsilon
    success_source: str | None
    settings: Mapping[str, JsonValue]
    inputs: Sequence[Input]
    beside: Sequence[Beside] | None = None

    @model_validator(mode="after")
    def _has_the_same_groups(self) -> Self:
        groups = [cell.group for cell in self.cells]
        for judge in self.beside or ():
            if [cell.group for cell in judge.cells] != groups:
                raise ValueError(f"the cells of {judge.judge.name} are not those of the main judge")
        return self


def check_audit(document: Mapping[str, Any], path: Path | str) -> AuditDocument:
    """Return the document of `path` as a model.

    Raises:
        InputError: It does not keep the contract; the message names the first place where.
    """
    try:
        return AuditDocument.model_validate(document)
    except ValidationError as error:
        first, *more = error.errors(include_url=False)
        where = ".".join(map(str, first["loc"])) or "the document"
        others = f" ({len(more)} more)" if more else ""
        raise InputError(f"{where}: {first['msg']}{others}.", path) from error
