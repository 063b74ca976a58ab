"""Have 4 processes write 20,000 answers into one ledger, kill them now and then, and compare.

    python tests/proof/kill_ledger.py [--kills 20] [--each 5000] [--seed 0]

One writer at a time is killed, at a random moment, and started again while the others go on. Exits
with 1 if an answer that was stored is gone or was paid for again, if one is missing, wrong or there
twice, if a writer ended badly, or if a kill came too late to meet one at work.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ledger_killed import run

WRITERS = 4


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--each", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        found = run(Path(folder), WRITERS, options.each, options.kills, options.seed)
    print(
        f"{WRITERS} processes, {WRITERS * options.each:,} answers, {found.kills} of {options.kills}"
        f" kills met a writer at work, {time.perf_counter() - begun:.0f} s:"
        f" lost {found.lost}, paid for again {found.again}, missing {found.missing},"
        f" wrong {found.wrong}, doubled {found.doubled}, exit codes {found.codes}"
    )
    return 0 if found.sound and found.kills == options.kills else 1


if __name__ == "__main__":
    sys.exit(main())
