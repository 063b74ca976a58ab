"""Measure how often the 95 % intervals of strengths hold the truth, and what ranks and tiers claim.

    python tests/proof/rank_coverage.py --simulations 1000

Prints markdown tables; "least" is the coverage of the policy that has the least. Studies in which
not all policies share a scale have no intervals; they are counted as lost and left out, as a reader
of the report would.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assay.metrics.preference.agreeing import Drawn, _kendall, agree_rankings
from assay.metrics.preference.bootstrap import resample_strengths
from assay.metrics.preference.counts import Cells, Tally, count_cells, count_votes
from assay.metrics.preference.ranking import rank_policies
from assay.metrics.preference.standings import RankingSettings

STRENGTHS = np.array([0.9, 0.5, 0.45, 0.0, -0.45, -1.4])
"""Six policies, two of them nearly equal, as in published arenas."""

Study = tuple[Tally, Cells | None]
Draw = Callable[[np.random.Generator, int], Study]


@dataclass(frozen=True)
class Coverage:
    """Shares over studies.

    Attributes:
        held: The share of intervals that hold the truth.
        least: The same for the policy that has the least.
        width: Their mean width.
        ranks: The share of studies in which all true ranks lie within the limits.
        parted: The share of studies in which tests part two policies in the wrong order.
        lost: The share of studies without a ranking of all policies.
    """

    held: float
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
    held, width, ranks, parted, lost = [], [], [], [], 0
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
        width.append((high - low).mean())
        ranks.append(all(s.rank_low <= true_rank[k] <= s.rank_high for k, s in standings.items()))
        wrong = [p for p in found.pairs if p.p_holm < 0.05 and truth[int(p.a)] < truth[int(p.b)]]
        parted.append(bool(wrong))
    if not held:
        return Coverage(*[math.nan] * 5, lost=1.0)
    least = float(np.mean(held, axis=0).min())
    shares = [float(np.mean(part)) for part in (held, width, ranks, parted)]
    return Coverage(shares[0], least, *shares[1:], lost / simulations)


def agreement_coverage(other: np.ndarray, n: int, simulations: int) -> list[float]:
    """Return the coverage of tau, of rho and of tau by the percentile bootstrap, and tau's width.

    The truth is the correlation of the true strengths.
    """
    rng = np.random.default_rng(2)
    names = [str(k) for k in range(len(other))]
    exact = agree_rankings(Drawn(names, STRENGTHS, None), Drawn(names, other, None))
    found = np.zeros(4)
    for seed in range(simulations):
        sides = []
        for k, beta in enumerate((STRENGTHS, other)):
            tally, _ = independent(beta)(rng, n)
            start = np.nan_to_num(rank_policies(tally, names).beta)
            drawn = resample_strengths(tally, start=start, resamples=300, seed=2 * seed + k)
            sides.append(Drawn(names, start, drawn))
        ours = agree_rankings(*sides)
        usual = np.nanquantile(_kendall(sides[0].resamples, sides[1].resamples), [0.025, 0.975])
        ends = [(figure.low, figure.high) for figure in (ours.kendall, ours.spearman)]
        true = exact.kendall.value, exact.spearman.value, exact.kendall.value
        held = [a - 1e-9 <= t <= b + 1e-9 for (a, b), t in zip([*ends, usual], true, strict=True)]
        found += [*held, ends[0][1] - ends[0][0]]
    return (found / simulations).tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=1000)
    simulations = parser.parse_args().simulations
    error = math.sqrt(0.95 * 0.05 / simulations)
    print(f"{simulations} studies a row; Monte-Carlo error of a share of 0.95: {error:.3f}.\n")
    print(
        "| votes of | n | interval | coverage | least | width | ranks hold | wrong order | lost |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    tied = RankingSettings(ties="davidson")
    plump = RankingSettings(regularise=True)
    raters = of_raters(STRENGTHS, 12, 0.5)
    many = of_raters(STRENGTHS, 40, 0.5)
    pooled = truth_of(of_raters(STRENGTHS, 4000, 0.5), len(STRENGTHS))
    rows = [
        *[
            ("independent", n, "sandwich", None, None, False)
            for n in (50, 100, 200, 600, 2000, 8749)
        ],
        *[
            ("independent, ties", n, "davidson", independent(STRENGTHS, 0.5), tied, False)
            for n in (100, 600)
        ],
        *[("independent", n, "regularised", None, plump, False) for n in (50, 100, 600)],
        *[
            ("12 raters", n, kind, raters, None, kind == "clustered")
            for n in (600, 2000)
            for kind in ("sandwich", "clustered")
        ],
        *[
            ("40 raters", n, kind, many, None, kind == "clustered")
            for n in (600, 2000)
            for kind in ("sandwich", "clustered")
        ],
    ]
    for who, n, kind, draw, settings, clustered in rows:
        beta = pooled if "raters" in who else STRENGTHS
        found = coverage(beta, n, simulations, draw, settings, clustered=clustered)
        print(
            f"| {who} | {n} | {kind} | {found.held:.3f} | {found.least:.3f} |"
            f" {found.width:.2f} | {found.ranks:.3f} | {found.parted:.3f} | {found.lost:.3f} |",
            flush=True,
        )
    fewer = max(simulations // 5, 50)
    print(f"\n{fewer} studies a row.\n")
    print("| other ranking | n a side | tau | rho | tau by percentile alone | width of tau |")
    print("|---|---|---|---|---|---|")
    others = {"the same": STRENGTHS, "some swapped": STRENGTHS[[1, 0, 2, 4, 3, 5]]}
    for name, other in {**others, "reversed": STRENGTHS[::-1]}.items():
        for n in (200, 600, 2000):
            tau, rho, usual, width = agreement_coverage(other, n, fewer)
            shown = f"{tau:.3f} | {rho:.3f} | {usual:.3f} | {width:.2f}"
            print(f"| {name} | {n} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
