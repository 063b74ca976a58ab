"""Measure how often the 95 % intervals of labels and a judge hold the truth, beside labels alone.

    python tests/proof/assisted_coverage.py --simulations 1000

Prints a markdown table. The judge is good, useless, biased, or blind to rare failures; an interval
is worth something if it covers in all these cases and is shorter in some.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from assay.metrics.assisted import AssistedSettings, Labelled, assist
from assay.metrics.correlation import Figure
from proof._cells import Cells, add_options, error_of

Draw = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]
SETTINGS = AssistedSettings(resamples=1000)
_LARGE = 200_000  # stands for the population


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
    """Return the tallies with the judge, by the normal interval, and of the labels alone.

    Then come those of the correlation of the judge with the labels, and of the number of labels
    that would do as well alone, whose truth is that at the true correlation.
    """
    rng = np.random.default_rng(seed)
    tallies = [Tally() for _ in range(5)]
    rho = float(np.corrcoef(*judge.draw(np.random.default_rng(9), _LARGE))[0, 1])
    effective = n / (1.0 - rho**2 * others / (n + others))
    truths = (judge.mean, judge.mean, judge.mean, rho, effective)
    for _ in range(simulations):
        y, f = judge.draw(rng, n + others)
        data = Labelled(y[:n], f[:n], f[n:])
        ours = assist(data, SETTINGS)
        normal = assist(data, replace(SETTINGS, method="normal"))
        figures = (ours.mean, normal.mean, ours.alone, ours.correlation, ours.effective)
        for tally, figure, truth in zip(tallies, figures, truths, strict=True):
            tally.add(figure, truth)
    return tallies


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, simulations=1000)
    options = parser.parse_args()
    simulations = options.simulations
    cells = Cells(options.json, simulations)
    print(f"{simulations} simulations a cell; {error_of(simulations)}.\n")
    heads = "with the judge | width | normal | width | labels alone | width | widths' ratio"
    print(f"| judge | labels | others | {heads} | correlation | effective labels |")
    print("|---|---|---|" + "---|" * 9)
    for judge in JUDGES:
        for n, others in ((10, 100), (20, 20), (20, 200), (50, 500), (200, 2000)):
            tallies = coverage(judge, n, others, simulations)
            shares = [t.held / simulations for t in tallies]
            shown = [f"{t.held / simulations:.3f} | {t.width / simulations:.3f}" for t in tallies]
            ratio = tallies[0].width / tallies[2].width
            rest = f"{ratio:.2f} | {shares[3]:.3f} | {shares[4]:.3f}"
            print(
                f"| {judge.name} | {n} | {others} | {' | '.join(shown[:3])} | {rest} |", flush=True
            )
            case = f"{judge.name}, {others} others"
            for name, place in (("labels and judge", 0), ("labels alone", 2), ("effective", 4)):
                cells.add(name, case, n, shares[place])
    cells.write()


if __name__ == "__main__":
    main()
