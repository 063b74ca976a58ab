"""Kill an audit with SIGKILL at random moments, run it again, and compare the files.

    python tests/proof/kill_audit.py [--moments 20] [--seed 0]

Exits with 1 if a stored episode was judged again or a file differs from an undisturbed run's.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from audit_killed import EPISODES, files_of, judged, kill_and_resume, make_source, start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moments", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        source = make_source(root)
        began = time.monotonic()
        assert start(root, source).wait() == 0
        length, expected = time.monotonic() - began, files_of(root / "run")
        print(f"{EPISODES} episodes; an undisturbed audit takes {length:.1f} s")
        sound = midway = 0
        for number in range(options.moments):
            moment = rng.randint(0, EPISODES)  # counted in episodes begun: most time is start-up
            folder = root / f"killed-{number}"
            folder.mkdir()
            found = kill_and_resume(
                folder, source, lambda f=folder, m=moment: len(judged(f)) >= m, expected
            )
            sound += found.sound
            midway += 0 < found.stored < EPISODES
            print(
                f"{number + 1:3}  killed after {moment:3} begun  stored {found.stored:3}  "
                f"judged again {found.twice}  "
                f"files {'identical' if found.identical else 'DIFFERENT'}"
            )
    print(f"{sound} of {options.moments} sound; {midway} were killed with some episodes stored")
    return 0 if sound == options.moments else 1


if __name__ == "__main__":
    sys.exit(main())
