"""A rollout to be killed: a policy that logs its attempts, and the checks after a resume."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

DEADLINE_S = 300.0
OUTSIDE = {"timing.json", "log.jsonl"}  # they hold clocks


@dataclass(frozen=True)
class Found:
    """What a killed and resumed rollout showed."""

    stored: int
    repeated: int
    identical: bool

    @property
    def sound(self) -> bool:
        return self.repeated == 0 and self.identical


def start(folder: Path, attempts: int, jobs: int) -> subprocess.Popen[bytes]:
    """Start a rollout in `folder`, with the working directory there."""
    command = [sys.executable, "-m", "assay", "rollout", "lift-block", "--out", "run"]
    policy = ["--policy", "policies_made:Logged", "--seeds", f"0:{attempts}"]
    cheap = ["--views", "front", "--size", "32", "--quality", "fast", "--fps", "5"]
    return subprocess.Popen(
        [*command, *policy, *cheap, "--jobs", str(jobs)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def files_of(run: Path) -> dict[str, bytes]:
    """Every file that promises to be identical, by name."""
    return {
        str(path.relative_to(run)): path.read_bytes()
        for path in sorted(run.rglob("*"))
        if path.is_file() and path.name not in OUTSIDE
    }


def begun(folder: Path) -> int:
    """The attempts begun so far in all runs of the folder."""
    log = folder / "attempts.log"
    return len(log.read_text().splitlines()) if log.exists() else 0


def kill_and_resume(
    folder: Path, attempts: int, now: Callable[[], bool], expected: dict[str, bytes]
) -> Found:
    """Kill a rollout with SIGKILL once `now` says so, run it again, and compare."""
    process = start(folder, attempts, jobs=2)
    while process.poll() is None and not now():
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(0.3)  # workers notice that their parent is gone and end
    stored, before = _stored(folder / "run"), begun(folder)
    assert start(folder, attempts, jobs=2).wait(DEADLINE_S) == 0
    return Found(
        stored=stored,
        repeated=begun(folder) - before - (attempts - stored),
        identical=files_of(folder / "run") == expected,
    )


def _stored(run: Path) -> int:
    """Count the attempts with a result when the run was killed."""
    if (run / "rollout.json").exists() and not (run / "journal.sqlite").exists():
        return len(list((run / "videos").rglob("*.mp4")))  # it had ended
    if not (run / "journal.sqlite").exists():
        return 0
    with sqlite3.connect(run / "journal.sqlite") as base:
        try:
            return base.execute("SELECT count(*) FROM results").fetchone()[0]
        except sqlite3.OperationalError:  # killed before the table was there
            return 0
