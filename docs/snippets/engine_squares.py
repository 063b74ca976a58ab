from collections.abc import Callable
from pathlib import Path

from assay.engine import Journal, Unit, run
from assay.engine.progress import ProgressBar


def make_worker() -> Callable[[int], bytes]:
    return lambda number: str(number**2).encode()


if __name__ == "__main__":
    units = (Unit(f"{number:04}", number) for number in range(1000))
    with Journal(Path("journal.sqlite"), "squares, version 1") as journal:
        with ProgressBar("squaring") as bar:
            tally = run(make_worker, units, journal, total=1000, on_tally=bar)
        print(tally.done, tally.failed, dict(journal.items())["0012"])
