"""Measure how often intervals that may be looked at after every rollout hold the truth.

    python tests/proof/sequence_coverage.py --simulations 10000

"Now" is the interval of the moment, "so far" that of all moments up to it: it is wrong as soon as
one of them was. Both are to hold the truth in 95 % of streams at least, however often one looks. A
mean is inside exactly if the bets against it have not won, so that no interval has to be made.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from proof._cells import SIZES, Cells, add_options, error_of
from proof.anytime import APART, NULLS, Stream, wealth


def coverage(stream: Stream, simulations: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the coverage of the interval of each moment, and of all up to it: (200,) each."""
    values = stream.draw(np.random.default_rng(3), (simulations, max(SIZES)))
    inside = (wealth(values, stream.at_truth) < np.array(stream.at_truth.thresholds)).all(axis=2)
    return inside.mean(axis=1), np.logical_and.accumulate(inside).mean(axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, simulations=10_000)
    options = parser.parse_args()
    cells = Cells(options.json, options.simulations)
    print(f"{options.simulations} streams a row; {error_of(options.simulations)}.\n")
    print(f"| stream | {' | '.join(f'n = {n}: now | so far' for n in SIZES)} |")
    print("|---" * (1 + 2 * len(SIZES)) + "|")
    for stream in (*NULLS, *APART):
        now, so_far = coverage(stream, options.simulations)
        shown = [f"{now[n - 1]:.3f} | {so_far[n - 1]:.3f}" for n in SIZES]
        print(f"| {stream.name} | {' | '.join(shown)} |", flush=True)
        for n in SIZES:
            cells.add("betting", stream.name, n, float(now[n - 1]))
            cells.add("betting, kept", stream.name, n, float(so_far[n - 1]))
    cells.write()


if __name__ == "__main__":
    main()
