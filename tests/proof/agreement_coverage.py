"""Measure how often 95 % intervals of agreement, drops and sim against real hold the truth.

    python tests/proof/agreement_coverage.py --simulations 500

Prints a markdown table; resamples are fewer than in reports, to save time. n is the number of
items, clips or scenes, and for sim against real the number of episodes of each policy on each side.
Coverage is that of the intervals given; "none" is the share of samples that get none, with a
reason.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from assay.metrics.ceiling import label_ceiling, score_ceiling
from assay.metrics.correlation import Figure
from assay.metrics.kappa import cohen_kappa, fleiss_kappa
from assay.metrics.krippendorff import krippendorff_alpha
from assay.metrics.overlap import Spans, span_agreement
from assay.metrics.robustness import Condition, DropSettings, paired_drop
from assay.metrics.sim_real import SimReal, compare_sim_real
from proof._cells import SIZES, Cells, add_options, error_of

Figures = dict[str, Figure]
Sample = Callable[[np.random.Generator, int, int], Figures]
"""Draws n units and returns their figures, with that many resamples."""

_LARGE = 200_000  # stands for the population; its own error is below 0.003
_MOST_WITHOUT = 0.5  # of the studies: what is left over tells of a choice of samples


@dataclass(frozen=True, eq=False)
class Case:
    """A population, and its true figures where they are known without drawing."""

    name: str
    sample: Sample
    truth: dict[str, float] | None = None
    kind: str = ""


def cohen(p: float, kappa: float) -> Case:
    """Return two raters who say yes to a share p, with a known kappa."""
    off = p * (1 - p) * (1 - kappa)
    cells = [(1 - p) - off, off, off, p - off]

    def sample(rng: np.random.Generator, n: int, resamples: int) -> Figures:
        drawn = rng.choice(4, n, p=cells)
        return {"cohen": cohen_kappa(drawn // 2, drawn % 2, resamples=resamples)}

    return Case(f"yes or no, {p:.0%} yes, kappa {kappa:g}", sample, {"cohen": kappa})


def severities(rng: np.random.Generator, n: int, raters: int, noise: float) -> np.ndarray:
    """Return ratings 0..4 of n events, one hidden severity each, of shape (n, raters)."""
    seen = rng.standard_normal((n, 1)) + noise * rng.standard_normal((n, raters))
    return np.searchsorted([-1.0, 0.0, 0.7, 1.4], seen)


def ordinal(noise: float) -> Case:
    def sample(rng: np.random.Generator, n: int, resamples: int) -> Figures:
        rated = severities(rng, n, 3, noise)
        holes = rated.astype(float)
        holes[rng.random(n) < 0.3, 2] = np.nan  # the third rater saw 70 % of the events
        counts = np.stack([(rated == k).sum(axis=1) for k in range(5)], axis=1)
        return {
            "weighted cohen": cohen_kappa(*rated.T[:2], weights="quadratic", resamples=resamples),
            "fleiss": fleiss_kappa(counts, resamples=resamples),
            "alpha nominal": krippendorff_alpha(holes, "nominal", resamples=resamples),
            "alpha ordinal": krippendorff_alpha(holes, "ordinal", resamples=resamples),
            "alpha interval": krippendorff_alpha(holes, "interval", resamples=resamples),
            "ceiling of labels": label_ceiling(rated, resamples=resamples).mean,
        }

    return Case(f"severities 0..4, noise {noise:g}", sample)


def scores(noise: float) -> Case:
    def sample(rng: np.random.Generator, n: int, resamples: int) -> Figures:
        truth = rng.choice([0, 0.25, 0.5, 0.75, 1], n, p=[0.35, 0.15, 0.1, 0.1, 0.3])[:, None]
        seen = np.clip(truth + noise * rng.standard_normal((n, 3)), 0, 1)
        found = np.round(seen * 20) / 20
        return {
            "ceiling of scores": score_ceiling(found, resamples=resamples).mean,
            "alpha interval": krippendorff_alpha(found, "interval", resamples=resamples),
        }

    return Case(f"scores in steps of 5, noise {noise:g}", sample)


def marked(rng: np.random.Generator, n: int, noise: float) -> list[Spans]:
    """Return the spans of two raters: each sees 85 % of the events, and some that are none."""
    clips = np.repeat(np.arange(n), rng.poisson(1.2, n))
    start = rng.uniform(0, 8, len(clips))
    times = np.stack([start, start + rng.uniform(0.5, 3, len(clips))], axis=1)
    raters = []
    for _ in range(2):
        kept = rng.random(len(clips)) < 0.85
        own = np.sort(times[kept] + noise * rng.standard_normal((int(kept.sum()), 2)), axis=1)
        false = np.flatnonzero(rng.random(n) < 0.15)
        alarms = np.sort(rng.uniform(0, 10, (len(false), 2)), axis=1)
        raters.append(Spans(np.concatenate([own, alarms]), np.concatenate([clips[kept], false])))
    return raters


def spans(noise: float) -> Case:
    def sample(rng: np.random.Generator, n: int, resamples: int) -> Figures:
        found = span_agreement(marked(rng, n, noise), n, resamples=resamples)
        return {"iou": found.iou, "f1": found.f1, "f1_all": found.f1_all}

    return Case(f"spans, ends off by {noise:g} s", sample)


def drops(name: str, before: float, after: float, *, dense: bool) -> Case:
    """Return scenes of which some are harder than others, with and without a perturbation."""

    def sample(rng: np.random.Generator, n: int, resamples: int) -> Figures:
        ease = rng.standard_normal(n)
        sides = []
        for level in (before, after):
            chance = 1 / (1 + np.exp(-(level + 1.5 * ease)))
            values = rng.beta(4 * chance, 4 * (1 - chance)) if dense else rng.random(n) < chance
            sides.append({str(k): [v] for k, v in enumerate(values.astype(float))})
        settings = DropSettings(resamples=resamples)
        found = paired_drop(sides[0], Condition("light", 1.0, sides[1]), settings)
        return {"drop": found.drop, "relative drop": found.relative}

    return Case(f"{name}, {'progress' if dense else 'success'}", sample)


def policies(name: str, sim: list[float], real: list[float], *, dense: bool = False) -> Case:
    def named(found: SimReal) -> Figures:
        return {k: getattr(found, k) for k in ("pearson", "spearman", "kendall", "mmrv")}

    def side(rng: np.random.Generator, n: int, means: list[float]) -> dict[str, np.ndarray]:
        if dense:
            return {str(k): rng.beta(3 * mean, 3 * (1 - mean), n) for k, mean in enumerate(means)}
        return {str(k): (rng.random(n) < mean) * 1.0 for k, mean in enumerate(means)}

    def sample(rng: np.random.Generator, n: int, resamples: int) -> Figures:
        return named(compare_sim_real(side(rng, n, sim), side(rng, n, real), resamples=resamples))

    sure = [{str(k): np.array([mean]) for k, mean in enumerate(means)} for means in (sim, real)]
    exact = {k: figure.value for k, figure in named(compare_sim_real(*sure)).items()}
    return Case(f"{name}, {'progress' if dense else 'success'}", sample, exact, "sim and real ")


SPREAD = ([0.1, 0.3, 0.5, 0.6, 0.8, 0.9], [0.15, 0.25, 0.55, 0.5, 0.7, 0.95])
CASES = (
    cohen(0.3, 0.4),
    cohen(0.3, 0.8),
    cohen(0.5, 0.0),
    cohen(0.1, 0.6),
    ordinal(0.5),
    ordinal(1.0),
    scores(0.1),
    scores(0.4),
    spans(0.2),
    spans(0.6),
    drops("a fair drop", 1.0, 0.0, dense=False),
    drops("a fair drop", 1.0, 0.0, dense=True),
    drops("no drop", 0.0, 0.0, dense=False),
    drops("a collapse", 1.5, -3.0, dense=False),
    policies("six apart", *SPREAD),
    policies("six apart", *SPREAD, dense=True),
    policies("six close", [0.4, 0.45, 0.5, 0.55, 0.6, 0.7], [0.5, 0.45, 0.55, 0.6, 0.5, 0.65]),
    policies("five in one order", [0.2, 0.4, 0.5, 0.7, 0.85], [0.1, 0.3, 0.45, 0.6, 0.8]),
    policies("four, poorly", [0.3, 0.5, 0.6, 0.8], [0.6, 0.3, 0.7, 0.5]),
    policies("five near the ends", [0.02, 0.05, 0.5, 0.95, 0.98], [0.05, 0.1, 0.4, 0.9, 0.97]),
    policies("ten very close", np.linspace(0.3, 0.6, 10), np.linspace(0.25, 0.65, 10)),
)


@cache
def truth_of(case: Case) -> dict[str, float]:
    """Return the figures of the population: known, or from a very large sample."""
    if case.truth is not None:
        return case.truth
    found = case.sample(np.random.default_rng(9), _LARGE, 1)
    return {name: figure.value for name, figure in found.items()}


def coverage(
    case: Case, n: int, simulations: int, resamples: int = 2000, seed: int = 1
) -> dict[str, tuple[float, float, float]]:
    """Return of each figure the coverage, the share without interval and the mean width."""
    truth, rng = truth_of(case), np.random.default_rng(seed)
    ends: dict[str, list[tuple[float, float]]] = {name: [] for name in truth}
    for _ in range(simulations):
        for name, figure in case.sample(rng, n, resamples).items():
            if figure.low is not None:
                ends[name].append((figure.low, figure.high))
    found = {}
    for name, true in truth.items():
        low, high = np.array(ends[name]).reshape(-1, 2).T
        held = np.mean((low <= true + 1e-9) & (true - 1e-9 <= high)) if len(low) else math.nan
        width = np.mean(high - low) if len(low) else math.nan
        found[name] = float(held), 1 - len(low) / simulations, float(width)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, simulations=500)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--resamples", type=int, default=500, help="of each interval")
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    options = parser.parse_args()
    cells = Cells(options.json, options.simulations)
    print(f"{options.simulations} simulations a cell; {error_of(options.simulations)}.\n")
    print("| population | figure | n | coverage | none | width |")
    print("|---|---|---|---|---|---|")
    for case in CASES:
        for n in options.sizes if options.only in f"{case.kind}{case.name}" else ():
            found = coverage(case, n, options.simulations, options.resamples)
            for name, (held, none, width) in found.items():
                print(
                    f"| {case.name} | {name} | {n} | {held:.3f} | {none:.2f} | {width:.2f} |",
                    flush=True,
                )
                if none < _MOST_WITHOUT:
                    cells.add(f"{case.kind}{name}", case.name, n, held)
    cells.write()


if __name__ == "__main__":
    main()
