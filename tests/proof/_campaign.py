"""Kill a verb again and again, at random moments: what the proofs of this folder share."""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

from killed import Moment, Verb, kill_and_resume


def options_of(name: str) -> argparse.Namespace:
    """Return how often a campaign is to kill what is called `name`, from the command line."""
    parser = argparse.ArgumentParser(description=f"Kill {name} with SIGKILL at random moments.")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--kills", type=int, default=3, help="of each run, if it lasts so long")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def campaign(name: str, make: Callable[[Path], Verb], units: int, delay_s: float) -> int:
    """Kill runs of a verb at random moments, print what came of it, and return the exit code.

    Args:
        name: What the verb is called.
        make: Makes it in a folder.
        units: The most units that a run begins before it is killed.
        delay_s: The longest time that it has after that.
    """
    options = options_of(name)
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        verb = make(root)
        expected = verb.whole(root / "whole")
        found = [
            kill_and_resume(
                verb,
                root / f"killed-{number}",
                [
                    Moment(rng.randint(0, units), rng.uniform(0, delay_s))
                    for _ in range(options.kills)
                ],
                expected,
            )
            for number in range(options.runs)
        ]
    print(
        f"{name}: {len(found)} runs, killed {sum(one.kills for one in found)} times with"
        f" {sum(one.stored for one in found)} results stored at the last;"
        f" {sum(one.again for one in found)} stored and begun again,"
        f" {sum(one.lost for one in found)} lost;"
        f" {sum(one.identical for one in found)} of {len(found)} ended as an undisturbed run"
    )
    return 0 if all(one.sound for one in found) else 1
