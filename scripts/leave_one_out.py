"""How much of the embedded judge is left on tasks and robots that it has never seen.

    .venv/bin/python scripts/leave_one_out.py --sets SETS --footage FOOTAGE --out OUT [--steps 900]

For each part of FOLDS a judge is trained without its tasks, or without its robot, and answers the
pulse pairs of the fresh episodes of what was left out, once from the start picture and the words
alone and once with a goal picture too: the last picture of a success of that task, from the
validation episodes. No two tasks of a part are kin. All judges answer by their curves, so that the
columns differ in the goal alone. What is finished is not done again, and SETS may be those of
`judge_figures.py`. Prints one table; exits with 1 where, on a task that was left out, the judge
with a goal is not above the distance of the pixels from the start.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import judge_figures
import numpy as np
import weights
from marked import write_part

from assay.benchmarks.footage.draws import SECOND, SECOND_TASKS
from assay.jobs.bench import BenchSettings, bench
from assay.jobs.build import BuildSettings, build
from assay.judges import make_judge
from assay.metrics.intervals import estimate_mean
from assay.reports import words
from assay.reports._pulse_columns import PAIRS, Figure, shown_judges
from assay.worlds.robots.bimanual import Bimanual

ALONE, GOAL, NULL = "never seen", "never seen, goal", "pixel-change"
FIGURES = tuple(f for f in PAIRS if f.key in ("overall", "small", "anti-time"))
FOLDS: Mapping[str, tuple[str, ...]] = {
    "a": ("place-in-basket", "stack-blocks", "turn-knob", "handover"),
    "b": ("rank-blocks", "open-drawer", "ring-on-post", "hold-and-insert"),
    "c": ("lift-block", "peg-in-hole", "close-drawer", "lift-tray"),
    "d": ("push-to-zone", "clear-table", "press-button"),
    "e": ("stack-three", "cover-box", "put-in-drawer"),
    Bimanual.name: (Bimanual.name,),
    SECOND: (SECOND,),
}
ROBOTS = {Bimanual.name: ("handover", "hold-and-insert", "lift-tray"), SECOND: SECOND_TASKS}


def runs(split: str, task: str, asked: argparse.Namespace, most: int | None = None) -> list[Path]:
    """Return the rollouts of a task in a split, at most so many; make what is missing."""
    wanted = [run for run in judge_figures.runs_of(split) if run.task == task][:most]
    return judge_figures.make_runs(wanted, asked.sets / split)


def trained(fold: str, asked: argparse.Namespace) -> Path:
    """Return the folder of a judge that has not seen a part; train it if it is not there."""
    folder: Path = asked.out / f"without-{fold}"
    if not (folder / "card.json").is_file():
        sizes = ("episodes", "along", "usual", "steps")
        length = [word for size in sizes for word in (f"--{size}", str(getattr(asked, size)))]
        footage = ["--footage", str(asked.footage)]
        weights.main([*footage, *length, "--out", str(folder), "--without", *FOLDS[fold]])
    return folder


def scored(fold: str, asked: argparse.Namespace) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield what was left out and the document of the benchmark on its fresh episodes."""
    judge = str(trained(fold, asked))
    split = "second-robot" if fold == SECOND else "fresh"
    for task in ROBOTS.get(fold, FOLDS[fold]):
        name = f"{task}, {fold}" if fold in ROBOTS else task
        pulse = asked.out / "pulse" / name
        build(runs(split, task, asked), BuildSettings(pulse, split=split))
        plain = runs("validation", task, asked, most=1)[0]  # the first one is unperturbed
        judges = {
            ALONE: make_judge(judge, outside=True),
            GOAL: make_judge(judge, {"goal": plain}, outside=True),
        }
        settings = BenchSettings(out=asked.out / "bench" / name, judges=judges, by_curve=True)
        yield name, bench(pulse, settings).document


def table(documents: Mapping[str, Mapping[str, Any]]) -> tuple[bool, str]:
    """Return whether the judge with a goal is above the pixels on every task, and the figures.

    Where the robot was left out it is told as well, and does not count.
    """
    first = [judge["name"] for judge in shown_judges(next(iter(documents.values())))]
    lines = [f"| left out | figure | {' | '.join(first)} |", "|---" * (2 + len(first)) + "|"]
    missed: dict[bool, list[str]] = {False: [], True: []}  # by whether the robot was left out
    for task, document in documents.items():
        judges = {judge["name"]: judge for judge in shown_judges(document)}
        aimed, null = ((FIGURES[0].pick(judges[name]) or {})["value"] for name in (GOAL, NULL))
        if aimed <= null:
            missed[", " in task].append(task)
        for figure in FIGURES:
            cells = " | ".join(figure.worded(judges[name]) for name in first)
            lines.append(f"| {task} | {figure.heading} | {cells} |")
    pairs = ", ".join(f"{task} {d['items']}" for task, d in documents.items())
    alone = [d for task, d in documents.items() if ", " not in task]
    lines += [_mean(figure, alone, first) for figure in FIGURES]
    said = _said(missed[False], "task")
    if any(", " in name for name in documents):
        said += f"; where the robot had not been seen, {_said(missed[True], 'row')}"
    return not missed[False], "\n".join(lines) + f"\n\nPairs: {pairs}. With a goal: {said}.\n"


def _mean(figure: Figure, documents: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str:
    """Return the row of a figure's mean over tasks, each counting the same."""
    judged = [{judge["name"]: judge for judge in shown_judges(d)} for d in documents]
    cells = []
    for name in names:
        found = [(figure.pick(judges[name]) or {}).get("value") for judges in judged]
        known = np.array([value for value in found if value is not None])
        cells.append(words.number(estimate_mean(known, len(found) - len(known)).as_json()))
    return f"| mean of {len(judged)} tasks | {figure.heading} | {' | '.join(cells)} |"


def _said(missed: Sequence[str], what: str) -> str:
    return f"not above {NULL}: {'; '.join(missed)}" if missed else f"above {NULL} on every {what}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Train what is missing, score, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--sets", "--footage", "--out"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--steps", type=int, default=900, help="of each training")
    parser.add_argument("--episodes", type=int, default=1400, help="attempts to learn from")
    parser.add_argument("--along", type=int, default=200, help="attempts filmed without gaps")
    parser.add_argument("--usual", type=int, default=100, help="held out, filmed without gaps")
    parser.add_argument("--folds", nargs="+", default=list(FOLDS), choices=FOLDS, metavar="PART")
    parser.add_argument("--train", action="store_true", help="train what is missing and stop")
    parser.add_argument("--page", action="store_true", help="write the table into the page, too")
    asked = parser.parse_args(arguments)
    if asked.train:
        for fold in asked.folds:
            trained(fold, asked)
        return 0
    good, text = table(dict(row for fold in asked.folds for row in scored(fold, asked)))
    sys.stdout.write(text)
    if asked.page:
        write_part(judge_figures.PAGE, "left out", text)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
