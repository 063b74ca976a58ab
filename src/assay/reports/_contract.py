"""What all parts of `audit.json` are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

__all__ = ["Count", "Epsilon", "Estimate", "Judge", "OtherLooks", "Part", "Passport", "Share"]

Count: TypeAlias = Annotated[int, Field(ge=0)]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]


class Part(BaseModel):
    """What all parts share: nothing may change, be missing, be of another type, or be extra."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Estimate(Part):
    """A mean or share with its interval; a diagnostic has its own scale, all others 0..1.

    Attributes:
        value: The number over the `n` episodes that have one.
        low: Lower end of the interval; null below 5 episodes.
        high: Upper end.
        n: How many episodes have a value.
        worst: The same number with the worst value put in for each unscored episode.
        best: The same number with the best value put in.
        method: How the interval was made; "" without one.
        why: Why something above is null; only there if something is.
        sd: Standard deviation over episodes; only there where it was asked for and n > 1.
    """

    value: float | None
    low: float | None
    high: float | None
    n: Count
    worst: float | None
    best: float | None
    method: str
    why: str | None = None
    sd: Annotated[float, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        parts = (self.value, self.low, self.high, self.worst, self.best)
        if (None in parts) != bool(self.why):
            raise ValueError("a missing number has a why, and nothing else has one")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"the interval runs from {self.low} to {self.high}")
        return self


class OtherLooks(Part):
    """The versions of the worlds' look that a judge was not trained on, and how many show them."""

    looks: Sequence[int]
    episodes: Annotated[int, Field(ge=1)]


class Passport(Part):
    """What the passport of a judge says.

    Attributes:
        path: The file, or its name alone when it comes with Assay.
        summary: How many checks passed and which failed, domain by domain.
        warnings: A sentence for each failed check that matters to an audit.
    """

    path: str
    summary: str
    warnings: Sequence[str]


class Judge(Part):
    """Who scored.

    Attributes:
        name: The judge's name.
        settings: Its options.
        bound: What it waits for.
        noise: Its noise on a still scene, when it knows it.
        files: Hashes of its code and of the files among its options.
        card: What a learned judge says of itself; only there if it has a card.
        novel: The share of moments unlike anything it was made from, the mean over episodes; null
            when the judge can't tell.
        passport: What its checks found; null without a passport.
        other_looks: Simulated episodes that look unlike what it was trained on, which count as
            novel; only there if there are some.
    """

    name: str
    settings: Mapping[str, JsonValue]
    bound: Literal["cpu", "network"]
    noise: float | None
    files: Mapping[str, str | None] = Field(default_factory=dict)
    card: Mapping[str, JsonValue] | None = None
    novel: Estimate | None = None
    passport: Passport | None = None
    other_looks: OtherLooks | None = None


class Epsilon(Part):
    """The step below which a policy stands still, where it comes from, and the noise behind it."""

    value: Annotated[float, Field(gt=0)]
    source: Literal["given", "judge noise", "still segment", "assumed"]
    sigma: float | None
