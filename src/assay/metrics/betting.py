"""Evidence that may be looked at after every rollout: bets against a mean, and what they rule out.

Someone who doubts that the mean of a stream is m bets on every next value. If the mean is m the
bets are fair, and wealth that starts at 1 ever reaches 1 / alpha with a probability of at most
alpha (Ville). So large wealth is evidence against m, however often one looks and whenever one
stops; the means that no gambler got rich on form an interval that holds the truth at all times.

With values y and means m taken to 0..1, a gambler who expects more than m stakes a fixed share c of
what may be lost, and one who expects less does the same on the other side:

    up:    product over i of 1 + c (y_i / m - 1)
    down:  product over i of 1 + c ((1 - y_i) / (1 - m) - 1)

Wealth is spread evenly over several shares c (Chebyshev's nodes on 0..1). No stake depends on any
value, so none can look ahead, and the order of the values does not matter. `tests/proof/anytime.py`
measures the error of it, and how soon it decides beside stakes that are learnt on the way.

Cites:
    Ville (1939), "Etude critique de la notion de collectif"; Waudby-Smith and Ramdas (2024),
    "Estimating means of bounded random variables by betting"; Orabona and Jun (2023), "Tight
    concentrations and confidence sequences from the regret of universal portfolio".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from assay.errors import UnknownNameError, UsageError
from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.metrics.results import Floats

__all__ = [
    "BettingSettings",
    "Bettor",
    "Evidence",
    "Side",
    "Trace",
    "bet",
    "log_gains",
    "log_mean",
    "trace",
]

Side: TypeAlias = Literal["both", "above", "below"]

METHOD = "betting"
_NOTHING_YET = "no value yet"
_TOO_FEW = f"fewer than {SMALLEST_SAMPLE} values: no interval"
_UNSTEADY = "no mean fits all moments: the stream changed on the way, or this is the rare error"
_NO_ENDS = (None, None)
_LARGEST = 690.0  # exp of it is 1e299: evidence beyond that has no use, and a file has no infinity


def _spread_shares(count: int) -> tuple[float, ...]:
    """Return Chebyshev's nodes on 0..1: more small and large shares than middling ones.

    The mean over them equals the mean under the arcsine law for all polynomials of a degree below
    2 `count`, and that law costs least against the best share in hindsight.
    """
    angles = np.pi * (np.arange(count) + 0.5) / count
    return tuple(((1.0 - np.cos(angles)) / 2.0).tolist())


@dataclass(frozen=True, slots=True)
class BettingSettings:
    """What is bet on, and how.

    Attributes:
        low: The smallest value that can occur: -1 for differences, 0 for progress and success.
        high: The largest.
        null: The mean that is doubted, inside low..high.
        side: "both" doubts that the mean is `null`; "above" doubts that it is at most `null`, and
            "below" that it is at least `null`.
        level: 1 - alpha, the probability of never ruling out the truth.
        points: How many means the interval is made of.
        shares: The shares c that wealth is spread over, each in 0..1, ends excluded.
    """

    low: float = -1.0
    high: float = 1.0
    null: float = 0.0
    side: Side = "both"
    level: float = 0.95
    points: int = 201
    shares: tuple[float, ...] = _spread_shares(12)

    def __post_init__(self) -> None:
        if not -math.inf < self.low < self.null < self.high < math.inf:
            raise UsageError(
                "A bet needs low < null < high, all finite,"
                f" not {self.low:g}, {self.null:g} and {self.high:g}."
            )
        if self.side not in {"both", "above", "below"}:
            raise UnknownNameError("side", self.side, ("both", "above", "below"))
        if not 0.0 < self.level < 1.0:
            raise UsageError(f"A level lies between 0 and 1, not at {self.level:g}.")
        if self.points < 3:
            raise UsageError(f"An interval is made of at least 3 means, not {self.points}.")
        if not self.shares or not all(0.0 < share < 1.0 for share in self.shares):
            raise UsageError("A bet needs at least one share, and each between 0 and 1.")

    @property
    def thresholds(self) -> tuple[float, float]:
        """Return the log wealth that rules a mean out: of the gambler above, and of the one below.

        With two gamblers each starts with half of the wealth.
        """
        doubt = -math.log1p(-self.level)
        if self.side == "both":
            return doubt + math.log(2.0), doubt + math.log(2.0)
        return (doubt, math.inf) if self.side == "above" else (math.inf, doubt)

    def scaled(self, values: Floats | Sequence[float] | float) -> Floats:
        """Return values as y in 0..1, of shape (n,); those outside low..high are refused."""
        array = np.atleast_1d(np.asarray(values, dtype=np.float64))
        if array.ndim != 1:
            raise UsageError(f"A stream is a list of values, not of shape {array.shape}.")
        if not ((array >= self.low) & (array <= self.high)).all():
            raise UsageError(
                f"A stream needs values in {self.low:g}..{self.high:g}; one is outside or NaN."
                " Leave out what is unscored."
            )
        return (array - self.low) / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a stream of values says about its mean so far.

    Attributes:
        n: How many values there were.
        mean: Their mean, or None.
        low: Lower end of the interval that this moment's wealth leads to, or None.
        high: Its upper end, or None.
        kept_low: Lower end of what no moment so far ruled out, or None.
        kept_high: Its upper end, or None.
        e_value: Wealth at `null`: at most 1 on average if `null` is true; cut at 1e299.
        p_value: 1 / the largest e-value so far, at most 1; valid at every moment.
        verdict: "above" or "below" once the null is ruled out; it stays.
        decided_at: After how many values it was ruled out first, or None.
        why: Why an end above is None.
        method: How the interval was made: "betting" or "".
    """

    n: int
    mean: float | None
    low: float | None
    high: float | None
    kept_low: float | None
    kept_high: float | None
    e_value: float
    p_value: float
    verdict: Literal["above", "below"] | None
    decided_at: int | None
    why: str | None = None
    method: str = ""

    @property
    def is_rejected(self) -> bool:
        """Return whether the null was ruled out at some moment."""
        return self.decided_at is not None

    def as_json(self) -> dict[str, float | int | str | None]:
        """Return the evidence as it stands in result files."""
        found: dict[str, float | int | str | None] = {
            "n": self.n,
            "mean": self.mean,
            "low": self.low,
            "high": self.high,
            "kept_low": self.kept_low,
            "kept_high": self.kept_high,
            "e_value": self.e_value,
            "p_value": self.p_value,
            "verdict": self.verdict,
            "decided_at": self.decided_at,
            "method": self.method,
        }
        return found if self.why is None else {**found, "why": self.why}


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """The same evidence after every value; all arrays are of shape (n,).

    Attributes:
        low: Lower end of the interval of each moment.
        high: Upper end.
        kept_low: Lower end of what no moment up to this one ruled out; above `kept_high` when
            nothing is left.
        kept_high: Upper end.
        log_e: Natural logarithm of the e-value.
    """

    low: Floats
    high: Floats
    kept_low: Floats
    kept_high: Floats
    log_e: Floats


class Bettor:
    """Bets on a stream that grows; one value costs the same whenever it comes.

    Args:
        settings: What is bet on.
    """

    def __init__(self, settings: BettingSettings | None = None) -> None:
        self.settings = settings = settings or BettingSettings()
        null = float(settings.scaled(settings.null)[0])
        self._means = _means(settings.points, null)
        self._at_null = int(np.searchsorted(self._means, null))
        self._shares = np.array(settings.shares)
        self._logs = np.zeros((2, len(self._means), len(self._shares)))
        self._n, self._sum = 0, 0.0
        self._ends, self._kept = (0.0, 1.0), (0.0, 1.0)
        self._log_e = self._best = 0.0
        self._verdict: Literal["above", "below"] | None = None
        self._decided_at: int | None = None

    def update(self, values: Floats | Sequence[float] | float) -> Evidence:
        """Take in one or more values, in the order in which they came, and return the evidence."""
        for y in self.settings.scaled(values).tolist():
            self._take(y)
        return self.evidence

    @property
    def evidence(self) -> Evidence:
        """Return what the values so far say."""
        n = self._n
        ends: tuple[float | None, ...] = self._unscaled(self._ends)
        kept: tuple[float | None, ...] = self._unscaled(self._kept)
        why: str | None = None
        if n < SMALLEST_SAMPLE:
            ends, kept, why = _NO_ENDS, _NO_ENDS, _TOO_FEW if n else _NOTHING_YET
        elif self._kept[0] > self._kept[1]:
            kept, why = _NO_ENDS, _UNSTEADY
        return Evidence(
            n=n,
            mean=self._unscaled((self._sum / n,))[0] if n else None,
            low=ends[0],
            high=ends[1],
            kept_low=kept[0],
            kept_high=kept[1],
            e_value=math.exp(min(self._log_e, _LARGEST)),
            p_value=math.exp(-min(self._best, _LARGEST)),
            verdict=self._verdict,
            decided_at=self._decided_at,
            why=why,
            method="" if ends[0] is None else METHOD,
        )

    @property
    def log_wealth(self) -> Floats:
        """Return the log wealth at the null of each share, up and down, of shape (2, shares)."""
        return self._logs[:, self._at_null].copy()

    @property
    def state(self) -> tuple[float, ...]:
        """Return low, high, kept low, kept high and log e of this moment, as `Trace` holds them."""
        return (*self._unscaled(self._ends), *self._unscaled(self._kept), self._log_e)

    def _unscaled(self, ys: tuple[float, ...]) -> tuple[float, ...]:
        low, high = self.settings.low, self.settings.high
        return tuple(low + y * (high - low) for y in ys)

    def _take(self, y: float) -> None:
        self._n, self._sum = self._n + 1, self._sum + y
        means, above, below = self._means, *self.settings.thresholds
        self._logs += log_gains(np.array([y]), means, self._shares)[0]
        up, down = log_mean(self._logs)
        # More than m can't be ruled out below 0, nor less than m above 1: the ends of the range.
        low = _edge(means, up, above)
        high = 1.0 - _edge(1.0 - means[::-1], down[::-1], below)
        self._ends = (low, high)
        self._kept = (max(self._kept[0], low), min(self._kept[1], high))
        self._judge(float(up[self._at_null]), float(down[self._at_null]))

    def _judge(self, up: float, down: float) -> None:
        """Take in the log wealth at the null of both gamblers."""
        above, below = self.settings.thresholds
        doubt = -math.log1p(-self.settings.level)
        self._log_e = max(up - (above - doubt), down - (below - doubt))
        self._best = max(self._best, self._log_e)
        if self._verdict is None and (up >= above or down >= below):
            self._verdict = "above" if up >= above else "below"
            self._decided_at = self._n


def bet(values: Floats | Sequence[float], settings: BettingSettings | None = None) -> Evidence:
    """Return what a whole stream says about its mean.

    For paired rollouts the values are the differences a - b in -1..1: of progress, or of success,
    where a win is 1, a loss -1 and a tie 0. For a policy alone set low 0 and high 1.

    Args:
        values: The values in the order in which they came, of shape (n,); none may be unscored.
        settings: What is bet on; by default that the mean of differences is not 0.
    """
    return Bettor(settings).update(values)


def trace(values: Floats | Sequence[float], settings: BettingSettings | None = None) -> Trace:
    """Return the interval and the e-value after every value of a stream, for a figure.

    Args:
        values: As in `bet`.
        settings: What is bet on.
    """
    bettor = Bettor(settings)
    rows = []
    for value in np.asarray(values, dtype=np.float64).tolist():
        bettor.update(value)
        rows.append(bettor.state)
    low, high, kept_low, kept_high, log_e = np.array(rows, dtype=np.float64).reshape(-1, 5).T
    return Trace(low, high, kept_low, kept_high, log_e)


def log_gains(y: Floats, means: Floats, shares: Floats) -> Floats:
    """Return what each value adds to the log wealth, up and down: (n, 2, means, shares).

    Args:
        y: Values in 0..1, of shape (n,).
        means: Means that are bet against, in 0..1 without its ends.
        shares: The shares c at stake.
    """
    y = y[:, None]
    won = np.stack([y / means, (1.0 - y) / (1.0 - means)], axis=1) - 1.0
    return np.log1p(shares * won[..., None])


def log_mean(logs: Floats) -> Floats:
    """Return the logarithm of the mean of exp over the last axis."""
    top = logs.max(axis=-1)
    total = np.exp(logs - top[..., None]).sum(axis=-1)
    found: Floats = top + np.log(total / logs.shape[-1])
    return found


def _means(points: int, null: float) -> Floats:
    """Return evenly spaced means in 0..1 without its ends, the nearest one moved to `null`."""
    means = np.linspace(0.0, 1.0, points)[1:-1]
    means[np.argmin(np.abs(means - null))] = null
    return means


def _edge(means: Floats, logs: Floats, threshold: float) -> float:
    """Return up to where means are ruled out from below; 0 when none is.

    Log wealth falls with m and is convex in it. A line through the last two means that are ruled
    out, drawn on, lies below it, so it meets the threshold too early, never too late: the end is
    finer than the distance of two means, and still ruled out.
    """
    count = int(np.argmin(logs >= threshold)) if logs[-1] < threshold else len(means)
    if count == 0:
        return 0.0
    last = float(means[count - 1])
    if count == 1:
        return last
    fall = float(logs[count - 2] - logs[count - 1]) / float(means[count - 1] - means[count - 2])
    return last + float(logs[count - 1] - threshold) / fall
