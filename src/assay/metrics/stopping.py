"""Stop, go on, or about how many more: advice on a stream that is bet on.

Advice costs nothing in honesty: the bets of `metrics.betting` and `metrics.deciding` stay valid
whenever one stops and for whatever reason. How many more values are needed is a guess and no more
than that, so it comes with a range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.errors import UsageError
from assay.metrics.betting import BettingSettings, Evidence, log_gains, log_mean
from assay.metrics.deciding import Decider, joined
from assay.metrics.flipping import FlipSettings, flip_gains
from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.metrics.results import Floats, Ints

__all__ = ["Advice", "AdviceSettings", "advise"]

Flags: TypeAlias = npt.NDArray[np.bool_]

_STEPS_AT_ONCE = 32
_ENOUGH = 0.5  # of the futures: with fewer, the middle one never decides


@dataclass(frozen=True, slots=True)
class AdviceSettings:
    """How far to look ahead.

    Attributes:
        horizon: The most further values that anyone would collect.
        futures: How many futures to simulate.
        margin: The smallest distance from the null that matters; None when every one does.
        seed: The same seed gives the same advice.
    """

    horizon: int = 1000
    futures: int = 400
    margin: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.horizon < 1 or self.futures < 1:
            raise UsageError("Advice needs a horizon and a number of futures of at least 1.")
        if self.margin is not None and not self.margin > 0.0:
            raise UsageError(f"A margin is above 0, not {self.margin:g}.")


@dataclass(frozen=True, slots=True)
class Advice:
    """Whether to stop, and if not, about how many more values it takes.

    Attributes:
        action: "stop" or "continue".
        verdict: On "stop" what was found: the mean is "above" the null, "below" it, or "alike",
            that is, closer to it than the margin.
        more: The middle number of further values until a verdict, over futures; None when stopped
            and when nothing suggests a verdict.
        more_low: One future in ten needs no more than this, or None.
        more_high: Nine in ten need no more than this; None beyond the horizon.
        chance: The share of futures with a verdict within the horizon, or None.
        why: Why a number above is None.
    """

    action: Literal["stop", "continue"]
    verdict: Literal["above", "below", "alike"] | None
    more: int | None
    more_low: int | None
    more_high: int | None
    chance: float | None
    why: str | None = None

    def as_json(self) -> dict[str, float | int | str | None]:
        """Return the advice as it stands in result files."""
        found: dict[str, float | int | str | None] = {
            "action": self.action,
            "verdict": self.verdict,
            "more": self.more,
            "more_low": self.more_low,
            "more_high": self.more_high,
            "chance": self.chance,
        }
        return found if self.why is None else {**found, "why": self.why}


def advise(
    values: Floats | Sequence[float],
    settings: BettingSettings | None = None,
    ahead: AdviceSettings | None = None,
    *,
    signs: bool = False,
) -> Advice:
    """Say whether to stop, and if not, about how many more values a verdict takes.

    Futures are simulated from the values so far. Each one first weighs them anew, by Rubin's
    Bayesian bootstrap, because so few values do not fix the population; it then draws values until
    the null is ruled out, going on from the wealth at hand.

    Args:
        values: The values in the order in which they came, of shape (n,).
        settings: What is bet on.
        ahead: How far to look ahead.
        signs: Whether half of the wealth is bet on signs, as in `metrics.deciding`.

    Cites:
        Rubin (1981), "The Bayesian bootstrap".
    """
    decider, ahead = Decider(settings, signs=signs), ahead or AdviceSettings()
    found = decider.update(values)
    if found.verdict is not None:
        return _stopped(found.verdict)
    if ahead.margin is not None and _is_alike(found.mean, decider.settings.null, ahead.margin):
        return _stopped("alike")
    if found.mean.n < SMALLEST_SAMPLE:
        few = f"fewer than {SMALLEST_SAMPLE} values: nothing to look ahead from"
        return Advice("continue", None, None, None, None, None, few)
    array = np.asarray(values, dtype=np.float64)
    futures = _Futures(decider, array, ahead.futures, signs=signs)
    return _looked_ahead(_waits(futures, len(array), ahead), ahead.horizon)


def _stopped(verdict: Literal["above", "below", "alike"]) -> Advice:
    return Advice("stop", verdict, None, None, None, None, "stopped: no more values are needed")


def _is_alike(evidence: Evidence, null: float, margin: float) -> bool:
    low, high = evidence.kept_low, evidence.kept_high
    return low is not None and high is not None and null - margin < low and high < null + margin


def _looked_ahead(waits: Ints, horizon: int) -> Advice:
    """Return the advice from how long each future takes; beyond the horizon it is `horizon` + 1."""
    chance = float(np.mean(waits <= horizon))
    if chance <= _ENOUGH:
        rare = (
            f"{100 * chance:.0f} % of the futures that these values suggest tell a difference"
            f" within {horizon} more"
        )
        return Advice("continue", None, None, None, None, chance, rare)
    early, middle, late = np.quantile(waits, [0.1, 0.5, 0.9], method="higher").tolist()
    if late > horizon:
        why = f"more than one future in ten takes over {horizon} more"
        return Advice("continue", None, middle, early, None, chance, why)
    return Advice("continue", None, middle, early, late, chance)


class _Futures:
    """The wealth of all futures of a stream.

    Args:
        decider: The bets so far.
        values: The stream so far, of shape (n,).
        futures: How many there are.
        signs: Whether half of the wealth is bet on signs.
    """

    def __init__(self, decider: Decider, values: Floats, futures: int, *, signs: bool) -> None:
        settings = decider.settings
        null, shares = settings.scaled(settings.null), np.array(settings.shares)
        self._values, self._limits = values, np.array(settings.thresholds)
        self._gains = log_gains(settings.scaled(values), null, shares)[:, :, 0]
        self._flips = FlipSettings(shares=settings.shares) if signs else None
        mean, flipped, largest = decider.state
        self._mean, self._sign = (np.repeat(one[None], futures, axis=0) for one in (mean, flipped))
        self._largest = np.full(futures, largest)

    def go(self, going: Ints, drawn: Ints) -> Flags:
        """Take in further values of the futures that go on, and tell where there is a verdict.

        Args:
            going: Which futures go on, of shape (k,).
            drawn: The place of each of their values in the stream, of shape (k, steps).

        Returns:
            Whether wealth is a verdict after each of them, of shape (k, steps).
        """
        mean = self._mean[going, None] + np.cumsum(self._gains[drawn], axis=1)
        self._mean[going] = mean[:, -1]
        wealth = log_mean(mean)
        if self._flips is not None:
            values = self._values[drawn]
            gains = flip_gains(values, self._flips, self._largest[going])
            sign = self._sign[going, None] + np.cumsum(gains, axis=1)
            self._sign[going] = sign[:, -1]
            self._largest[going] = np.maximum(self._largest[going], np.abs(values).max(axis=1))
            wealth = joined(wealth, log_mean(sign))
        found: Flags = np.any(wealth >= self._limits, axis=-1)
        return found


def _waits(futures: _Futures, n: int, ahead: AdviceSettings) -> Ints:
    """Return how many more values each future takes, of shape (futures,)."""
    rng = np.random.default_rng(ahead.seed)
    weights = rng.standard_exponential((ahead.futures, n))
    # One sorted line for all futures: future k owns k..k+1.
    ladder = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    waits = np.full(ahead.futures, ahead.horizon + 1, dtype=np.int64)
    going = np.arange(ahead.futures)
    for start in range(0, ahead.horizon, _STEPS_AT_ONCE):
        steps = min(_STEPS_AT_ONCE, ahead.horizon - start)
        drawn = _draw(ladder[going], rng.random((len(going), steps)))
        hits = futures.go(going, drawn)
        done = hits.any(axis=1)
        waits[going[done]] = start + 1 + np.argmax(hits[done], axis=1)
        going = going[~done]
        if not len(going):
            break
    return waits


def _draw(ladder: Floats, chances: Floats) -> Ints:
    """Return the number of the value that each chance in 0..1 falls to, row by row."""
    rows, n = ladder.shape
    line = (ladder + np.arange(rows)[:, None]).reshape(-1)
    places = np.searchsorted(line, chances + np.arange(rows)[:, None], side="right")
    # Rounding may leave the top of a row below 1, or push a chance into the next row.
    drawn: Ints = np.clip(places - n * np.arange(rows)[:, None], 0, n - 1)
    return drawn
