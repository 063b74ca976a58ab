"""Kill a training with SIGKILL at random moments, run it again, and compare.

    python tests/proof/kill_train.py [--runs 3] [--kills 3] [--seed 0]

Prints one line; exits with 1 if what was stored was done again or lost, or if a run did not end as
an undisturbed one does.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from _campaign import campaign

from demos import write_demos
from train_killed import train_on

if __name__ == "__main__":
    sys.exit(
        campaign(
            "assay train progress",
            lambda root: train_on(write_demos(root / "demos"), steps=12),
            units=6,
            delay_s=0.5,
        )
    )
