"""Kill a rollout with SIGKILL at random moments, run it again, and compare the files.

    python tests/proof/kill_rollout.py [--moments 20] [--attempts 8] [--seed 0]

Exits with 1 if a stored attempt was repeated or a file differs from an undisturbed run's.
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

from rollout_killed import begun, files_of, kill_and_resume, start


def moment(folder: Path, count: int, delay_s: float) -> Callable[[], bool]:
    """Return a condition that comes true `delay_s` after attempt number `count` has begun."""
    due: list[float] = []

    def came() -> bool:
        if not due and begun(folder) >= count:
            due.append(time.monotonic() + delay_s)
        return bool(due) and time.monotonic() >= due[0]

    return came


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moments", type=int, default=20)
    parser.add_argument("--attempts", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        (root / "whole").mkdir()
        assert start(root / "whole", options.attempts, jobs=1).wait() == 0
        expected = files_of(root / "whole" / "run")
        sound = midway = 0
        for number in range(options.moments):
            count, delay_s = rng.randint(0, options.attempts), rng.uniform(0.0, 1.0)
            folder = root / f"killed-{number}"
            folder.mkdir()
            came = moment(folder, count, delay_s)
            found = kill_and_resume(folder, options.attempts, came, expected)
            sound += found.sound
            midway += 0 < found.stored < options.attempts
            print(
                f"{number + 1:3}  killed {1000 * delay_s:4.0f} ms after {count} begun  "
                f"stored {found.stored}  repeated {found.repeated}  "
                f"files {'identical' if found.identical else 'DIFFERENT'}"
            )
    print(f"{sound} of {options.moments} sound; {midway} were killed with some attempts stored")
    return 0 if sound == options.moments else 1


if __name__ == "__main__":
    sys.exit(main())
