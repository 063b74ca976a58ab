"""Writers of one ledger that are killed, and the checks that follow.

As a script it is a writer: `ledger_killed.py FOLDER NAME START COUNT`. Like a run that is taken up
again, it asks only what the ledger does not hold: it notes each question before it is paid for in
NAME.asked, and each answer that `put` has returned for in NAME.kept. As a module it starts writers,
kills them, starts them again, and compares.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from assay.models.ledger import Ledger, key_of
from ledger_made import ADDRESS, REVISION, question, reply, store

THREADS = 8
SHARED = 50  # questions that every writer asks
DEADLINE_S = 600.0


@dataclass(frozen=True)
class Written:
    """What was found in the end.

    Attributes:
        kills: Writers that died of the signal.
        lost: Answers that `put` had returned for and that were gone after the kill.
        again: Questions of one writer that were paid for again although their answer was stored.
        missing: Questions without an answer in the end.
        wrong: Answers that are not those to their questions.
        doubled: Entries beyond one a question.
        codes: Exit codes of the writers in the end.
    """

    kills: int
    lost: int
    again: int
    missing: int
    wrong: int
    doubled: int
    codes: tuple[int, ...]

    @property
    def sound(self) -> bool:
        faults = (self.lost, self.again, self.missing, self.wrong, self.doubled, *self.codes)
        return not any(faults)


def write(folder: Path, name: str, start: int, count: int) -> None:
    """Ask what the ledger does not hold, and store it."""
    asked, kept = (
        os.open(folder / f"{name}.{log}", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        for log in ("asked", "kept")
    )
    with Ledger(folder / "ledger.sqlite") as ledger:

        def one(number: int) -> None:
            if ledger.get(key_of(ADDRESS, REVISION, question(number))) is None:
                os.write(asked, f"{number}\n".encode())
                store(ledger, question(number), reply(f"answer {number}"))
                os.write(kept, f"{number}\n".encode())

        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(one, [*range(SHARED), *range(start, start + count)]))


def numbers(path: Path) -> list[int]:
    """Return the whole lines of a log as numbers."""
    if not path.exists():
        return []
    return [int(line) for line in path.read_text().splitlines(keepends=True) if line[-1] == "\n"]


def run(folder: Path, writers: int, each: int, kills: int, seed: int) -> Written:
    """Have `writers` processes write `each` answers of their own, and kill one now and then."""
    rng = random.Random(seed)
    names = [f"writer-{index}" for index in range(writers)]
    going = {name: _start(folder, name, i, each) for i, name in enumerate(names)}
    lost, died = 0, 0
    safe: dict[tuple[str, int], int] = {}  # how often each had been asked when it was safe
    for turn in range(kills):
        _until(lambda due=(turn + 1) / (kills + 1): _share(folder, names, each) >= due)
        time.sleep(rng.uniform(0.0, 0.05))
        working = [name for name in names if going[name].poll() is None]
        if not working:
            break
        name = rng.choice(working)
        going[name].send_signal(signal.SIGKILL)
        died += going[name].wait() == -signal.SIGKILL
        asked = _asked(folder, [name])
        new = {n for n in numbers(folder / f"{name}.kept") if (name, n) not in safe}
        safe |= {(name, number): asked[name, number] for number in new}
        lost += _gone(folder, new)
        going[name] = _start(folder, name, names.index(name), each)
    codes = tuple(process.wait(DEADLINE_S) for process in going.values())
    asked = _asked(folder, names)
    again = sum(asked[one] > before for one, before in safe.items())
    return _compared(folder, writers * each, died, lost, again, codes)


def _asked(folder: Path, names: list[str]) -> Counter[tuple[str, int]]:
    """Return how often each writer has asked each question."""
    return Counter((name, n) for name in names for n in numbers(folder / f"{name}.asked"))


def _compared(
    folder: Path, count: int, kills: int, lost: int, again: int, codes: tuple[int, ...]
) -> Written:
    wanted = {*range(SHARED), *(SHARED + i for i in range(count))}
    with Ledger(folder / "ledger.sqlite") as ledger:
        found = {n: ledger.get(key_of(ADDRESS, REVISION, question(n))) for n in sorted(wanted)}
        (held,) = ledger.info().held
    return Written(
        kills=kills,
        lost=lost,
        again=again,
        missing=sum(one is None for one in found.values()),
        wrong=sum(one is not None and one.text != f"answer {n}" for n, one in found.items()),
        doubled=held.answers + held.failures - len(wanted),
        codes=codes,
    )


def _gone(folder: Path, safe: set[int]) -> int:
    with Ledger(folder / "ledger.sqlite") as ledger:
        return sum(ledger.get(key_of(ADDRESS, REVISION, question(n))) is None for n in safe)


def _share(folder: Path, names: list[str], each: int) -> float:
    return sum(len(numbers(folder / f"{n}.kept")) for n in names) / (len(names) * each)


def _start(folder: Path, name: str, index: int, each: int) -> subprocess.Popen[bytes]:
    start = SHARED + index * each
    words = [sys.executable, __file__, str(folder), name, str(start), str(each)]
    return subprocess.Popen(words)


def _until(condition) -> None:
    end = time.monotonic() + DEADLINE_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)


if __name__ == "__main__":
    write(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
