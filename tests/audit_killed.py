"""An audit to be killed: a judge that logs what it judges, and the checks after a resume."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from assay.judges.base import Bound
from assay.records import Curve
from curve_files import write_csv

EPISODES = 120
DEADLINE_S = 60.0
LOG = "ASSAY_TEST_LOG"
OUTSIDE = {"timing.json", "log.jsonl"}  # they hold clocks


@dataclass(frozen=True)
class Logged:
    """Take the recorded progress, slowly, and note each episode in a file.

    The environment names the file, since an option would differ from run to run.
    """

    bound: ClassVar[Bound] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset({"progress"})
    noise: ClassVar[None] = None

    def clock(self, episode, fps):
        return episode.signals["progress"].times

    def progress(self, episode, times):
        with Path(os.environ[LOG]).open("a") as log:
            log.write(f"{episode.id}\n")
        time.sleep(0.01)
        values = episode.signals["progress"].values
        return Curve(times, values, np.full(len(times), "ok"))


@dataclass(frozen=True)
class Found:
    """What a killed and resumed audit showed."""

    stored: int
    twice: int
    identical: bool

    @property
    def sound(self) -> bool:
        return self.twice == 0 and self.identical


def make_source(folder: Path) -> Path:
    rng = np.random.default_rng(0)
    curves = {
        (f"e{i:03d}", f"task-{i % 3}", f"policy-{i % 2}"): np.round(rng.random(20), 3).tolist()
        for i in range(EPISODES)
    }
    return write_csv(folder / "curves.csv", curves)


def start(folder: Path, source: Path, stderr=subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "assay", "audit", str(source), "--out", str(folder / "run")]
    judge = ["--judge", "audit_killed:Logged", "--jobs", "2"]
    names = {"PYTHONPATH": str(Path(__file__).parent), LOG: str(folder / "judged.log")}
    return subprocess.Popen(
        [*command, *judge],
        env={**os.environ, **names},
        stdout=subprocess.DEVNULL,
        stderr=stderr,
    )


def files_of(run: Path) -> dict[str, bytes]:
    """Every file that promises to be identical, by name."""
    return {
        str(path.relative_to(run)): path.read_bytes()
        for path in sorted(run.rglob("*"))
        if path.is_file() and path.name not in OUTSIDE
    }


def judged(folder: Path) -> list[str]:
    """The episodes judged so far in all runs of the folder, in order."""
    log = folder / "judged.log"
    return log.read_text().splitlines() if log.exists() else []


def kill_and_resume(
    folder: Path, source: Path, now: Callable[[], bool], expected: dict[str, bytes]
) -> Found:
    """Kill an audit with SIGKILL once `now` says so, run it again, and compare."""
    process = start(folder, source)
    while process.poll() is None and not now():
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(0.3)  # workers notice that their parent is gone and end
    stored, before = _stored(folder / "run" / "journal.sqlite"), len(judged(folder))
    assert start(folder, source).wait(DEADLINE_S) == 0
    return Found(
        stored=len(stored),
        twice=len(stored & set(judged(folder)[before:])),
        identical=files_of(folder / "run") == expected,
    )


def _stored(journal: Path) -> set[str]:
    """The episodes with a result when the run was killed."""
    if not journal.exists():
        return set()
    with sqlite3.connect(journal) as base:
        try:
            return {key for (key,) in base.execute("SELECT key FROM results")}
        except sqlite3.OperationalError:  # killed before the table was there
            return set()
