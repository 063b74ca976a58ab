"""Kill `assay diagnose` with SIGKILL at random moments, run it again, and compare.

    python tests/proof/kill_diagnose.py [--runs 3] [--kills 3] [--seed 0]

First with instruments, which measure; then with gaze over a model on this machine, which counts how
often it gets each question. Prints a line for each; exits with 1 if a clip that was stored was
looked at again, if an answer that was stored was asked for again, if a kill loses more answers than
there are requests at once, if a question is never asked, or if a run did not end as an undisturbed
one does.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from _campaign import campaign, options_of

from diagnose_killed import AT_ONCE, kill_asking, measuring, write_measured
from glitch_vlm import simulated_clips

CLIPS = 40
GAZE = "assay diagnose --judge gaze"


def asking() -> int:
    """Kill runs that ask a model, print what came of it, and return the exit code."""
    options = options_of(GAZE)
    rng = random.Random(options.seed)
    clips = simulated_clips(options.seed, 0.0)  # ten of each length
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.runs):
            moments = sorted(rng.uniform(0.05, 0.95) for _ in range(options.kills))
            root = Path(folder) / f"run-{number}"
            root.mkdir()
            found.append(kill_asking(root, clips, moments))
    print(
        f"{GAZE}: {len(found)} runs of {len(clips)} clips, killed"
        f" {sum(one.kills for one in found)} times; {sum(one.calls for one in found)} questions,"
        f" {sum(one.sent for one in found)} sent, {sum(one.repeated for one in found)} sent again"
        f" of {sum(one.lost for one in found)} answers lost (at most {AT_ONCE} a kill),"
        f" {sum(one.missing for one in found)} missing;"
        f" {sum(one.identical for one in found)} of {len(found)} ended as an undisturbed run"
    )
    met = all(one.kills == options.kills for one in found)
    return 0 if met and all(one.sound for one in found) else 1


def main() -> int:
    """Run both campaigns."""
    measured = campaign(
        "assay diagnose --judge instruments",
        lambda root: measuring(write_measured(root / "clips", CLIPS), jobs=2),
        units=12,
        delay_s=0.1,
    )
    return max(measured, asking())


if __name__ == "__main__":
    sys.exit(main())
