"""Evidence that two policies are not alike, by bets on signs; it may be looked at after every pair.

The null is that of the paired permutation test: what two policies did in a scene could as well be
swapped. Then a difference d is as likely as -d, and its sign is a fair coin whatever its size and
the past. So the sizes may decide how much is staked on the coin, and wealth stays fair:

    up:    product over i of 1 + c s_i sign(d_i)
    down:  product over i of 1 - c s_i sign(d_i)

Half of the wealth takes every difference for the same, and half lets large ones count for more:

    s_i = 1                              and    s_i = |d_i| / max over j <= i of |d_j|

with s = 0 for a tie. Both are spread over several shares c, as in `assay.metrics.betting`. A unit
does not matter, and no bound is needed: a small difference that is always there is found as soon as
a large one, where bets on a mean must reckon with the largest loss there could be. Of wins, losses
and ties (-1, 0, 1) both make the same bets: a sequential form of McNemar's exact test.

The price is the null. Policies with the same mean may be told apart, if one is mostly a little
better and rarely much worse. So a verdict says who tends to be ahead, and not by how much: the mean
and its interval are in `assay.metrics.betting`. The two scores were chosen among fifteen kinds, on
simulated policies alone. `tests/proof/anytime.py` measures the error, and
`tests/proof/dense_binary.py` how soon a verdict is there.

Cites:
    Ville (1939), "Etude critique de la notion de collectif"; Reynolds (1975), "A sequential
    signed-rank test for symmetry"; Vovk and Wang (2022), "Nonparametric e-tests of symmetry".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.errors import UsageError
from assay.metrics.betting import BettingSettings, Side, log_mean
from assay.metrics.results import Floats

__all__ = ["FlipEvidence", "FlipSettings", "flip", "flip_gains", "log_flips", "stakes"]

_LARGEST = 690.0  # exp of it is 1e299: evidence beyond that has no use, and a file has no infinity


@dataclass(frozen=True, slots=True)
class FlipSettings:
    """What is bet on, and how.

    Attributes:
        side: "both" doubts that signs are fair coins; "above" stakes on plus alone, and "below" on
            minus.
        level: 1 - alpha, the probability of no verdict where there should be none.
        tie: Differences up to this size are ties, which nothing is staked on.
        shares: The shares c that wealth is spread over, each in 0..1, ends excluded.
    """

    side: Side = "both"
    level: float = 0.95
    tie: float = 0.0
    shares: tuple[float, ...] = BettingSettings().shares

    def __post_init__(self) -> None:
        BettingSettings(side=self.side, level=self.level, shares=self.shares)
        if not 0.0 <= self.tie < math.inf:
            raise UsageError(f"The size of a tie is 0 or more, and finite, not {self.tie:g}.")

    @property
    def thresholds(self) -> tuple[float, float]:
        """Return the log wealth that is a verdict: of the gambler above, and of the one below."""
        return BettingSettings(side=self.side, level=self.level).thresholds


@dataclass(frozen=True, slots=True)
class FlipEvidence:
    """What the signs of paired differences say so far.

    Attributes:
        n: How many differences there were.
        ties: How many of them were ties.
        e_value: Wealth: at most 1 on average if the policies are alike; cut at 1e299.
        p_value: 1 / the largest e-value so far, at most 1; valid at every moment.
        verdict: "above" or "below" once the null is ruled out; it stays.
        decided_at: After how many differences it was ruled out first, or None.
    """

    n: int
    ties: int
    e_value: float
    p_value: float
    verdict: Literal["above", "below"] | None
    decided_at: int | None

    @property
    def is_rejected(self) -> bool:
        """Return whether the null was ruled out at some moment."""
        return self.decided_at is not None

    def as_json(self) -> dict[str, float | int | str | None]:
        """Return the evidence as it stands in result files."""
        return {
            "n": self.n,
            "ties": self.ties,
            "e_value": self.e_value,
            "p_value": self.p_value,
            "verdict": self.verdict,
            "decided_at": self.decided_at,
        }


def flip(values: Floats | Sequence[float], settings: FlipSettings | None = None) -> FlipEvidence:
    """Return what a stream of paired differences says about who is ahead.

    Args:
        values: The differences a - b in the order in which they came, of shape (n,), in any unit;
            none may be unscored.
        settings: What is bet on; by default that signs are no fair coins, to either side.
    """
    settings = settings or FlipSettings()
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise UsageError(f"A stream is a list of values, not of shape {array.shape}.")
    limits = np.array(settings.thresholds)
    logs = log_flips(array, settings)
    hits = logs >= limits
    done = hits.any(axis=1)
    first = int(np.argmax(done)) if done.any() else None
    # What is beyond the threshold of a side is beyond 1 / alpha, whatever wealth it started with.
    log_e = (logs - (limits + math.log1p(-settings.level))).max(axis=1)
    return FlipEvidence(
        n=len(array),
        ties=int((np.abs(array) <= settings.tie).sum()),
        e_value=math.exp(min(float(log_e[-1]), _LARGEST)) if len(array) else 1.0,
        p_value=math.exp(-min(float(log_e.max(initial=0.0)), _LARGEST)),
        verdict=None if first is None else "above" if hits[first, 0] else "below",
        decided_at=None if first is None else first + 1,
    )


def log_flips(values: Floats, settings: FlipSettings | None = None) -> Floats:
    """Return the log wealth after every difference, up and down, of shape (..., n, 2).

    Args:
        values: Differences in order along the last axis, of shape (..., n).
        settings: What is bet on.
    """
    return log_mean(np.cumsum(flip_gains(values, settings or FlipSettings()), axis=-3))


def flip_gains(values: Floats, settings: FlipSettings, before: Floats | float = 0.0) -> Floats:
    """Return what each difference adds to the log wealth of every score and share, up and down.

    Args:
        values: Differences in order along the last axis, of shape (..., n).
        settings: What is bet on.
        before: The size of the largest difference before these, of shape (...).

    Returns:
        An array of shape (..., n, 2, 2 shares).
    """
    staked = np.sign(values)[..., None] * stakes(values, settings.tie, before)
    won = staked[..., None] * np.array(settings.shares)
    won = won.reshape(*values.shape, 2 * len(settings.shares))  # every score with every share
    found: Floats = np.log1p(np.stack([won, -won], axis=-2))
    return found


def stakes(values: Floats, tie: float = 0.0, before: Floats | float = 0.0) -> Floats:
    """Return both scores s of each difference, in 0..1, of shape (..., n, 2).

    They know the size of the difference and of those before it, and no sign.

    Args:
        values: Differences in order along the last axis, of shape (..., n).
        tie: Differences up to this size are ties.
        before: The size of the largest difference before these, of shape (...).
    """
    sizes = np.abs(np.asarray(values, dtype=np.float64))
    if not np.isfinite(sizes).all():
        raise UsageError("A stream needs finite values. Leave out what is unscored.")
    counts = sizes > tie
    sizes = np.where(counts, sizes, 0.0)
    largest = np.maximum(np.maximum.accumulate(sizes, axis=-1), np.asarray(before)[..., None])
    parts = np.divide(sizes, largest, out=np.zeros_like(sizes), where=largest > 0)
    return np.stack([counts.astype(np.float64), parts], axis=-1)
