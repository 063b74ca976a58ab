"""The part of `audit.json` on the judges beside the main one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Self, TypeAlias, TypeVar

from pydantic import Field, model_validator

from assay.records import Status
from assay.reports._contract import Count, Epsilon, Estimate, Judge, Part, Share

__all__ = ["Beside", "BesideCell", "Order", "Place", "Swap", "Tau"]

T = TypeVar("T")
Two: TypeAlias = Annotated[Sequence[T], Field(min_length=2, max_length=2)]
Agreement: TypeAlias = Annotated[float, Field(ge=-1, le=1)]


class BesideCell(Part):
    """What a judge beside the main one says of one group; the fields are those of `Cell`.

    Attributes:
        difference: How far its curves lie from the main judge's: the mean over episodes that both
            scored of the mean absolute difference over moments. Down is closer.
    """

    group: Mapping[str, str | int | None]
    task: str | None
    policy: str | None
    n: Count
    status: Mapping[Status, Count]
    mc: Mapping[str, Estimate]
    mp: Estimate
    ppl: Estimate
    cra: Estimate
    stagnation: Estimate = Field(alias="str")
    difference: Estimate
    novel: Estimate | None = None

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if sum(self.status.values()) != self.n:
            raise ValueError(f"the statuses do not add up to n = {self.n}")
        return self


class Place(Part):
    """A policy in two orders: over `n` episodes that both judges scored, its mean by each."""

    policy: str
    n: Annotated[int, Field(ge=1)]
    main: Share
    beside: Share


class Tau(Part):
    """Kendall's tau-b between two orders of `n` policies, from -1 (reversed) to 1 (the same).

    The interval is over resampled episodes. What is null has a `why`.
    """

    value: Agreement | None
    low: Agreement | None
    high: Agreement | None
    n: Count
    method: str
    why: str | None = None

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if (None in (self.value, self.low, self.high)) != bool(self.why):
            raise ValueError("a missing number has a why, and nothing else has one")
        return self


class Swap(Part):
    """Two policies in opposite orders.

    Attributes:
        policies: The one that the main judge puts higher, then the other.
        main: Their means by the main judge.
        beside: Their means by the judge beside it.
        share: The share of resamples that swap them; null where a policy has fewer than 5 episodes.
    """

    policies: Two[str]
    main: Two[Share]
    beside: Two[Share]
    share: Share | None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        (a, b), (c, d) = self.main, self.beside
        if not (a > b and c < d):
            raise ValueError("the two judges put the pair in the same order")
        return self


class Order(Part):
    """How two judges order the policies of a task.

    Attributes:
        task: The task.
        by: The metric whose mean orders them.
        policies: The policies with their means.
        tau: How far the orders agree.
        pairs: How many pairs of policies there are.
        swapped: The pairs in opposite orders.
        tied: The pairs that only the main judge tells apart.
        parted: The pairs that only the judge beside it tells apart.
    """

    task: str
    by: Literal["mp"]
    policies: Sequence[Place]
    tau: Tau
    pairs: Count
    swapped: Sequence[Swap]
    tied: Sequence[Two[str]]
    parted: Sequence[Two[str]]


class Beside(Part):
    """A judge beside the main one.

    Attributes:
        judge: Who.
        is_null: Whether it is a null judge, which sees neither frames nor signals.
        epsilon: What counts as standing still by its curves.
        cells: What it says of each group, in the order of the main judge's cells.
        orders: How it orders the policies of each task.
        difference: How far its curves lie from the main judge's, over all episodes.
    """

    judge: Judge
    is_null: bool
    epsilon: Epsilon
    cells: Sequence[BesideCell]
    orders: Sequence[Order]
    difference: Estimate
