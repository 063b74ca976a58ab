"""Measure how often the 95 % intervals of labels and a judge hold the truth, beside labels alone.

    python tests/proof/assisted_coverage.py --simulations 1000

Prints a markdown table. The judge is good, useless, biased, or blind to rare failures; an interval
is worth something if it covers in all these cases and is shorter in some.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from assay.metrics.assisted import AssistedSettings, Labelled, assist
from assay.metrics.correlation import Figure

Draw = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]
SETTINGS = AssistedSettings(resamples=1000)


@dataclass(frozen=True)
class Judge:
    """Labels and a judge's scores as they come together, with the true mean of the labels."""

    name: str
    draw: Draw
    mean: float


def progress(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return what people see: 60 % of the episodes get nowhere, the others anywhere."""
    return np.where(rng.random(n) < 0.6, 0.0, rng.beta(2, 2, n))


def scored(scale: float, shift: float, noise: float) -> Draw:
    """Return a judge that sees progress on a scale of its own, and through noise."""

    def draw(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        y = progress(rng, n)
        return y, np.clip(shift + scale * y + noise * rng.standard_normal(n), 0.0, 1.0)

    return draw


def useless(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    return progress(rng, n), rng.random(n)


def success(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return success as people see it, and a judge who knows how likely it is."""
    chance = rng.beta(0.7, 0.7, n)
    return (rng.random(n) < chance).astype(float), chance


def blind(noise: float) -> Draw:
    """Return a judge who is right but for one episode in ten, where it overlooks a failure."""

    def draw(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        f = rng.beta(8, 2, n)
        seen = np.clip(f + noise * rng.standard_normal(n), 0.0, 1.0)
        return np.where(rng.random(n) < 0.1, 0.0, f), seen

    return draw


JUDGES = (
    Judge("good", scored(1.0, 0.0, 0.1), 0.2),
    Judge("poor", scored(1.0, 0.0, 0.5), 0.2),
    Judge("useless", useless, 0.2),
    Judge("biased: 0.3 + 0.5 y", scored(0.5, 0.3, 0.1), 0.2),
    Judge("turned round: 0.9 - 0.8 y", scored(-0.8, 0.9, 0.1), 0.2),
    Judge("success and its chance", success, 0.5),
    Judge("overlooks 10 %, else exact", blind(0.0), 0.9 * 0.8),
    Judge("overlooks 10 %, else near", blind(0.03), 0.9 * 0.8),
)


@dataclass
class Tally:
    """Intervals that held the truth, and their widths."""

    held: int = 0
    width: float = 0.0

    def add(self, figure: Figure, truth: float) -> None:
        """Count one interval; without one the truth was not held."""
        if figure.low is not None and figure.high is not None:
            self.held += figure.low <= truth <= figure.high
            self.width += figure.high - figure.low


def coverage(judge: Judge, n: int, others: int, simulations: int, seed: int = 1) -> list[Tally]:
    """Return the tallies with the judge, by the normal interval, and of the labels alone."""
    rng = np.random.default_rng(seed)
    tallies = [Tally(), Tally(), Tally()]
    for _ in range(simulations):
        y, f = judge.draw(rng, n + others)
        data = Labelled(y[:n], f[:n], f[n:])
        ours = assist(data, SETTINGS)
        normal = assist(data, replace(SETTINGS, method="normal"))
        for tally, figure in zip(tallies, (ours.mean, normal.mean, ours.alone), strict=True):
            tally.add(figure, judge.mean)
    return tallies


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=1000)
    simulations = parser.parse_args().simulations
    error = math.sqrt(0.95 * 0.05 / simulations)
    print(f"{simulations} simulations a cell; Monte-Carlo error of a coverage: {error:.3f}.\n")
    heads = "with the judge | width | normal | width | labels alone | width | widths' ratio"
    print(f"| judge | labels | others | {heads} |")
    print("|---|---|---|" + "---|" * 7)
    for judge in JUDGES:
        for n, others in ((10, 100), (20, 20), (20, 200), (50, 500), (200, 2000)):
            tallies = coverage(judge, n, others, simulations)
            cells = [f"{t.held / simulations:.3f} | {t.width / simulations:.3f}" for t in tallies]
            ratio = tallies[0].width / tallies[2].width
            print(
                f"| {judge.name} | {n} | {others} | {' | '.join(cells)} | {ratio:.2f} |", flush=True
            )


if __name__ == "__main__":
    main()
