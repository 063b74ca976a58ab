"""Who is better, at any moment: bets on the mean and on signs, with half of the wealth each.

Bets on the mean (`metrics.betting`) rule out that the mean difference is 0, and make its interval.
Bets on signs (`metrics.flipping`) rule out that what two policies did in a scene could as well be
swapped: they find a small difference that is always there, and say nothing of its size. So both are
made side by side, and their wealth is put together, that of the gambler above and that of the one
below each by itself:

    W = (W_mean + W_signs) / 2

Policies that could be swapped have a mean difference of 0, so that both halves are fair then, and
so is W. It is a verdict when W reaches 2 / alpha on a side: by the mean if that half alone is
enough, W_mean / 2 >= 2 / alpha, and by signs otherwise. Hence, with looks at every moment,

- policies that could be swapped get a verdict of either kind with a probability of at most alpha;
- the interval of the mean, which has the level 1 - alpha / 2, misses the true mean at some moment,
  and a mean of 0 is ruled out, with a probability of at most alpha / 2.

Of wins, losses and ties both halves are the same bets, so that putting them together costs nothing.
`tests/proof/anytime.py` measures the error, and `tests/proof/dense_binary.py` how soon a verdict is
there.

Cites:
    Ville (1939), "Etude critique de la notion de collectif"; Vovk and Wang (2021), "E-values:
    calibration, combination and applications", on averages of e-values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from assay.errors import UsageError
from assay.metrics.betting import BettingSettings, Bettor, Evidence, log_mean
from assay.metrics.flipping import FlipSettings, flip_gains
from assay.metrics.results import Floats

__all__ = ["By", "Decider", "Decision", "decide", "joined"]

By: TypeAlias = Literal["mean", "signs"]

_LARGEST = 690.0  # exp of it is 1e299: evidence beyond that has no use, and a file has no infinity
_HALF = math.log(0.5)


@dataclass(frozen=True, slots=True)
class Decision:
    """What paired differences say so far about who is better.

    Attributes:
        mean: The evidence on the mean, with its interval; half of the error is its own, or all of
            it without signs.
        e_value: Both halves together: at most 1 on average if the policies could be swapped.
        p_value: 1 / the largest e-value so far, at most 1; valid at every moment.
        verdict: "above" or "below" once one is made; it stays.
        by: What made it: "mean" when the bets on the mean were enough, else "signs".
        decided_at: After how many differences, or None.
    """

    mean: Evidence
    e_value: float
    p_value: float
    verdict: Literal["above", "below"] | None
    by: By | None
    decided_at: int | None


class Decider:
    """Bets on paired differences that come one by one; each costs the same whenever it comes.

    Args:
        settings: What is bet on; its level is that of verdicts and interval together.
        signs: Whether half of the wealth is bet on signs; all of it is bet on the mean otherwise.

    Raises:
        UsageError: Signs are to be bet on, and the null is not 0 or only one side is doubted.
    """

    def __init__(self, settings: BettingSettings | None = None, *, signs: bool = True) -> None:
        self.settings = settings = settings or BettingSettings()
        if signs and (settings.null, settings.side) != (0.0, "both"):
            raise UsageError("Bets on signs go with a null of 0 and with both sides.")
        alpha = (1.0 - settings.level) / (2.0 if signs else 1.0)
        self._bettor = Bettor(replace(settings, level=1.0 - alpha))
        self._flips = FlipSettings(shares=settings.shares) if signs else None
        self._logs = np.zeros((2, 2 * len(settings.shares)))
        self._largest = 0.0
        self._log_e = self._best = 0.0
        self._verdict: Literal["above", "below"] | None = None
        self._by: By | None = None
        self._decided_at: int | None = None

    def update(self, values: Floats | Sequence[float] | float) -> Decision:
        """Take in one or more differences in -1..1, in order, and return what they say."""
        array = np.atleast_1d(np.asarray(values, dtype=np.float64))
        self._bettor.settings.scaled(array)  # refuses what is outside, before anything is taken in
        for value in array.tolist():
            self._take(value)
        return self.decision

    @property
    def decision(self) -> Decision:
        """Return what the differences so far say."""
        return Decision(
            mean=self._bettor.evidence,
            e_value=math.exp(min(self._log_e, _LARGEST)),
            p_value=math.exp(-min(self._best, _LARGEST)),
            verdict=self._verdict,
            by=self._by,
            decided_at=self._decided_at,
        )

    @property
    def level(self) -> float:
        """Return the level of the interval of the mean."""
        return self._bettor.settings.level

    @property
    def state(self) -> tuple[Floats, Floats, float]:
        """Return the log wealth by mean and by signs, (2, shares) each, and the largest size."""
        return self._bettor.log_wealth, self._logs.copy(), self._largest

    def _take(self, value: float) -> None:
        mean = self._bettor.update(value)
        wealth = log_mean(self._bettor.log_wealth)
        if self._flips is not None:
            self._logs += flip_gains(np.array([value]), self._flips, self._largest)[0]
            self._largest = max(self._largest, abs(value))
            wealth = joined(wealth, log_mean(self._logs))
        limits = np.array(self.settings.thresholds)
        # What is beyond the threshold of a side is beyond 1 / alpha, whatever wealth it began with.
        self._log_e = float((wealth - limits).max()) - math.log1p(-self.settings.level)
        self._best = max(self._best, self._log_e)
        crossed = wealth >= limits
        if self._verdict is None and crossed.any():
            self._verdict = "above" if crossed[0] else "below"
            self._by = "mean" if mean.verdict == self._verdict else "signs"
            self._decided_at = mean.n


def decide(
    values: Floats | Sequence[float],
    settings: BettingSettings | None = None,
    *,
    signs: bool = True,
) -> Decision:
    """Return what a whole stream of paired differences says about who is better.

    Args:
        values: The differences a - b in -1..1, in the order in which they came; none unscored.
        settings: What is bet on, as in `Decider`.
        signs: Whether half of the wealth is bet on signs.
    """
    return Decider(settings, signs=signs).update(values)


def joined(mean: Floats, signs: Floats) -> Floats:
    """Return the log of both halves' wealth together.

    Args:
        mean: The log wealth that is bet on the mean, of any shape.
        signs: That on signs, of the same shape.
    """
    found: Floats = np.logaddexp(mean, signs) + _HALF
    return found
