"""A run of judges on pulse to be killed: a benchmark without pictures, and a judge that logs."""

from __future__ import annotations

from pathlib import Path

from assay.episodes.lerobot.writer import write_lerobot
from assay.jobs.build import BuildSettings, build
from assay.records import Segment
from killed import Verb, files_of, keys
from lerobot_sets import made_episode


def make_benchmark(root: Path, episodes: int) -> Path:
    """Build pulse from demonstrations of 30 s with two subtasks; all of them succeed."""
    segments = (Segment("reach", 0.0, 10.0), Segment("lift", 10.0, 29.9))
    about = {"world": None, "views": {}, "segments": segments, "perturbation": None}
    made = [made_episode(k, 300, outcome=True, **about) for k in range(episodes)]
    write_lerobot(root / "arm", made, fps=10)
    return build([root / "arm"], BuildSettings(root / "pulse", setting="Real")).out


def bench_on(benchmark: Path, jobs: int) -> Verb:
    """Return the verb on a benchmark."""
    judge = ["--judge", "audit_killed:Logged", "--jobs", jobs, "--out", "run"]
    return Verb(
        words=["bench", "pulse", benchmark, *judge],
        stored=_stored,
        result=lambda folder: files_of(folder / "run"),
    )


def _stored(folder: Path) -> set[str]:
    """All results; those of the judge that logs, which comes first, by the episode's name."""
    return {key.removeprefix("0:0:") for key in keys(folder / "run" / "journal.sqlite")}
