"""Measure how often the 95 % intervals of differences hold the truth, and the tests' false alarms.

    python tests/proof/difference_coverage.py --simulations 1000

Prints markdown tables. Policies differ in how a metric is spread: many zeros, near 1, rare
collapse. Paired policies meet the same scene, so that both do well or badly there together. n is
the number of scenes, of episodes of each policy, or of clusters.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from scipy.special import ndtr

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from assay.metrics.differences import (
    Difference,
    DifferenceSettings,
    paired_difference,
    unpaired_difference,
)
from assay.metrics.exact_tests import boschloo, stratified
from assay.metrics.intervals import mean_interval
from assay.metrics.permutations import flip_signs
from assay.metrics.plans import Goal, smallest
from assay.metrics.power import paired_power
from assay.metrics.resampling import Units
from assay.metrics.share_differences import paired_share_difference, unpaired_share_difference
from assay.metrics.success_power import mcnemar_power, two_share_power
from proof._cells import SIZES, Cells, add_options, error_of
from proof.coverage import POPULATIONS as SINGLE

SETTINGS = DifferenceSettings(resamples=1000, permutations=499)
_LARGE = 100_000  # stands for the population: draws are taken from these values
_TOGETHER = 0.5  # correlation of two policies in one scene, on the normal scale

Draw = Callable[[np.random.Generator, int], Difference]


@cache
def population(place: int) -> np.ndarray:
    """Return the sorted values of a population of tests/proof/coverage.py."""
    return np.sort(SINGLE[place].draw(np.random.default_rng(5), _LARGE))


@dataclass(frozen=True)
class Rivals:
    """Two policies, by the places of their populations."""

    a: int
    b: int

    @property
    def name(self) -> str:
        """Return both names."""
        return f"{SINGLE[self.a].name} / {SINGLE[self.b].name}"

    def draw(
        self, rng: np.random.Generator, n: int, together: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return n values of each; `together` is their correlation on the normal scale."""
        scene, *own = rng.standard_normal((3, n))
        found = [ndtr(math.sqrt(together) * scene + math.sqrt(1 - together) * x) for x in own]
        places = [np.minimum((u * _LARGE).astype(int), _LARGE - 1) for u in found]
        return population(self.a)[places[0]], population(self.b)[places[1]]


RIVALS = tuple(
    Rivals(*pair)
    for pair in ((0, 0), (1, 1), (2, 2), (5, 5), (0, 1), (2, 0), (3, 4), (5, 3), (2, 5))
)


@dataclass(frozen=True)
class Truth:
    """The figures of two populations."""

    difference: float
    effect: float
    improvement: float


def truth_of(rivals: Rivals, *, is_paired: bool) -> Truth:
    """Return the figures of the populations; those of pairs from 400,000 drawn ones."""
    a, b = population(rivals.a), population(rivals.b)
    apart = float(a.mean() - b.mean())
    if not is_paired:
        better = (np.searchsorted(b, a, "left") + np.searchsorted(b, a, "right")) / (2 * _LARGE)
        return Truth(apart, apart / math.sqrt((a.var() + b.var()) / 2), float(better.mean()))
    a, b = rivals.draw(np.random.default_rng(9), 400_000, _TOGETHER)
    better = np.where(np.abs(a - b) <= 1e-9, 0.5, a > b)
    return Truth(apart, apart / float(np.std(a - b)), float(better.mean()))


def holds(low: float | None, high: float | None, truth: float) -> bool:
    """Return whether the interval is there and holds the truth, but for rounding."""
    return low is not None and high is not None and low - 1e-9 <= truth <= high + 1e-9


def compare(rivals: Rivals, n: int, *, is_paired: bool) -> Draw:
    """Return a study of n scenes, or of n episodes of each policy."""

    def study(rng: np.random.Generator, seed: int) -> Difference:
        how = replace(SETTINGS, seed=seed % 7)
        a, b = rivals.draw(rng, n, _TOGETHER if is_paired else 0.0)
        return (paired_difference if is_paired else unpaired_difference)(a, b, settings=how)

    return study


def measured(study: Draw, truth: Truth, simulations: int, seed: int = 1) -> list[float]:
    """Return coverage of difference, effect and improvement, width, and the share of p <= 0.05."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(simulations):
        found = study(rng, number)
        rows.append(
            (
                holds(found.low, found.high, truth.difference),
                holds(found.effect.low, found.effect.high, truth.effect),
                holds(found.improvement.low, found.improvement.high, truth.improvement),
                found.high - found.low if found.low is not None else 2.0,
                found.p <= 0.05,
            )
        )
    return np.mean(np.array(rows, dtype=float), axis=0).tolist()


def bootstrap_alone(rivals: Rivals, n: int, truth: float, simulations: int) -> float:
    """Return the coverage of the studentised bootstrap that means use, taken for differences."""
    rng = np.random.default_rng(1)
    held = []
    for _ in range(simulations):
        a, b = rivals.draw(rng, n, _TOGETHER)
        _, low, high, _ = mean_interval(a - b, low=-1.0, resamples=SETTINGS.resamples)
        held.append(holds(low, high, truth))
    return float(np.mean(held))


def dense(simulations: int, cells: Cells) -> Iterator[str]:
    """Yield the rows of the table of dense metrics."""
    heads = "difference | bootstrap-t alone | width | effect | improvement | p <= 0.05"
    yield f"| design | a / b | n | {heads} |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for is_paired in (True, False):
        for rivals in RIVALS:
            truth = truth_of(rivals, is_paired=is_paired)
            for n in SIZES:
                study = compare(rivals, n, is_paired=is_paired)
                held, effect, better, width, alarms = measured(study, truth, simulations)
                name, alone = "unpaired", ""
                if is_paired:
                    name = "paired"
                    alone = f"{bootstrap_alone(rivals, n, truth.difference, simulations):.3f}"
                cells.add(f"{name} difference", rivals.name, n, held)
                cells.add(f"{name} effect", rivals.name, n, effect)
                cells.add(f"{name} improvement", rivals.name, n, better)
                null = "" if truth.difference else " (false alarms)"
                yield (
                    f"| {name} | {rivals.name} | {n} | {held:.3f} | {alone} | {width:.3f}"
                    f" | {effect:.3f} | {better:.3f} | {alarms:.3f}{null} |"
                )


def grouped(simulations: int, cells: Cells) -> Iterator[str]:
    """Yield the rows of designs with tasks and clusters; their true difference is 0.

    Four tasks differ in level and in spread. A cluster of 5 shares a shift, as the episodes of one
    training seed do; one row leaves the clusters out, to show what that costs.
    """
    yield "| design | n | coverage | p <= 0.05 without difference |"
    yield "|---|---|---|---|"
    for is_paired in (True, False):
        kind = "paired" if is_paired else "unpaired"
        for name, clustered, told, sizes in (
            ("4 tasks", False, False, SIZES),
            ("4 tasks, clusters of 5 across tasks", True, True, SIZES),
            ("the same, clusters not told", True, False, (20,)),
        ):
            for n in sizes:
                rows = []
                for number in range(simulations):
                    rng = np.random.default_rng((number, n, 3))
                    rows.append(_grouped_study(rng, n, is_paired, clustered, told))
                held, alarms = np.mean(np.array(rows, dtype=float), axis=0)
                yield f"| {kind}, {name} | {n} | {held:.3f} | {alarms:.3f} |"
                if told or not clustered:
                    key = f"{kind} difference" + (", clusters" if clustered else "")
                    cells.add(key, name, n, float(held))


def _grouped_study(
    rng: np.random.Generator, n: int, is_paired: bool, clustered: bool, told: bool
) -> tuple[bool, bool]:
    """Return whether the interval of one study of n units holds 0, and whether its test cries wolf.

    Each unit is a cluster of 5 episodes, or an episode.
    """
    seeds = np.repeat(np.arange(n), 5 if clustered else 1)
    tasks = np.arange(len(seeds)) % 4
    values = []
    for _ in range(2):
        shift = 0.1 * rng.standard_normal(n)[seeds] if clustered else 0.0
        noise = (0.05 + 0.05 * tasks) * rng.standard_normal(len(seeds))
        values.append(0.2 + 0.15 * tasks + shift + noise)
    how = DifferenceSettings(bounds=(-5.0, 5.0), resamples=500, permutations=199)
    groups = seeds if told else None
    if is_paired:
        found = paired_difference(*values, strata=tasks, clusters=groups, settings=how)
    else:
        both = (groups, groups)
        found = unpaired_difference(*values, strata=(tasks, tasks), clusters=both, settings=how)
    return holds(found.low, found.high, 0.0), found.p <= 0.05


PAIRED_SHARES = ((0.25, 0.25), (0.3, 0.1), (0.1, 0.1), (0.2, 0.0), (0.4, 0.05), (0.05, 0.05))
SHARES = ((0.5, 0.5), (0.5, 0.3), (0.9, 0.7), (0.9, 0.9), (0.1, 0.05), (0.95, 0.5))


@cache
def paired_shares(only_a: int, only_b: int, n: int) -> tuple[float, float, float]:
    """Return interval and p of a table; the same table comes again and again."""
    rest = n - only_a - only_b
    a = np.repeat([1, 0, 0], [only_a, only_b, rest])
    found = paired_share_difference(a, np.repeat([0, 1, 0], [only_a, only_b, rest]))
    return found.low, found.high, found.p


@cache
def two_shares(x: int, y: int, n: int) -> tuple[float, float, float]:
    """Return interval and p of a table of n episodes each."""
    found = unpaired_share_difference(*(np.repeat([1, 0], [k, n - k]) for k in (x, y)))
    return found.low, found.high, found.p


def shares(simulations: int, cells: Cells) -> Iterator[str]:
    """Yield the rows of the table of shares."""
    yield "| design | shares | n | coverage | p <= 0.05 |"
    yield "|---|---|---|---|---|"
    for n in SIZES:
        for p, q in PAIRED_SHARES:
            rng = np.random.default_rng(1)
            tables = rng.multinomial(n, [p, q, 1 - p - q], simulations)[:, :2].tolist()
            held, row = _share_row("paired, only a / only b", p, q, n, paired_shares, tables)
            cells.add("paired share difference", f"only a {p:g}, only b {q:g}", n, held)
            yield row
        for p, q in SHARES:
            rng = np.random.default_rng(1)
            tables = rng.binomial(n, [p, q], (simulations, 2)).tolist()
            held, row = _share_row("unpaired", p, q, n, two_shares, tables)
            cells.add("unpaired share difference", f"shares {p:g} and {q:g}", n, held)
            yield row
        paired_shares.cache_clear()
        two_shares.cache_clear()


def _share_row(name, p, q, n, interval, tables) -> tuple[float, str]:
    found = [interval(x, y, n) for x, y in tables]
    held = np.mean([holds(low, high, p - q) for low, high, _ in found])
    alarms = np.mean([one[2] <= 0.05 for one in found])
    null = " (false alarms)" if p == q else ""
    return float(held), f"| {name} | {p:g} / {q:g} | {n} | {held:.3f} | {alarms:.3f}{null} |"


def share_strata(simulations: int, cells: Cells) -> Iterator[str]:
    """Yield the rows of shares in tasks whose differences differ."""
    yield "| share of a / of b, by task | n of each | coverage | false alarms without difference |"
    yield "|---|---|---|---|"
    for pairs in (((0.2, 0.1), (0.6, 0.4), (0.9, 0.9)), ((0.05, 0.0), (0.95, 0.5), (0.5, 0.6))):
        p, q = np.array(pairs).T
        name = ", ".join(f"{one:g} / {other:g}" for one, other in pairs)
        for n in SIZES:
            rng = np.random.default_rng(1)
            tasks = np.arange(n) % 3
            size = np.bincount(tasks)
            held, alarms = [], []
            for _ in range(simulations):
                a, b = (rng.random(n) < share[tasks] for share in (p, q))
                found = unpaired_share_difference(a, b, strata=(tasks, tasks))
                held.append(holds(found.low, found.high, float(np.mean(p - q))))
                x, y = (np.bincount(tasks, rng.random(n) < q[tasks]) for _ in range(2))
                alarms.append(stratified(x.astype(int), size, y.astype(int), size).p <= 0.05)
            cells.add("unpaired share difference", f"by task: {name}", n, float(np.mean(held)))
            yield f"| {name} | {n} | {np.mean(held):.3f} | {np.mean(alarms):.3f} |"


def power(simulations: int, _: Cells) -> Iterator[str]:
    """Yield how far the planned power is what the reported tests have."""
    yield "| plan for 80 % | n | power by the formula | power simulated |"
    yield "|---|---|---|---|"
    goal = Goal()
    for rivals in RIVALS[4:]:
        rng = np.random.default_rng(2)
        a, b = rivals.draw(rng, 20_000, _TOGETHER)
        pilot = a - b
        n = smallest(lambda n, pilot=pilot: paired_power(pilot, n), goal, 10)
        told = []
        for number in range(simulations):
            a, b = rivals.draw(rng, n, _TOGETHER)
            units = Units.of(a - b, np.full(n, 1 / n), np.arange(n), np.zeros(n, dtype=int))
            told.append(flip_signs(units, permutations=499, seed=number).p <= 0.05)
        formula = paired_power(pilot, n)
        yield f"| sign flips, {rivals.name} | {n} | {formula:.3f} | {np.mean(told):.3f} |"
    for p, q in ((0.3, 0.1), (0.2, 0.0), (0.25, 0.15)):
        n = smallest(lambda n, p=p, q=q: mcnemar_power(p, q, n), goal, 5)
        tables = np.random.default_rng(2).multinomial(n, [p, q, 1 - p - q], simulations)
        told = [paired_shares(x, y, n)[2] <= 0.05 for x, y in tables[:, :2].tolist()]
        yield (
            f"| exact McNemar, {p:g} / {q:g} | {n} | {mcnemar_power(p, q, n):.3f}"
            f" | {np.mean(told):.3f} |"
        )
    for p, q in ((0.6, 0.4), (0.9, 0.7), (0.3, 0.05), (0.99, 0.5)):
        n = smallest(lambda n, p=p, q=q: two_share_power(p, q, n), goal, 5)
        tables = np.random.default_rng(2).binomial(n, [p, q], (simulations, 2)).tolist()
        tested = {pair: boschloo(pair[0], n, pair[1], n).p for pair in set(map(tuple, tables))}
        told = [tested[x, y] <= 0.05 for x, y in tables]
        yield (
            f"| Boschloo, {p:g} / {q:g} | {n} | {two_share_power(p, q, n):.3f}"
            f" | {np.mean(told):.3f} |"
        )


TABLES = {
    "Dense metrics": dense,
    "Tasks and clusters": grouped,
    "Shares": shares,
    "Shares by task": share_strata,
    "Power": power,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, simulations=1000)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    options = parser.parse_args()
    cells = Cells(options.json, options.simulations)
    print(f"{options.simulations} simulations a cell; {error_of(options.simulations)}.")
    for title in options.tables:
        print(f"\n**{title}**\n")
        for row in TABLES[title](options.simulations, cells):
            print(row, flush=True)
    cells.write()


if __name__ == "__main__":
    main()
