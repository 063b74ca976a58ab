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
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from engine_killed import COUNT, kill, stop_and_resume
from engine_workers import lines


def moment(folder: Path, begun: int, delay_s: float) -> Callable[[], bool]:
    """Return a condition that comes true `delay_s` after the unit number `begun` has begun.

    Counted in units and not in seconds, so that a busy machine is killed midway as well.
    """
    due: list[float] = []

    def came() -> bool:
        if not due and len(lines(folder / "log")) >= begun:
            due.append(time.monotonic() + delay_s)
        return bool(due) and time.monotonic() >= due[0]

    return came


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moments", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    sound = killed = 0
    for index in range(options.moments):
        begun, delay_s = rng.randrange(COUNT), rng.uniform(0.0, 0.05)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            found = stop_and_resume(folder, moment(folder, begun, delay_s), kill)
        sound += found.sound
        killed += found.code == -9
        print(
            f"{index + 1:3}  killed {1000 * delay_s:2.0f} ms after unit {begun:3}  "
            f"begun {found.executed:3}  stored {found.journalled:3}  "
            f"stored and run again {found.twice}  orphans {found.orphans}  "
            f"items {'identical' if found.identical else 'DIFFERENT'}"
            f"{'' if found.code == -9 else '  (had ended before)'}"
        )
    print(f"{sound} of {options.moments} sound; {killed} were killed before they had ended")
    return 0 if sound == options.moments else 1


if __name__ == "__main__":
    sys.exit(main())
