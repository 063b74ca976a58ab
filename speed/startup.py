"""Print how long `import assay` takes beyond numpy, and `assay --help`: medians of fresh processes.

The limits are 0.3 s and 1 s. The runs take turns, so that a busy moment hits all of them.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

RUNS = 11
COMMANDS = {
    "python": [sys.executable, "-c", "pass"],
    "import numpy": [sys.executable, "-c", "import numpy"],
    "import numpy, assay": [sys.executable, "-c", "import numpy, assay"],
    "import numpy, assay.audit": [sys.executable, "-c", "import numpy, assay; assay.audit"],
    "assay --help": [str(Path(sys.executable).with_name("assay")), "--help"],
}


def seconds(command: list[str]) -> float:
    """Return the wall time of one run of `command` [s]."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    for command in COMMANDS.values():  # the first run fills the disk cache and the .pyc files
        seconds(command)
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(RUNS):
        for name, command in COMMANDS.items():
            taken[name].append(seconds(command))
    median = {name: statistics.median(values) for name, values in taken.items()}
    for name, value in median.items():
        print(f"{name:<28} {value:6.3f} s  (from {min(taken[name]):.3f} to {max(taken[name]):.3f})")
    beyond = median["import numpy, assay"] - median["import numpy"]
    help_time = median["assay --help"]
    print(f"{'import assay beyond numpy':<28} {beyond:6.3f} s  (limit 0.3 s)")
    print(f"{'assay --help':<28} {help_time:6.3f} s  (limit 1 s)")
    sys.exit(beyond > 0.3 or help_time > 1.0)


if __name__ == "__main__":
    main()
