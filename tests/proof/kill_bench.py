"""Kill a run of judges on pulse with SIGKILL at random moments, run it again, and compare.

    python tests/proof/kill_bench.py [--runs 3] [--kills 3] [--seed 0]

Prints one line; exits with 1 if what was stored was done again or lost, or if a run did not end as
an undisturbed one does.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from _campaign import campaign

from bench_killed import bench_on, make_benchmark

if __name__ == "__main__":
    sys.exit(
        campaign(
            "assay bench pulse",
            lambda root: bench_on(make_benchmark(root, 40), jobs=2),
            units=12,
            delay_s=0.1,
        )
    )
