"""What a ranking consists of: settings, standings of policies, tests of pairs."""

from __future__ import annotations

from dataclasses import dataclass

from assay.errors import UsageError
from assay.metrics.bradley_terry import Ties
from assay.metrics.preference.planning import NextPair
from assay.metrics.results import Floats

__all__ = ["Pair", "Ranking", "RankingSettings", "Standing"]


@dataclass(frozen=True, slots=True)
class RankingSettings:
    """How to rank.

    Attributes:
        ties: "exclude" leaves ties out of the fit, "davidson" counts them.
        regularise: Whether each policy wins and loses an imagined vote against an average one.
        level: The wanted coverage.
    """

    ties: Ties = "exclude"
    regularise: bool = False
    level: float = 0.95

    def __post_init__(self) -> None:
        """Refuse what can't be meant."""
        if self.ties not in ("exclude", "davidson"):
            raise UsageError(f"Ties are 'exclude' or 'davidson', not {self.ties!r}.")
        if not 0.5 <= self.level < 1.0:
            raise UsageError(f"The level must be at least 0.5 and below 1, not {self.level:g}.")


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one policy stands.

    Attributes:
        name: The policy.
        beta: Its strength, the log-odds of winning against an average policy; None if unknown.
        low: Lower end of its interval, or None.
        high: Upper end of its interval, or None.
        rank: 1 for the strongest, or None.
        tier: The tier by overlap of intervals, or None.
        wins: Votes that it won.
        losses: Votes that it lost.
        ties: Votes that neither won.
        tier_tests: The tier by Holm-adjusted tests of pairs, or None.
        rank_low: The best rank that the tests leave open, or None.
        rank_high: The worst one, or None.
        why: Why something above is None.
    """

    name: str
    beta: float | None
    low: float | None
    high: float | None
    rank: int | None
    tier: int | None
    wins: int
    losses: int
    ties: int
    tier_tests: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two policies compared: the stronger, the weaker, and how sure that is.

    Attributes:
        a: The stronger policy.
        b: The weaker one.
        difference: beta_a - beta_b.
        low: Lower end of its interval.
        high: Upper end of its interval.
        p: The p-value of "they are equal".
        p_holm: The same, by Holm over all pairs.
    """

    a: str
    b: str
    difference: float
    low: float
    high: float
    p: float
    p_holm: float


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """A ranking.

    Attributes:
        standings: The policies by rank; those without one last.
        others: The standings of each further group, on a scale of its own.
        pairs: Tests of all pairs of policies with an interval.
        following: The pairs whose next vote tells most.
        names: The policies in the order of the tally.
        beta: Their strengths, of shape (P,), NaN where there is none.
        log_nu: Davidson's log nu, or None.
        interval: How intervals were made, or "" if there are none.
        warnings: A sentence on each thing to know before believing a number.
    """

    standings: tuple[Standing, ...]
    others: tuple[tuple[Standing, ...], ...]
    pairs: tuple[Pair, ...]
    following: tuple[NextPair, ...]
    names: tuple[str, ...]
    beta: Floats
    log_nu: float | None
    interval: str
    warnings: tuple[str, ...]
