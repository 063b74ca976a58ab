"""How much of the embedded judge is left on a task that it has never seen.

    .venv/bin/python scripts/leave_one_out.py --sets SETS --footage FOOTAGE --out OUT [--steps 900]

For each task a judge is trained on the other five and answers the pulse pairs of the fresh episodes
of the one left out, once from the start picture and the words alone and once with a goal picture
too: the last picture of a success of that task, from the validation episodes. All judges answer by
their curves, so that the columns differ in the goal alone. What is finished is not done again, and
SETS may be those of `judge_figures.py`. Prints one table; exits with 1 where the judge with a goal
is not above the distance of the pixels from the start.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import judge_figures
import weights

from assay.jobs.bench import BenchSettings, bench
from assay.jobs.build import BuildSettings, build
from assay.judges import make_judge
from assay.reports._pulse_columns import PAIRS, shown_judges

ALONE, GOAL, NULL = "never seen", "never seen, goal", "pixel-change"
FIGURES = tuple(f for f in PAIRS if f.key in ("overall", "small", "anti-time"))


def runs(split: str, task: str, asked: argparse.Namespace, most: int | None = None) -> list[Path]:
    """Return the rollouts of a task in a split, at most so many; make what is missing."""
    wanted = [run for run in judge_figures.runs_of(split) if run.task == task][:most]
    return [judge_figures.make_run(run, asked.sets / split, None) for run in wanted]


def trained(task: str, asked: argparse.Namespace) -> Path:
    """Return the folder of a judge that has not seen `task`; train it if it is not there."""
    folder: Path = asked.out / f"without-{task}"
    if not (folder / "card.json").is_file():
        sizes = ("episodes", "along", "usual", "steps")
        length = [word for size in sizes for word in (f"--{size}", str(getattr(asked, size)))]
        footage = ["--footage", str(asked.footage)]
        weights.main([*footage, *length, "--without", task, "--out", str(folder)])
    return folder


def scored(task: str, asked: argparse.Namespace) -> Mapping[str, Any]:
    """Return the document of the benchmark on the fresh episodes of `task`."""
    judge = str(trained(task, asked))
    pulse = asked.out / "pulse" / task
    build(runs("fresh", task, asked), BuildSettings(pulse, split="fresh"))
    plain = runs("validation", task, asked, most=1)[0]  # the first one is unperturbed
    judges = {
        ALONE: make_judge(judge, outside=True),
        GOAL: make_judge(judge, {"goal": plain}, outside=True),
    }
    settings = BenchSettings(out=asked.out / "bench" / task, judges=judges, by_curve=True)
    return bench(pulse, settings).document


def table(documents: Mapping[str, Mapping[str, Any]]) -> tuple[bool, str]:
    """Return whether the judge with a goal is above the pixels on every task, and the figures."""
    first = [judge["name"] for judge in shown_judges(next(iter(documents.values())))]
    lines = [f"| left out | figure | {' | '.join(first)} |", "|---" * (2 + len(first)) + "|"]
    missed = []
    for task, document in documents.items():
        judges = {judge["name"]: judge for judge in shown_judges(document)}
        aimed, null = (FIGURES[0].pick(judges[name])["value"] for name in (GOAL, NULL))
        if aimed <= null:
            missed.append(task)
        for figure in FIGURES:
            cells = " | ".join(figure.worded(judges[name]) for name in first)
            lines.append(f"| {task} | {figure.heading} | {cells} |")
    pairs = ", ".join(f"{task} {d['items']}" for task, d in documents.items())
    said = f"not above {NULL}: {', '.join(missed)}" if missed else f"above {NULL} on every task"
    return not missed, "\n".join(lines) + f"\n\nPairs: {pairs}. With a goal: {said}.\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Train what is missing, score, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--sets", "--footage", "--out"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--steps", type=int, default=900, help="of each training")
    parser.add_argument("--episodes", type=int, default=1600, help="attempts to learn from")
    parser.add_argument("--along", type=int, default=500, help="attempts filmed without gaps")
    parser.add_argument("--usual", type=int, default=100, help="held out, filmed without gaps")
    parser.add_argument("--tasks", nargs="+", default=judge_figures.TASKS, metavar="TASK")
    asked = parser.parse_args(arguments)
    good, text = table({task: scored(task, asked) for task in asked.tasks})
    sys.stdout.write(text)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
