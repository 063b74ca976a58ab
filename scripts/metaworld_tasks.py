"""Roll out metaworld's experts on its 50 tasks, audit all of it, and write docs/metaworld.md.

    .venv-metaworld/bin/python scripts/metaworld_tasks.py [OUT] [--page FILE] [--tasks reach push]

Made by `make test-metaworld`. Metaworld's environments go through `assay rollout gym:...` like
anyone's; what they say of success is also written down by the environment itself, behind Assay's
back, and must be what the audit's table says of every episode. Tasks that are done are kept.
Exit: 0 the goals are reached, 1 one is not.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from metaworld_envs import INSTRUCTIONS

from assay.cli import main as main_of_assay

LEAST_TASKS = 45
STOPPED = 130  # what Assay exits with when it was told to
FPS = 20
HOLD_S = (
    0.25  # an expert that goes on for longer undoes some tasks: it pulls the door past its goal
)
FULL_REWARD = 10  # metaworld's rewards are 0 to 10
INTRODUCTION = """
Made by `make test-metaworld`; don't edit. Metaworld 3.1.1 in a virtual environment of its own: 50
tasks, each tried by metaworld's scripted expert on three seeds and by random actions on one,
recorded by [`assay rollout gym:...`](gymnasium.md) and audited. What an environment says of success
was also written down by the environment itself, at every step. The last of it is the column
*environment*; *table* is `success_end` of the audit's `episodes.parquet`. An attempt of an expert
ends when success has held for 0.25 s, or after metaworld's 500 steps.
"""
REMARK = """
Flags stand in the order of seeds, those of the expert first: 1 for a success. MP is the
maximum progress 0 to 100, with metaworld's reward, divided by its greatest, in place of progress
(`--judge recorded --set signal=reward_share`). A reward is no truth: it is there to be seen going
through. An expert that has a 0 and yet was there at some sample has undone its success: metaworld
counts any moment, the columns count the last one.
"""


@dataclass(frozen=True)
class Kind:
    """Who tries: the policy's name on the command line, on how many seeds, for how long."""

    label: str
    policy: str
    seeds: str
    limit_s: float


# An expert may take all the time that metaworld gives, 500 steps of 1/80 s. Some attempts have to
# fail, or a flag that is always up would pass the check.
KINDS = (
    Kind("expert", "expert=metaworld_envs:Expert", "0:3", 6.25),
    Kind("random", "random", "0:1", 2.5),
)


@dataclass(frozen=True)
class Row:
    """One episode: what the environment said at its last step, and what the audit's table says.

    `once` tells whether some sample of it was a success.
    """

    task: str
    policy: str
    seed: int
    own: bool | None
    table: bool | None
    progress: float | None
    once: bool | None = None

    @property
    def is_equal(self) -> bool:
        """Tell whether both say the same, and say it."""
        return self.own is not None and self.own is self.table


def assay(*words: object) -> int:
    """Run a command of Assay in this process, which has metaworld loaded; return its exit code."""
    sys.argv = ["assay", *map(str, words)]
    try:
        main_of_assay()
    except SystemExit as end:
        if end.code == STOPPED:
            raise
        return int(end.code or 0)
    return 0


def roll_out(root: Path, task: str, kind: Kind, instruction: str) -> None:
    """Record the attempts of one policy at one task, unless that is done."""
    run, witness = root / "runs" / task / kind.label, root / "flags" / task / kind.label
    if (run / "rollout.json").exists() and not (run / "journal.sqlite").exists():
        return
    for folder in (run, witness):  # half a run is begun anew: its witness knows nothing of the rest
        shutil.rmtree(folder, ignore_errors=True)
    witness.mkdir(parents=True)
    told = {
        "env.task": task,
        "env.witness": witness,
        "task": task,
        "instruction": instruction,
        "robot": "sawyer",
        "hold_s": HOLD_S,
        "limit_s": kind.limit_s,
        "full_reward": FULL_REWARD,
    }
    if kind.label != kind.policy:
        told[f"{kind.label}.task"] = task
    options = [word for name, value in told.items() for word in ("--set", f"{name}={value}")]
    sys.stdout.write(f"==> {task}, {kind.label}\n")
    sys.stdout.flush()
    assay(
        *("rollout", "gym:metaworld_envs:make", "--policy", kind.policy, "--seeds", kind.seeds),
        *("--fps", FPS, "--jobs", 1, *options, "--out", run),
    )


def audit(root: Path) -> bool:
    """Audit every run that has episodes; the environment's reward stands for progress."""
    report = root / "audit"
    shutil.rmtree(report, ignore_errors=True)
    runs = sorted(path.parents[1] for path in (root / "runs").glob("*/*/meta/info.json"))
    asked = ("--set", "signal=reward_share", "--set", "clip=true", "--beside", "ramp")
    where = ("--no-video", "--jobs", 1, "--out", report)
    return assay("audit", *runs, "--judge", "recorded", *asked, *where) == 0


def rows_of(root: Path) -> list[Row]:
    """Return every episode of the audit with what the environment itself has written down."""
    table = pq.read_table(root / "audit" / "episodes.parquet").to_pylist()
    return [_row(root, found) for found in table if found["judge"] == "recorded"]


def _row(root: Path, found: Mapping[str, Any]) -> Row:
    task, policy, seed = found["task"], found["policy"], int(found["seed"])
    witness = root / "flags" / task / policy / f"{seed}.json"
    told = json.loads(witness.read_text(encoding="utf-8")) if witness.exists() else None
    own = None if told is None else bool(told["success"])
    return Row(
        task, policy, seed, own, found["success_end"], found["mp"], found.get("success_once")
    )


def page(rows: Sequence[Row], tasks: Sequence[str], *, audited: bool) -> tuple[str, bool]:
    """Return the page, and whether the goals are reached."""
    wanted = sum(_count(kind.seeds) for kind in KINDS)
    through = [t for t in tasks if sum(r.task == t and r.is_equal for r in rows) == wanted]
    differing = [row for row in rows if not row.is_equal]
    reached = audited and len(through) >= min(LEAST_TASKS, len(tasks)) and not differing
    tried = {kind.label: [r for r in rows if r.policy == kind.label] for kind in KINDS}
    lines = [
        "# Metaworld through the Gymnasium adapter",
        INTRODUCTION,
        f"- Tasks through rollout and audit, every attempt: **{len(through)} of {len(tasks)}**.",
        f"- Asked for: at least {LEAST_TASKS}.",
        f"- Episodes in which the two differ: **{len(differing)} of {len(rows)}**.",
        *(
            f"- Successes of {label} at the last step: {sum(bool(r.own) for r in own)} of "
            f"{len(own)}; at some sample: {sum(bool(r.once) for r in own)}."
            for label, own in tried.items()
        ),
        REMARK,
        "| task | episodes | environment | table | equal | MP expert | MP random |",
        "|---|---|---|---|---|---|---|",
        *(_line(task, [row for row in rows if row.task == task]) for task in tasks),
        "",
    ]
    return "\n".join(lines), reached


def _line(task: str, rows: Sequence[Row]) -> str:
    cells = (
        str(len(rows)),
        _flags(rows, "own"),
        _flags(rows, "table"),
        "yes" if rows and all(row.is_equal for row in rows) else "**no**",
        *(_mean(rows, kind.label) for kind in KINDS),
    )
    return f"| {task} | {' | '.join(cells)} |"


def _flags(rows: Sequence[Row], which: str) -> str:
    """Return flags in the order of policies and seeds: 1 for a success, 0, or a question mark."""
    marks = {True: "1", False: "0", None: "?"}
    found = {k.label: [r for r in rows if r.policy == k.label] for k in KINDS}
    return " / ".join(
        "".join(marks[getattr(r, which)] for r in sorted(own, key=lambda r: r.seed))
        for own in found.values()
    )


def _mean(rows: Sequence[Row], policy: str) -> str:
    found = [r.progress for r in rows if r.policy == policy and r.progress is not None]
    return f"{100 * sum(found) / len(found):.0f}" if found else "n/a"


def _count(seeds: str) -> int:
    first, _, last = seeds.partition(":")
    return int(last) - int(first)


def main() -> int:
    """Do what is missing, then look at all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", nargs="?", type=Path, default=Path("out/metaworld-tasks"))
    parser.add_argument("--page", type=Path)
    parser.add_argument("--tasks", nargs="+", choices=INSTRUCTIONS, default=sorted(INSTRUCTIONS))
    options = parser.parse_args()
    root = options.out.absolute()
    for task in options.tasks:
        for kind in KINDS:
            roll_out(root, task, kind, INSTRUCTIONS[task])
    audited = audit(root)
    if not (root / "audit" / "episodes.parquet").exists():
        raise SystemExit("There is no audit to look at: what went wrong stands above.")
    text, reached = page(rows_of(root), options.tasks, audited=audited)
    sys.stdout.write(text)
    if options.page is not None:
        options.page.write_text(text, encoding="utf-8")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
