"""Measure how often the 95 % intervals of labels and a judge hold the truth when tasks differ.

    python tests/proof/parts_coverage.py --simulations 1000

Labels are few in every task, 5 at least, as `assay compare --human` asks for before it takes means
task by task; tasks have unequal numbers of episodes. Prints a markdown table, n counts the labels.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from assay.metrics.assisted import AssistedSettings, Labelled, assist
from proof._cells import SIZES, Cells, add_options, error_of

Judge = Callable[[np.random.Generator, np.ndarray, int], np.ndarray]
"""Takes labels and the number of their task to scores."""

LEVELS = (0.15, 0.75, 0.45, 0.3)
"""The mean of each task; with 10 labels there are two tasks."""

_OTHERS = (40, 80, 20, 60)  # episodes of each task that nobody labels


def noisy(noise: float) -> Judge:
    """Return a judge who sees progress through noise."""
    return lambda rng, y, _: np.clip(y + noise * rng.standard_normal(len(y)), 0.0, 1.0)


def lenient(rng: np.random.Generator, y: np.ndarray, task: int) -> np.ndarray:
    """Return a judge who is kinder from task to task."""
    return np.clip(0.5 * y + 0.15 * task + 0.1 * rng.standard_normal(len(y)), 0.0, 1.0)


def useless(rng: np.random.Generator, y: np.ndarray, _: int) -> np.ndarray:
    return rng.random(len(y))


JUDGES: dict[str, Judge] = {
    "good": noisy(0.1),
    "poor": noisy(0.5),
    "kinder from task to task": lenient,
    "useless": useless,
}


def coverage(judge: Judge, n: int, simulations: int, seed: int = 1) -> tuple[float, float, float]:
    """Return how often the truth is held with the judge and without, and the ratio of widths."""
    rng = np.random.default_rng(seed)
    tasks = 2 if n < 20 else len(LEVELS)
    labels = n // tasks
    weights = np.array(_OTHERS[:tasks], dtype=float) + labels
    truth = float(np.average(LEVELS[:tasks], weights=weights))
    held, widths = np.zeros(2), np.zeros(2)
    for _ in range(simulations):
        y, f, g, here, there = [], [], [], [], []
        for task in range(tasks):
            total = labels + _OTHERS[task]
            mean = LEVELS[task]
            values = np.where(rng.random(total) < 0.5, rng.beta(9 * mean, 9 * (1 - mean), total), 0)
            values = np.where(values > 0, values, rng.random(total) < mean)  # half all or nothing
            scores = judge(rng, values, task)
            y.append(values[:labels])
            f.append(scores[:labels])
            g.append(scores[labels:])
            here += [task] * labels
            there += [task] * _OTHERS[task]
        parts = [np.concatenate(own) for own in (y, f, g)]
        found = assist(Labelled(*parts, here, there), AssistedSettings(resamples=1000))
        for place, figure in enumerate((found.mean, found.alone)):
            held[place] += figure.low <= truth <= figure.high
            widths[place] += figure.high - figure.low
    return held[0] / simulations, held[1] / simulations, widths[0] / widths[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, simulations=1000)
    options = parser.parse_args()
    cells = Cells(options.json, options.simulations)
    print(f"{options.simulations} simulations a cell; {error_of(options.simulations)}.\n")
    print("| judge | labels | with the judge | labels alone | widths' ratio |")
    print("|---|---|---|---|---|")
    for name, judge in JUDGES.items():
        for n in SIZES:
            helped, alone, ratio = coverage(judge, n, options.simulations)
            print(f"| {name} | {n} | {helped:.3f} | {alone:.3f} | {ratio:.2f} |", flush=True)
            cells.add("labels and judge, by task", name, n, helped)
            cells.add("labels alone, by task", name, n, alone)
    cells.write()


if __name__ == "__main__":
    main()
