"""What a study should reach, how many episodes that takes, and how sure the pilot is of it.

A pilot's difference is uncertain, and so is every number that rests on it. Beside the number of
episodes at the pilot's difference stands a band: pilots are drawn again from this one, and at least
half of them would ask for a number inside the band. The pilot's own number is always inside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assay.errors import UsageError
from assay.metrics.results import Floats, Ints

__all__ = ["MOST", "Goal", "Needed", "SideBySide", "banded", "drawn_again", "smallest"]

MOST = 100_000
"""No plan asks for more."""

_SAME = "the pilot shows no difference"
_TOO_MANY = f"more than {MOST:,} would be needed"
_NO_END = "a quarter of the pilots drawn again shows no such difference: no upper end"


@dataclass(frozen=True, slots=True)
class Goal:
    """What a study should reach.

    Attributes:
        power: The chance to tell the policies apart, if they differ as the pilot says.
        level: 1 less the level of the two-sided test, as in intervals. With Holm over m
            comparisons the safe choice is 1 - 0.05 / m.
        resamples: How many pilots are drawn again for the band.
        seed: The same seed gives the same band.
    """

    power: float = 0.8
    level: float = 0.95
    resamples: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1.0 - self.level < self.power < 1.0:
            raise UsageError(f"Power lies between 1 - level and 1, not at {self.power:g}.")

    @property
    def alpha(self) -> float:
        """Return the level of the test."""
        return 1.0 - self.level


@dataclass(frozen=True, slots=True)
class Needed:
    """How many pairs, or episodes of each policy, reach the goal.

    Attributes:
        n: The number at the pilot's difference; None when there is none.
        low: Lower quartile over pilots drawn again, or `n` where that is smaller.
        high: Upper quartile, or `n` where that is larger; None when a quarter of them shows no
            difference or the opposite one.
        have: How many the pilot has.
        power: The power aimed at.
        method: The test whose power was computed, or "".
        why: Why something above is None.
    """

    n: int | None
    low: int | None
    high: int | None
    have: int
    power: float
    method: str = ""
    why: str | None = None

    @property
    def more(self) -> int | None:
        """Return how many are missing."""
        return None if self.n is None else max(0, self.n - self.have)

    def as_json(self) -> dict[str, float | int | str | None]:
        """Return the number as it stands in result files."""
        found: dict[str, float | int | str | None] = {
            "n": self.n,
            "low": self.low,
            "high": self.high,
            "have": self.have,
            "more": self.more,
            "power": self.power,
            "method": self.method,
        }
        return found if self.why is None else {**found, "why": self.why}


@dataclass(frozen=True, slots=True)
class SideBySide:
    """What a dense metric and success need to tell the same two policies apart."""

    dense: Needed
    success: Needed

    @property
    def ratio(self) -> float | None:
        """Return how many times as many episodes success needs."""
        if self.dense.n is None or self.success.n is None:
            return None
        return self.success.n / self.dense.n

    def as_json(self) -> dict[str, object]:
        """Return both as they stand in result files."""
        return {
            "dense": self.dense.as_json(),
            "success": self.success.as_json(),
            "ratio": self.ratio,
        }


def smallest(power: Callable[[int], float], goal: Goal, least: int) -> int | None:
    """Return an n from `least` on that has the power aimed at, while n - 1 has not.

    The power of an exact test climbs in a saw-tooth, so that a smaller n may have it too, by luck.
    None beyond `MOST`.
    """
    low, high = least - 1, least
    while power(high) < goal.power:
        low, high = high, high * 2
        if high > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= goal.power else (middle, high)
    return high


def drawn_again(n: int, goal: Goal, arm: int = 0) -> Ints:
    """Return the places that each pilot drawn again takes from `n`, of shape (resamples, n)."""
    return np.random.default_rng((goal.seed, arm)).integers(0, n, (goal.resamples, n))


def banded(
    score: float,
    scores: Floats,
    needed: Callable[[int | None], int | None],
    have: int,
    goal: Goal,
    method: str,
) -> Needed:
    """Return the number needed at the pilot, and the quartiles of the pilots drawn again.

    Args:
        score: The pilot's difference in units of its spread; 0 when there is none.
        scores: The same for each pilot drawn again, of shape (resamples,).
        needed: Gives the number for the pilot (None) or for a pilot drawn again, by its place.
        have: How many the pilot has.
        goal: What should be reached.
        method: The test whose power is computed.
    """
    if score == 0.0:
        return Needed(None, None, None, have, goal.power, why=_SAME)
    towards = np.sign(score) * scores
    order = np.argsort(towards, kind="stable")
    weak, strong = int(order[len(order) // 4]), int(order[-1 - len(order) // 4])
    n, low = needed(None), needed(strong)
    high = needed(weak) if towards[weak] > 0 else None
    # Drawing again leans to one side where a few episodes decide: the pilot itself stays inside.
    if n is not None:
        low = n if low is None else min(low, n)
        high = None if high is None else max(high, n)
    why = _TOO_MANY if n is None else (_NO_END if high is None else None)
    return Needed(n, low, high, have, goal.power, method, why)
