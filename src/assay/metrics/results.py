"""Result types of the metrics: frozen, plain numbers, never NaN in what is written to a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = [
    "AVERAGED",
    "METRICS",
    "UP_IS_GOOD",
    "WORST",
    "Band",
    "Estimate",
    "Fingerprint",
    "Floats",
    "Ints",
    "OpdTable",
]

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

METRICS = ("mc", "mp", "ppl", "cra", "str")
"""The column names of the five metrics, in table order."""

UP_IS_GOOD: Mapping[str, bool] = {"mc": True, "mp": True, "ppl": True, "cra": False, "str": False}
"""Whether a larger value of the metric is the better one."""

WORST: Mapping[str, float] = {name: 0.0 if up else 1.0 for name, up in UP_IS_GOOD.items()}
"""What an unscored episode counts at worst; at best it counts 1 minus this."""

AVERAGED = tuple(name for name in METRICS if name != "mc")
"""The metrics that a group reports the mean of; of MC it reports the share at each milestone."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """One number with its interval and its honest limits.

    Attributes:
        value: The mean or share over the scored episodes; None when there are none.
        low: Lower end of the interval, or None.
        high: Upper end of the interval, or None.
        n: How many episodes were scored.
        worst: The same number with the worst value put in for each unscored episode.
        best: The same number with the best value put in for each unscored episode.
        why: Why something above is None.
        method: How the interval was made: "bootstrap-t", "exact bound", "wilson" or "".
        sd: Standard deviation over episodes (ddof 1), where it was asked for.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    worst: float | None
    best: float | None
    why: str | None = None
    method: str = ""
    sd: float | None = None

    def as_json(self) -> dict[str, float | int | str | None]:
        """Return the estimate as it stands in result files; None is JSON's null."""
        numbers = {"value": self.value, "low": self.low, "high": self.high, "n": self.n}
        written: dict[str, float | int | str | None] = {
            **numbers,
            "worst": self.worst,
            "best": self.best,
            "method": self.method,
        }
        if None in written.values():
            written["why"] = self.why or "not computed"
        if self.sd is not None:
            written["sd"] = self.sd
        return written


@dataclass(frozen=True, slots=True, eq=False)
class OpdTable:
    """The five metrics of N episodes; every array is of shape (N,).

    Attributes:
        mc: Milestone coverage, the highest milestone reached.
        mp: Maximum progress.
        ppl: Path-weighted progress length.
        cra: Cumulative regret area.
        stagnation: Stagnation ratio, NaN for an episode of one observation. Its column in files
            is called "str", a name Python already uses.
        final: Progress at the last observation.
        tv: Total variation of the curve.
    """

    mc: Floats
    mp: Floats
    ppl: Floats
    cra: Floats
    stagnation: Floats
    final: Floats
    tv: Floats

    def column(self, name: str) -> Floats:
        """Return the metric with the column name `name`, one of `METRICS`."""
        column: Floats = getattr(self, "stagnation" if name == "str" else name)
        return column


@dataclass(frozen=True, slots=True)
class Band:
    """How far a group's mean moves over analysis settings that nobody can call wrong.

    Attributes:
        low: The smallest mean, or None when the metric is undefined for every episode.
        high: The largest mean, or None likewise.
        low_at: The settings that gave `low`, such as "epsilon x0.5, window 3, stride 1".
        high_at: The settings that gave `high`.
    """

    low: float | None
    high: float | None
    low_at: str
    high_at: str


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """How one policy fails at one task, against the other policies at the same task.

    Attributes:
        task: The task.
        policy: The policy.
        n: The number of failures.
        means: Mean over the failures per metric (mp, ppl, cra, str); None without a value.
        z: Standard scores across policies, up is good; None where they would mean nothing.
        why: Why a score is None.
    """

    task: str
    policy: str
    n: int
    means: Mapping[str, float | None]
    z: Mapping[str, float | None]
    why: str | None = None
