"""A rollout to be killed: a policy that logs its attempts, and the checks after a resume."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import killed
from killed import DEADLINE_S, files_of

__all__ = ["Found", "begun", "files_of", "kill_and_resume", "start"]


@dataclass(frozen=True)
class Found:
    """What a killed and resumed rollout showed."""

    stored: int
    repeated: int
    identical: bool

    @property
    def sound(self) -> bool:
        return self.repeated == 0 and self.identical


def start(folder: Path, attempts: int, jobs: int, hold: str = "") -> subprocess.Popen[bytes]:
    """Start a rollout in `folder`, with the working directory there."""
    policy = ["--policy", "policies_made:Logged", "--seeds", f"0:{attempts}"]
    cheap = ["--views", "front", "--size", "32", "--quality", "fast", "--fps", "5"]
    words = [*killed.ASSAY, "rollout", "lift-block", "--out", "run", *policy, *cheap]
    return killed.start(folder, [*words, "--jobs", jobs], hold=hold)


def begun(folder: Path) -> int:
    """The attempts begun so far in all runs of the folder."""
    return len(killed.begun(folder, "attempts.log"))


def kill_and_resume(
    folder: Path,
    attempts: int,
    now: Callable[[], bool],
    expected: dict[str, bytes],
    hold: str = "",
) -> Found:
    """Kill a rollout with SIGKILL once `now` says so, run it again, and compare."""
    killed.kill(start(folder, attempts, jobs=2, hold=hold), now)
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
    return len(killed.keys(run / "journal.sqlite"))
