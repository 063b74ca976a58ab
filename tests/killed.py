"""Kill a verb with SIGKILL, run it again, and see what that changed. All verbs share this."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEADLINE_S = 300.0
LOG = "ASSAY_TEST_LOG"
HOLD = "ASSAY_TEST_HOLD"  # the unit that waits for the kill
CLOCKS = {"timing.json", "log.jsonl"}
OUTSIDE = CLOCKS | {"usage.json", "usage.js"}  # and what a command paid for, which a resume did not
ASSAY = ("-m", "assay")


@dataclass(frozen=True)
class Verb:
    """A verb that can be killed.

    Attributes:
        words: The command, but for its name. It runs in a folder of its own.
        stored: The units whose results are safe, by name; those of a finished run need not be told.
        result: What must be the same in the end however often it was killed.
        code: What it exits with.
        script: What python runs.
    """

    words: Sequence[object]
    stored: Callable[[Path], set[str]]
    result: Callable[[Path], Any]
    code: int = 0
    script: Sequence[object] = ASSAY

    def start(self, folder: Path, hold: str = "") -> subprocess.Popen[bytes]:
        """Start it in `folder`, or take it up again."""
        return start(folder, [*self.script, *self.words], hold=hold)

    def whole(self, folder: Path) -> Any:
        """Run it undisturbed in `folder` and return its result."""
        folder.mkdir()
        assert self.start(folder).wait(DEADLINE_S) == self.code
        return self.result(folder)


@dataclass(frozen=True)
class Moment:
    """When to kill: so long after a run has begun so many units, and so many are stored.

    A unit whose name begins with `hold` waits for it, so that the run can't end before.
    """

    units: int
    delay_s: float = 0.0
    stored: int = 0
    hold: str = ""


@dataclass(frozen=True)
class Found:
    """What a killed and resumed run showed.

    Attributes:
        kills: How often it was killed before it had ended.
        stored: Units with a result when it was killed for the last time.
        again: Units that had a result and were begun again.
        lost: Units that had a result and have none any more.
        identical: Whether it ended as an undisturbed run does.
    """

    kills: int
    stored: int
    again: int
    lost: int
    identical: bool

    @property
    def sound(self) -> bool:
        return self.identical and not self.again and not self.lost


def start(
    folder: Path,
    words: Sequence[object],
    *,
    log: str = "begun.log",
    stderr: int = subprocess.DEVNULL,
    hold: str = "",
) -> subprocess.Popen[bytes]:
    """Start python with `words` in `folder`; `note` writes to `log` there."""
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [sys.executable, *map(str, words)],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            LOG: str(folder / log),
            HOLD: hold,
        },
        stdout=subprocess.DEVNULL,
        stderr=stderr,
    )


def note(unit: str) -> None:
    """Tell that a unit is begun; the environment names the file, since options tell runs apart."""
    with Path(os.environ[LOG]).open("a") as log:
        log.write(f"{unit}\n")
    if (held := os.environ.get(HOLD)) and unit.startswith(held):
        time.sleep(DEADLINE_S)  # it is killed meanwhile


def begun(folder: Path, log: str = "begun.log") -> list[str]:
    """The units begun so far in all runs of the folder, in order."""
    path = folder / log
    return path.read_text().splitlines() if path.exists() else []


def keys(journal: Path) -> set[str]:
    """The keys with a result in a journal."""
    if not journal.exists():
        return set()
    with closing(sqlite3.connect(journal)) as base:
        try:
            return {key for (key,) in base.execute("SELECT key FROM results")}
        except sqlite3.OperationalError:  # killed before the table was there
            return set()


def files_of(run: Path) -> dict[str, bytes]:
    """Every file that promises to be identical, by name."""
    return {
        str(path.relative_to(run)): path.read_bytes()
        for path in sorted(run.rglob("*"))
        if path.is_file() and path.name not in OUTSIDE
    }


def kill(process: subprocess.Popen[bytes], now: Callable[[], bool]) -> bool:
    """Kill a run once `now` says so; tell whether it had not ended by itself."""
    while process.poll() is None and not now():
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    killed = process.wait() == -signal.SIGKILL
    time.sleep(0.3)  # workers notice that their parent is gone and end
    return killed


def kill_and_resume(verb: Verb, folder: Path, moments: Iterable[Moment], expected: Any) -> Found:
    """Kill a run at every moment in turn, let it end, and compare."""
    folder.mkdir()
    kills = again = lost = 0
    kept: set[str] = set()
    for moment in moments:
        before = len(begun(folder))
        if not kill(verb.start(folder, moment.hold), _came(verb, moment, folder)):
            again += len(kept & set(begun(folder)[before:]))
            break
        again += len(kept & set(begun(folder)[before:]))
        lost += len(kept - verb.stored(folder))
        kept, kills = verb.stored(folder), kills + 1
    before = len(begun(folder))
    code = verb.start(folder).wait(DEADLINE_S)
    again += len(kept & set(begun(folder)[before:]))
    identical = code == verb.code and verb.result(folder) == expected
    return Found(kills, len(kept), again, lost, identical)


def _came(verb: Verb, moment: Moment, folder: Path) -> Callable[[], bool]:
    """Return a condition that comes true at `moment` of a run that is about to start."""
    before, due = len(begun(folder)), list[float]()

    def came() -> bool:
        enough = len(begun(folder)) - before >= moment.units
        if not due and enough and len(verb.stored(folder)) >= moment.stored:
            due.append(time.monotonic() + moment.delay_s)
        return bool(due) and time.monotonic() >= due[0]

    return came
