"""Measure how often the 95 % intervals of strengths hold the truth, and what ranks and tiers claim.

    python tests/proof/rank_coverage.py --simulations 1000

Prints markdown tables; "least" is the coverage of the policy that has the least. n is the number of
votes of each of six policies, so that there are 3 n votes, or the number of raters with 30 votes
each. Studies in which not all policies share a scale have no intervals; they are counted as lost
and left out, as a reader of the report would.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from assay.metrics.preference.agreeing import Drawn, _kendall, agree_rankings
from assay.metrics.preference.bootstrap import resample_strengths
from assay.metrics.preference.counts import Cells as VoteCells
from assay.metrics.preference.counts import Tally, count_cells, count_votes
from assay.metrics.preference.ranking import rank_policies
from assay.metrics.preference.standings import RankingSettings
from proof._cells import SIZES, Cells, add_options, error_of

STRENGTHS = np.array([0.9, 0.5, 0.45, 0.0, -0.45, -1.4])
"""Six policies, two of them nearly equal, as in published arenas."""

Study = tuple[Tally, VoteCells | None]
Draw = Callable[[np.random.Generator, int], Study]
_MOST_LOST = 0.5  # of the studies: what is left over tells of a choice of votes


@dataclass(frozen=True)
class Coverage:
    """Shares over studies.

    Attributes:
        held: The share of intervals that hold the truth.
        pairs: The share of intervals of differences of two policies that do.
        least: The same for the policy that has the least.
        width: Their mean width.
        ranks: The share of studies in which all true ranks lie within the limits.
        parted: The share of studies in which tests part two policies in the wrong order.
        lost: The share of studies without a ranking of all policies.
    """

    held: float
    pairs: float
    least: float
    width: float
    ranks: float
    parted: float
    lost: float


def independent(beta: np.ndarray, nu: float = 0.0) -> Draw:
    """Return votes that know nothing of each other, with ties by Davidson's nu."""

    def draw(rng: np.random.Generator, n: int) -> Study:
        a = rng.integers(0, len(beta), n)
        b = (a + rng.integers(1, len(beta), n)) % len(beta)
        return count_votes(a, b, _outcomes(rng, beta[a] - beta[b], nu), len(beta)), None

    return draw


def of_raters(beta: np.ndarray, raters: int, taste: float) -> Draw:
    """Return votes of people with tastes of their own: beta + N(0, taste^2), per rater.

    The strengths that all raters together lead to are those of the mixture, a little nearer to 0
    than beta; `truth_of` finds them from a very large study.
    """

    def draw(rng: np.random.Generator, n: int) -> Study:
        own = beta + taste * rng.standard_normal((raters, len(beta)))
        rater = rng.integers(0, raters, n)
        a = rng.integers(0, len(beta), n)
        b = (a + rng.integers(1, len(beta), n)) % len(beta)
        outcome = _outcomes(rng, own[rater, a] - own[rater, b], 0.0)
        tally = count_votes(a, b, outcome, len(beta))
        return tally, count_cells(a, b, outcome, rater, len(beta))

    return draw


def _outcomes(rng: np.random.Generator, apart: np.ndarray, nu: float) -> np.ndarray:
    up, down = np.exp(apart / 2), np.exp(-apart / 2)
    lot = rng.random(len(apart)) * (up + down + nu)
    return np.where(lot < up, 1, np.where(lot < up + down, -1, 0))


def truth_of(draw: Draw, policies: int) -> np.ndarray:
    """Return the strengths that endless votes of endless raters lead to."""
    rng = np.random.default_rng(99)
    parts = [draw(rng, 200_000)[0] for _ in range(10)]
    whole = Tally(sum(part.wins for part in parts), sum(part.ties for part in parts))
    return rank_policies(whole, [str(k) for k in range(policies)]).beta


def coverage(
    beta: np.ndarray,
    n: int,
    simulations: int,
    draw: Draw | None = None,
    settings: RankingSettings | None = None,
    *,
    clustered: bool = False,
) -> Coverage:
    """Return how often intervals, rank limits and tests are right over `simulations` studies."""
    rng = np.random.default_rng(1)
    make = draw or independent(beta)
    truth = beta - beta.mean()
    true_rank = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    names = [str(k) for k in range(len(beta))]
    held, pairs, width, ranks, parted, lost = [], [], [], [], [], 0
    for _ in range(simulations):
        tally, cells = make(rng, n)
        found = rank_policies(tally, names, cells if clustered else None, settings)
        standings = {int(one.name): one for one in found.standings}
        if any(one.low is None for one in standings.values()):
            lost += 1
            continue
        low, high = (
            np.array([getattr(standings[k], end) for k in range(len(beta))])
            for end in ("low", "high")
        )
        held.append((low <= truth) & (truth <= high))
        pairs += [p.low <= truth[int(p.a)] - truth[int(p.b)] <= p.high for p in found.pairs]
        width.append((high - low).mean())
        ranks.append(all(s.rank_low <= true_rank[k] <= s.rank_high for k, s in standings.items()))
        wrong = [p for p in found.pairs if p.p_holm < 0.05 and truth[int(p.a)] < truth[int(p.b)]]
        parted.append(bool(wrong))
    if not held:
        return Coverage(*[math.nan] * 6, lost=1.0)
    least = float(np.mean(held, axis=0).min())
    shares = [float(np.mean(part)) for part in (held, pairs, width, ranks, parted)]
    return Coverage(*shares[:2], least, *shares[2:], lost / simulations)


def agreement_coverage(other: np.ndarray, n: int, simulations: int) -> list[float]:
    """Return the coverage of tau, of rho and of tau by the percentile bootstrap, and tau's width.

    The truth is the correlation of the true strengths. Last comes the share of studies without an
    interval; the rest is over the others.
    """
    rng = np.random.default_rng(2)
    names = [str(k) for k in range(len(other))]
    exact = agree_rankings(Drawn(names, STRENGTHS, None), Drawn(names, other, None))
    found = []
    for seed in range(simulations):
        sides = []
        for k, beta in enumerate((STRENGTHS, other)):
            tally, _ = independent(beta)(rng, n)
            start = np.nan_to_num(rank_policies(tally, names).beta)
            drawn = resample_strengths(tally, start=start, resamples=300, seed=2 * seed + k)
            sides.append(Drawn(names, start, drawn))
        ours = agree_rankings(*sides)
        if ours.kendall.low is None or ours.spearman.low is None:
            continue
        usual = np.nanquantile(_kendall(sides[0].resamples, sides[1].resamples), [0.025, 0.975])
        ends = [(figure.low, figure.high) for figure in (ours.kendall, ours.spearman)]
        true = exact.kendall.value, exact.spearman.value, exact.kendall.value
        held = [a - 1e-9 <= t <= b + 1e-9 for (a, b), t in zip([*ends, usual], true, strict=True)]
        found.append([*held, ends[0][1] - ends[0][0]])
    means = np.mean(found, axis=0).tolist() if found else [math.nan] * 4
    return [*means, 1 - len(found) / simulations]


@dataclass(frozen=True)
class Design:
    """What is voted on, by whom, and how it is ranked.

    Attributes:
        who: Who votes.
        kind: Which interval is made.
        draw: Draws votes; None for independent ones.
        settings: How they are ranked.
        clustered: Whether n counts raters, who are told.
    """

    who: str
    kind: str
    draw: Callable[[int], Draw] | None = None
    settings: RankingSettings | None = None
    clustered: bool = False


_EACH = 30  # votes of a rater
DESIGNS = (
    Design("independent votes", "sandwich"),
    Design(
        "independent votes with ties",
        "davidson",
        lambda _: independent(STRENGTHS, 0.5),
        RankingSettings(ties="davidson"),
    ),
    Design("independent votes", "regularised", None, RankingSettings(regularise=True)),
    Design("raters with tastes", "clustered", lambda n: of_raters(STRENGTHS, n, 0.5), None, True),
)


def strengths(simulations: int, cells: Cells) -> None:
    """Print the table of strengths."""
    print("| votes | n | interval | coverage | least | pairs | width | ranks hold | wrong | lost |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    pooled = truth_of(of_raters(STRENGTHS, 4000, 0.5), len(STRENGTHS))
    for design in DESIGNS:
        for n in SIZES:
            beta = pooled if design.clustered else STRENGTHS
            votes = _EACH * n if design.clustered else n * len(STRENGTHS) // 2
            draw = None if design.draw is None else design.draw(n)
            found = coverage(
                beta, votes, simulations, draw, design.settings, clustered=design.clustered
            )
            print(
                f"| {design.who} | {n} | {design.kind} | {found.held:.3f} | {found.least:.3f} |"
                f" {found.pairs:.3f} | {found.width:.2f} | {found.ranks:.3f} | {found.parted:.3f} |"
                f" {found.lost:.3f} |",
                flush=True,
            )
            if found.lost < _MOST_LOST:
                name = f"strength, {design.kind}"
                cells.add(name, "all policies", n, found.held)
                cells.add(name, "the policy held least", n, found.least)
                cells.add("pair of strengths", f"{design.who}, {design.kind}", n, found.pairs)
                cells.add("ranks left open", f"{design.who}, {design.kind}", n, found.ranks)


def agreements(simulations: int, cells: Cells) -> None:
    """Print the table of how far two rankings agree."""
    print(f"\n{simulations} studies a row.\n")
    print(
        "| other ranking | n a side | tau | rho | tau by percentile alone | width of tau | none |"
    )
    print("|---|---|---|---|---|---|---|")
    others = {"the same": STRENGTHS, "some swapped": STRENGTHS[[1, 0, 2, 4, 3, 5]]}
    for name, other in {**others, "reversed": STRENGTHS[::-1]}.items():
        for n in SIZES:
            votes = n * len(STRENGTHS) // 2
            tau, rho, usual, width, none = agreement_coverage(other, votes, simulations)
            shown = f"{tau:.3f} | {rho:.3f} | {usual:.3f} | {width:.2f} | {none:.2f}"
            print(f"| {name} | {n} | {shown} |", flush=True)
            if none >= _MOST_LOST:
                continue
            for figure, held in (("tau", tau), ("rho", rho)):
                cells.add(f"rankings, {figure}", name, n, held, simulations=simulations)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, simulations=1000)
    parts = ("strengths", "agreements")
    parser.add_argument("--only", choices=parts, nargs="+", default=parts, help="measure these")
    options = parser.parse_args()
    cells = Cells(options.json, options.simulations)
    print(f"{options.simulations} studies a row; {error_of(options.simulations)}.\n")
    if "strengths" in options.only:
        strengths(options.simulations, cells)
    if "agreements" in options.only:
        agreements(max(options.simulations // 5, 50), cells)
    cells.write()


if __name__ == "__main__":
    main()
