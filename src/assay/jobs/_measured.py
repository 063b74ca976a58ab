"""What one judge's curves come to: a row of metrics for every episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.jobs._describe import describe_judge
from assay.jobs._novelty import count_other_looks, novelty, other_looks
from assay.jobs._rows import Epsilon, Flat, choose_epsilon, flatten, make_rows
from assay.jobs._units import Scored
from assay.judges.base import ProgressJudge
from assay.metrics.gaps import Fill
from assay.metrics.opd import opd
from assay.records import Curve, Episode, Unreadable

__all__ = ["Counting", "Measured", "measure"]


@dataclass(frozen=True)
class Counting:
    """How curves are counted, whoever the judge is; see `AuditSettings`."""

    epsilon: float | None
    fill: Fill | None
    success_at: float | None


@dataclass(frozen=True)
class Measured:
    """One judge's results.

    Attributes:
        judge: The judge.
        about: Its description, which takes reading its files.
        curves: The curves by episode; an episode that gave none has none.
        flat: The complete curves, end to end.
        epsilon: The step below which nothing moves, for this judge.
        rows: One row per episode, in their order.
        passport: What its passport says, None without one.
        looks: The look of every episode that looks unlike what the judge was trained on.
    """

    judge: ProgressJudge
    about: Mapping[str, Any]
    curves: Mapping[str, Curve]
    flat: Flat
    epsilon: Epsilon
    rows: Sequence[dict[str, Any]]
    passport: Mapping[str, Any] | None
    looks: Mapping[str, int]

    def described(self, seed: int) -> dict[str, Any]:
        """Return the judge's entry of `audit.json`; `seed` decides the resampling."""
        entry = {
            **self.about,
            "novel": novelty(self.rows, seed),
            "passport": self.passport,
        }
        if self.looks:
            seen = sorted(set(self.looks.values()))
            entry["other_looks"] = {"looks": seen, "episodes": len(self.looks)}
        return entry


def measure(
    judge: ProgressJudge,
    episodes: Sequence[Episode | Unreadable],
    scored: Mapping[str, Scored],
    counting: Counting,
    passport: Mapping[str, Any] | None = None,
) -> Measured:
    """Compute the metrics of every episode from what `judge` said of it."""
    looks = other_looks(judge, episodes)
    scored = count_other_looks(scored, looks)
    curves = {e.id: scored[e.id].curve for e in episodes if len(scored[e.id].curve.times)}
    flat = flatten(curves, counting.fill)
    epsilon = choose_epsilon(counting.epsilon, judge.noise, episodes, curves)
    table = opd(flat.values, flat.offsets, epsilon=epsilon.value)
    rows = make_rows(episodes, scored, table, flat, counting.success_at)
    return Measured(judge, describe_judge(judge), curves, flat, epsilon, rows, passport, looks)
