"""A demonstration: recorded curves of five policies with known flaws, generated and audited."""

from __future__ import annotations

import csv
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assay.jobs._rundir import disk_faults, write_file
from assay.jobs.audit import AuditResult, AuditSettings, audit
from assay.records import Floats

__all__ = ["FLAWS", "NOTE", "TASKS", "Flaw", "demo", "generate"]

NOTE = (
    "These are generated curves of made-up policies, not robot data:"
    " they show what a report looks like."
)
RATE_HZ = 4.0
NOISE = 0.0015
START = 0.01  # far enough from 0 that the noise of the still start is not clipped
STILL_S = 2.0
SETTLE_S = 1.0


@dataclass(frozen=True)
class Flaw:
    """How a generated policy goes wrong.

    Attributes:
        stall: Chance per second to stop for a while.
        drop: Chance per second to lose a finished subgoal.
        reach: The progress at which the policy gives up; 1 is the end.
        finish: Chance that an attempt is carried to `reach` at all.
    """

    stall: float = 0.02
    drop: float = 0.0
    reach: float = 1.0
    finish: float = 0.9


FLAWS = {
    "steady": Flaw(),
    "hesitant": Flaw(stall=0.35, finish=0.8),
    "backtracker": Flaw(drop=0.12, reach=0.97, finish=1.0),
    "early-stopper": Flaw(reach=0.55, finish=0.9),
    "near-miss": Flaw(reach=0.96, finish=0.95),
}
TASKS = {"lift-block": 2, "place-in-basket": 4, "rank-blocks": 6}  # subgoals of each


def generate(path: Path, episodes: int = 20, seed: int = 0) -> None:
    """Write recorded curves of every policy on every task as a csv file.

    Args:
        path: The csv file to write.
        episodes: Attempts per task and policy.
        seed: Decides every number.
    """
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["episode", "task", "policy", "scene", "t", "progress", "success"])
    for task in TASKS:
        for policy in FLAWS:
            for number in range(episodes):
                rows.writerows(_attempt(task, policy, number, seed))
    write_file(path, text.getvalue())


def demo(out: Path, episodes: int = 20, seed: int = 0, jobs: int | None = None) -> AuditResult:
    """Generate the curves into `out` and audit them in its folder `audit`."""
    curves = out / "curves.csv"
    with disk_faults(out):
        out.mkdir(parents=True, exist_ok=True)
        if not curves.exists():
            generate(curves, episodes, seed)
        labels = out / "labels.csv"
        write_file(labels, _still_labels(episodes))
    settings = AuditSettings(out=out / "audit", labels=labels, note=NOTE, jobs=jobs)
    return audit([curves], settings)


def _still_labels(episodes: int) -> str:
    """Return labels that mark the still start of every attempt: it tells the judge's noise."""
    ids = [_episode(t, p, n) for t in TASKS for p in FLAWS for n in range(episodes)]
    rows = [f"{name},0,{STILL_S:g}" for name in ids]
    return "\n".join(["episode,still_start_s,still_end_s", *rows]) + "\n"


def _episode(task: str, policy: str, number: int) -> str:
    return f"{policy}/{task}-{number:03d}"


def _attempt(task: str, policy: str, number: int, seed: int) -> Iterator[list[object]]:
    rng = np.random.default_rng([seed, number, *map(zlib.crc32, (task.encode(), policy.encode()))])
    truth = _progress(FLAWS[policy], TASKS[task], rng)
    noisy = np.where(truth >= 1.0, 1.0, np.clip(truth + rng.normal(0, NOISE, len(truth)), 0, 0.999))
    who = [_episode(task, policy, number), task, policy, f"{task}-{number:03d}"]
    for i, value in enumerate(noisy):
        yield [*who, f"{i / RATE_HZ:g}", f"{value:.4f}", int(truth[i] >= 1.0)]


def _progress(flaw: Flaw, subgoals: int, rng: np.random.Generator) -> Floats:
    """Return the true progress of one attempt, of shape (T,), in steps of 1/RATE_HZ."""
    reach = flaw.reach if rng.random() < flaw.finish else flaw.reach * rng.uniform(0.3, 0.9)
    speed = rng.uniform(0.8, 1.2) / (4.0 * subgoals * RATE_HZ)  # about 4 s a subgoal
    rest, steps = int(STILL_S * RATE_HZ), int(7.0 * subgoals * RATE_HZ)
    now, pause, curve = START, 0, [START] * rest
    for _ in range(steps):
        curve.append(now)
        if now >= 1.0 and curve[-int(SETTLE_S * RATE_HZ)] >= 1.0:
            break  # a rollout ends soon after success; a failed one runs into its time limit
        if pause:
            pause -= 1
        elif rng.random() < flaw.stall / RATE_HZ:
            pause = int(rng.uniform(1.0, 4.0) * RATE_HZ)
        elif rng.random() < flaw.drop / RATE_HZ:
            now = np.floor(now * subgoals) / subgoals - (1.0 / subgoals) * (rng.random() < 0.5)
            now = max(now, START)
        elif now < reach:
            now = min(now + speed, reach)
    return np.array(curve)
