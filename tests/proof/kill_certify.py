"""Kill a certification with SIGKILL at random moments, run it again, and compare.

    python tests/proof/kill_certify.py [--runs 3] [--kills 3] [--seed 0]

Prints one line; exits with 1 if what was stored was done again or lost, or if a run did not end as
an undisturbed one does.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from _campaign import campaign

from certify_killed import certify_on, make_clips

if __name__ == "__main__":
    sys.exit(
        campaign(
            "assay certify",
            lambda root: certify_on(make_clips(root / "clips", 12), jobs=2),
            units=40,
            delay_s=0.2,
        )
    )
