# ruff: noqa: T201  # a script: its lines are its result
"""Kill a run with SIGKILL at random moments, resume it, and compare.

    python tests/proof/kill_engine.py [--moments 20] [--seed 0]

Prints a line for each moment and a summary; exits with 1 if a stored unit was executed again, a
worker outlived its run, or the resumed run ended with other items than an undisturbed one.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from engine_killed import COUNT, kill, start, stop_and_resume


def undisturbed() -> float:
    """Return how long a run takes that nobody stops [s]."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        with start(Path(folder)) as process:
            process.wait()
        return time.monotonic() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moments", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    length = undisturbed()
    print(f"{COUNT} units on 2 processes; an undisturbed run takes {length:.2f} s")
    sound = midway = 0
    for index in range(options.moments):
        moment = rng.uniform(0.0, length)
        with tempfile.TemporaryDirectory() as folder:
            due = time.monotonic() + moment
            found = stop_and_resume(Path(folder), lambda due=due: time.monotonic() >= due, kill)
        sound += found.sound
        midway += 0 < found.journalled < COUNT
        print(
            f"{index + 1:3}  killed at {moment:5.2f} s  begun {found.executed:3}  "
            f"stored {found.journalled:3}  stored and run again {found.twice}  "
            f"orphans {found.orphans}  items {'identical' if found.identical else 'DIFFERENT'}"
        )
    print(f"{sound} of {options.moments} sound; {midway} were killed with some units stored")
    return 0 if sound == options.moments else 1


if __name__ == "__main__":
    sys.exit(main())
