"""A run to be killed, and the checks that follow.

As a script it is the run: `engine_killed.py FOLDER BOUND`. As a module it starts that script, stops
it with a signal, resumes it, and compares what was executed with what the journal held.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from assay.engine import Journal, run
from engine_workers import lines, logging_mixed, numbers

COUNT = 300
EXPECTED = [(unit.key, str(unit.payload**2).encode()) for unit in numbers(COUNT)]
DEADLINE_S = 60.0


@dataclass(frozen=True)
class Stopped:
    """What was found after a signal and a resume.

    Attributes:
        code: Exit code of the stopped run; minus the signal's number if it died of it.
        seconds: From the signal to the end of the run [s].
        journalled: Units with a result when the run was stopped.
        executed: Units begun before the run was stopped.
        orphans: Worker processes that outlived the run.
        twice: Units with a result that were executed again.
        identical: Whether the resumed run ended with the items of an undisturbed one.
    """

    code: int
    seconds: float
    journalled: int
    executed: int
    orphans: int
    twice: int
    identical: bool

    @property
    def sound(self) -> bool:
        return self.identical and not self.orphans and not self.twice


def start(folder: Path, bound: str = "cpu", hold: str = "") -> subprocess.Popen[bytes]:
    """Start the run in a process group of its own, as a shell does."""
    command = [sys.executable, __file__, str(folder), bound]
    env = {**os.environ, "ASSAY_TEST_HOLD": hold}
    return subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, env=env)


def stop_and_resume(
    folder: Path,
    when: Callable[[], bool],
    send: Callable[[subprocess.Popen[bytes]], None],
    bound: str = "cpu",
    hold: str = "",
) -> Stopped:
    """Start a run, send a signal once `when` says so, look at what is left, run it again."""
    with start(folder, bound, hold) as stopped:
        until(lambda: when() or stopped.poll() is not None)
        sent = time.monotonic()
        send(stopped)
        stopped.wait(DEADLINE_S)
        took = time.monotonic() - sent
    orphans = survivors(folder)
    first = Counter(lines(folder / "log"))
    with Journal(folder / "journal.sqlite", "f") as journal:
        kept = {str(int(key)) for key in journal.done()}
    with start(folder, bound) as resumed:
        resumed.wait(DEADLINE_S)
    total = Counter(lines(folder / "log"))
    with Journal(folder / "journal.sqlite", "f") as journal:
        items = list(journal.items())
    return Stopped(
        code=stopped.returncode,
        seconds=took,
        journalled=len(kept),
        executed=first.total(),
        orphans=orphans,
        twice=sum(total[number] != 1 for number in kept),
        identical=items == EXPECTED and resumed.returncode == 0,
    )


def survivors(folder: Path) -> int:
    """Return the number of workers still alive after a patient wait."""
    pids = [int(pid) for pid in lines(folder / "pids")]
    until(lambda: not any(alive(pid) for pid in pids), patience=10.0)
    return sum(alive(pid) for pid in pids)


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that only waits to be reaped does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def until(condition: Callable[[], bool], patience: float = DEADLINE_S) -> None:
    end = time.monotonic() + patience
    while not condition() and time.monotonic() < end:
        time.sleep(0.002)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the run alone: its workers must notice by themselves."""
    process.kill()


def press_ctrl_c(process: subprocess.Popen[bytes]) -> None:
    """Interrupt the whole process group, as a terminal does."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)


def terminate(process: subprocess.Popen[bytes]) -> None:
    process.terminate()


def main(folder: Path, bound: str) -> int:
    worker = partial(logging_mixed, folder / "log", folder / "pids")
    with Journal(folder / "journal.sqlite", "f") as journal:
        try:
            run(worker, numbers(COUNT), journal, bound=bound, jobs=2)
        except KeyboardInterrupt:
            return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
