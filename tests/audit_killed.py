"""An audit to be killed: a judge that logs what it judges, and the checks after a resume."""

import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

import killed
from assay.judges.base import Bound
from assay.records import Curve
from curve_files import write_csv
from killed import LOG, files_of, note

__all__ = ["LAST", "LOG", "Logged", "files_of", "judged", "kill_and_resume", "make_source", "start"]

EPISODES = 120
DEADLINE_S = 60.0
JUDGED = "judged.log"
LAST = f"e{EPISODES - 1:03d}"


@dataclass(frozen=True)
class Logged:
    """Take the recorded progress, slowly, and note each episode in a file."""

    bound: ClassVar[Bound] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset({"progress"})
    noise: ClassVar[None] = None

    def clock(self, episode, fps):
        return episode.signals["progress"].times

    def progress(self, episode, times):
        note(episode.id)
        time.sleep(0.01)
        values = np.asarray(episode.at("progress", times), dtype=np.float64)
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


def start(
    folder: Path, source: Path, stderr=subprocess.DEVNULL, hold: str = ""
) -> subprocess.Popen[bytes]:
    judge = ["--judge", "audit_killed:Logged", "--jobs", "2"]
    words = [*killed.ASSAY, "audit", source, "--out", folder / "run", *judge]
    return killed.start(folder, words, log=JUDGED, stderr=stderr, hold=hold)


def judged(folder: Path) -> list[str]:
    """The episodes judged so far in all runs of the folder, in order."""
    return killed.begun(folder, JUDGED)


def kill_and_resume(
    folder: Path,
    source: Path,
    now: Callable[[], bool],
    expected: dict[str, bytes],
    hold: str = "",
) -> Found:
    """Kill an audit with SIGKILL once `now` says so, run it again, and compare."""
    killed.kill(start(folder, source, hold=hold), now)
    stored, before = killed.keys(folder / "run" / "journal.sqlite"), len(judged(folder))
    assert start(folder, source).wait(DEADLINE_S) == 0
    return Found(
        stored=len(stored),
        twice=len(stored & set(judged(folder)[before:])),
        identical=files_of(folder / "run") == expected,
    )
