"""Rank policies by votes: strengths with intervals, ranks, tiers, tests and the next pair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.errors import UsageError
from assay.metrics.bradley_terry import Fit, covariance, fit
from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.metrics.preference.counts import Cells, Tally
from assay.metrics.preference.graph import REMEDY, Groups, find_groups
from assay.metrics.preference.planning import next_pairs
from assay.metrics.preference.standings import Pair, Ranking, RankingSettings, Standing
from assay.metrics.preference.tiers import (
    PairTests,
    compare_pairs,
    overlap_tiers,
    rank_limits,
    ranks,
    tiers,
)
from assay.metrics.results import Floats, Ints

__all__ = ["rank_policies"]

_FILLED = (
    "The fit is regularised: what the votes leave open was filled with one imagined win and loss"
    " of each policy against an average one."
)


def rank_policies(
    tally: Tally,
    names: Sequence[str],
    cells: Cells | None = None,
    settings: RankingSettings | None = None,
) -> Ranking:
    """Rank policies by votes.

    Strengths are fitted in the largest group of policies that share a scale; the others have none,
    and `why` says so. A regularised fit has all. The ends of an interval are
    beta +- z sqrt(V_ii), with z of the normal distribution, or of Student's with G - 1 degrees of
    freedom for G clusters. A policy with fewer than 5 votes, or clusters, has no interval.

    Args:
        tally: The votes, of P policies.
        names: The names of the policies.
        cells: The same votes by cluster, if votes go together.
        settings: How to rank.
    """
    chosen = settings or RankingSettings()
    _check(tally, cells, chosen)
    groups = find_groups(tally, names, with_ties=chosen.ties == "davidson")
    everyone = np.arange(len(names))
    main = everyone if chosen.regularise else groups.main
    scale = _Scale.of(tally, main, cells, chosen) if len(main) else None
    named = _Named(tuple(names), tally, groups, chosen)
    others = () if chosen.regularise else groups.others
    further = [_Scale.of(tally, own, cells, chosen) for own in others]
    beta = np.full(len(names), np.nan)
    if scale is not None:
        beta[main] = scale.fitted.beta
    return Ranking(
        standings=named.standings(everyone, scale),
        others=tuple(named.standings(one.places, one) for one in further),
        pairs=() if scale is None else named.pairs(scale),
        following=tuple(next_pairs(tally)),
        names=tuple(names),
        beta=beta,
        log_nu=None if scale is None else scale.fitted.log_nu,
        interval="" if scale is None else scale.interval,
        warnings=named.warnings(scale),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Scale:
    """A fit of the policies at `places`, with errors and tests."""

    places: Ints
    fitted: Fit
    low: Floats
    high: Floats
    units: Ints
    tests: PairTests
    reach: float
    interval: str
    clustered: bool

    @classmethod
    def of(
        cls, tally: Tally, places: Ints, cells: Cells | None, settings: RankingSettings
    ) -> _Scale:
        """Fit the votes among the policies at `places`."""
        own = tally.take(places)
        ties = settings.ties if own.ties.any() else "exclude"  # without a tie they are one model
        votes = None
        if cells is not None:
            votes = cells.take(places, len(tally.wins), ties=ties == "davidson")
        fitted = fit(own, ties=ties, regularise=settings.regularise)
        spread = covariance(fitted, own, votes)
        freedom = None if votes is None else max(votes.clusters - 1, 1)
        reach = _quantile(settings.level, freedom)
        units = _units(own, votes, settings)
        half = np.where(units >= SMALLEST_SAMPLE, reach * np.sqrt(np.diag(spread)), np.nan)
        tests = compare_pairs(fitted.beta, spread, freedom, units >= SMALLEST_SAMPLE)
        return cls(
            places,
            fitted,
            fitted.beta - half,
            fitted.beta + half,
            units,
            tests,
            reach,
            _method(settings, votes),
            votes is not None,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Named:
    """What turns numbers into standings."""

    names: tuple[str, ...]
    tally: Tally
    groups: Groups
    settings: RankingSettings

    def standings(self, places: Ints, scale: _Scale | None) -> tuple[Standing, ...]:
        """Return the standings of the policies at `places`, those on the scale first."""
        row = {} if scale is None else {p: k for k, p in enumerate(scale.places.tolist())}
        table = None if scale is None else _Table.of(scale, 1.0 - self.settings.level)
        found = [self._standing(p, row.get(p), scale, table) for p in places.tolist()]
        return tuple(sorted(found, key=lambda s: (s.rank or math.inf, -(s.beta or 0), s.name)))

    def _standing(
        self, place: int, row: int | None, scale: _Scale | None, table: _Table | None
    ) -> Standing:
        wins, losses, ties = (
            int(counts.sum())
            for counts in (
                self.tally.wins[place],
                self.tally.wins[:, place],
                self.tally.ties[place],
            )
        )
        if row is None or scale is None or table is None:
            why = self.groups.why[place] or "no two policies share a scale"
            return Standing(
                self.names[place], None, None, None, None, None, wins, losses, ties, why=why
            )
        sure = scale.units[row] >= SMALLEST_SAMPLE
        low, high = float(scale.low[row]), float(scale.high[row])
        return Standing(
            name=self.names[place],
            beta=float(scale.fitted.beta[row]),
            low=low if sure else None,
            high=high if sure else None,
            rank=int(table.rank[row]),
            tier=int(table.tier[row]) if sure else None,
            wins=wins,
            losses=losses,
            ties=ties,
            tier_tests=int(table.tier_tests[row]) if sure else None,
            rank_low=int(table.rank_low[row]) if sure else None,
            rank_high=int(table.rank_high[row]) if sure else None,
            why=None if sure else f"fewer than {_least(scale)}: no interval",
        )

    def pairs(self, scale: _Scale) -> tuple[Pair, ...]:
        """Return the tests of all pairs of policies with an interval, by rank."""
        order = np.argsort(-scale.fitted.beta, kind="stable")
        sure = [k for k in order.tolist() if scale.units[k] >= SMALLEST_SAMPLE]
        tests = scale.tests
        found = []
        for place, i in enumerate(sure):
            for j in sure[place + 1 :]:
                difference, error = float(tests.difference[i, j]), float(tests.error[i, j])
                a, b = (self.names[int(scale.places[k])] for k in (i, j))
                ends = (difference - scale.reach * error, difference + scale.reach * error)
                p, adjusted = float(tests.p[i, j]), float(tests.adjusted[i, j])
                found.append(Pair(a, b, difference, *ends, p, adjusted))
        return tuple(found)

    def warnings(self, scale: _Scale | None) -> tuple[str, ...]:
        """Return a sentence on all that keeps policies apart, and on missing intervals."""
        found = list(self.groups.warnings)
        if found:
            found.append(_FILLED if self.settings.regularise else REMEDY)
        counted = [] if scale is None else zip(scale.places, scale.units, strict=True)
        few = [self.names[int(place)] for place, n in counted if n < SMALLEST_SAMPLE]
        if few and scale is not None:
            found.append(f"No interval for {', '.join(few)}: fewer than {_least(scale)}.")
        return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Ranks and tiers of a scale, each of shape (P,)."""

    rank: Ints
    tier: Ints
    tier_tests: Ints
    rank_low: Ints
    rank_high: Ints

    @classmethod
    def of(cls, scale: _Scale, alpha: float) -> _Table:
        beta = scale.fitted.beta
        told = scale.tests.adjusted < alpha
        best, worst = rank_limits(scale.tests, alpha)
        return cls(
            ranks(beta),
            overlap_tiers(beta, scale.low, scale.high),
            tiers(beta, told),
            best,
            worst,
        )


def _check(tally: Tally, cells: Cells | None, settings: RankingSettings) -> None:
    if tally.votes < 2:
        raise UsageError(f"A ranking needs at least 2 votes, not {tally.votes}.")
    if not tally.decisive:
        raise UsageError(f"All {tally.votes} votes are ties: nothing tells the policies apart.")
    if settings.regularise and cells is not None:
        raise UsageError("A regularised fit has no clustered intervals: leave out one of the two.")


def _least(scale: _Scale) -> str:
    return f"{SMALLEST_SAMPLE} {'clusters of votes' if scale.clustered else 'votes'}"


def _quantile(level: float, freedom: int | None) -> float:
    from scipy.special import ndtri, stdtrit

    tail = 0.5 + level / 2.0
    return float(ndtri(tail) if freedom is None else stdtrit(freedom, tail))


def _units(tally: Tally, cells: Cells | None, settings: RankingSettings) -> Ints:
    """Return how many votes, or clusters, tell of each policy, of shape (P,)."""
    if cells is None:
        ties = tally.ties if settings.ties == "davidson" else 0.0
        return np.asarray((tally.wins + tally.wins.T + ties).sum(axis=1), dtype=np.int64)
    policies = len(tally.wins)
    pairs = [cells.cluster * policies + side for side in (cells.i, cells.j)]
    seen = np.unique(np.concatenate(pairs))
    return np.bincount(seen % policies, minlength=policies)


def _method(settings: RankingSettings, cells: Cells | None) -> str:
    if settings.regularise:
        return "curvature of the regularised fit"
    if cells is None:
        return "sandwich"
    return f"sandwich over {cells.clusters} clusters"
