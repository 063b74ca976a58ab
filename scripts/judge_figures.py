"""Make the evaluation sets of judges, score judges on them, and print one table.

    .venv/bin/python scripts/judge_figures.py --sets SETS --judge prm-mini [--split fresh]

Every split is rolled out, made into a pulse benchmark and run with the judges; what is finished is
not done again. With `--make` nothing but the rollouts is made. `--name` keeps runs of judges apart,
and `--page` writes the tables of docs/prm-mini.md.
Exits with 1 when a figure of the first judge misses its mark.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from marked import write_part

from assay import plugins
from assay.benchmarks.footage.draws import MISTAKES, SECOND, SECOND_TASKS, TASKS
from assay.benchmarks.splits import SPLITS
from assay.engine.local import usable_cores
from assay.jobs.bench import BenchSettings, bench
from assay.jobs.build import BuildSettings, build
from assay.jobs.rollout import RolloutSettings, make_perturbation, rollout
from assay.judges import make_judge
from assay.reports._pulse_columns import CURVES, PAIRS, Figure, shown_judges
from assay.worlds.perturbations.objects import Objects
from assay.worlds.policies._making import make_policy
from assay.worlds.policies.base import Policy

ORDER = ("validation", "fresh", "perturbed", "all-at-once", "second-robot")
PERTURBATIONS = tuple(plugins.names("assay.worlds.perturbations"))
PLAIN = frozenset({"validation", "fresh", "second-robot"})  # where strengths meet plain scenes
THIRDS = 3  # a scene is met by a third of the policies, so that errors of a scene weigh less
PERTURBED = 2  # scenes of each third, each under another perturbation
# Strengths of two kinds of attempts: mild and strong. A wrong object is wrong, or it is not.
STRENGTHS: dict[str, tuple[float, float] | None] = {
    "expert": None,
    "hesitant": (0.3, 0.7),
    "jittery": (0.2, 0.5),
    "dropper": (0.8, 1.0),
    "backtracker": (0.8, 1.0),
    "early-stopper": (0.6, 1.0),
    "near-miss": (0.7, 1.0),
    "wrong-object": (1.0, 1.0),
    "frozen": (0.9, 1.0),
}
# What a figure must reach, and for false drops what it must not pass, by split.
MARKS: Mapping[str, Mapping[str, float]] = {
    "fresh": {
        "overall": 0.94,
        "small": 0.88,
        "anti-time": 0.85,
        "wrong-object": 0.75,
        "drop-hits": 0.90,
        "false-drops": 0.08,
        "end-auc": 0.95,
        "rho-successes": 0.90,
        "rho-failures": 0.88,
        "tau-mp": 0.80,
        "tau-ppl": 0.80,
    },
    "perturbed": {"overall": 0.92, "small": 0.85, "anti-time": 0.82},
    "all-at-once": {"small": 0.80},
}
HIDDEN = frozenset({"pairs", "forward", "reversed"})
PAGE = Path(__file__).resolve().parent.parent / "docs" / "prm-mini.md"
SAID = {
    "overall": "pairs, all",
    "small": "pairs, small hops",
    "anti-time": "pairs whose later moment is worse",
    "wrong-object": "... of attempts at the wrong thing",
    "undone": "... of attempts that undo their own work",
    "drop-hits": "drops seen",
    "false-drops": "attempts without a drop in which it sees one",
    "end-auc": "success against failure by the end value (AUC)",
    "rho-successes": "rank correlation with the truth, successes",
    "rho-failures": "rank correlation with the truth, failures",
    "tau-mp": "order of the policies by MP (Kendall's tau-b with the oracle)",
    "tau-ppl": "order of the policies by PPL",
}


@dataclass(frozen=True)
class Run:
    """One rollout of an evaluation set: a third of the policies at one task, in one scene."""

    task: str
    seed: int
    third: int
    strong: bool
    perturbations: tuple[str, ...] = ()
    robot: str | None = None

    @property
    def name(self) -> str:
        """Return the folder's name; the seed tells runs of a split apart."""
        return f"{self.task}-{self.seed}"


def runs_of(split: str) -> Iterator[Run]:
    """Yield the rollouts of a split; no two share a seed, so that no two share an episode's id."""
    seeds = iter(SPLITS[split])
    robot = SECOND if split == "second-robot" else None
    for number, task in enumerate(TASKS if robot is None else SECOND_TASKS):
        for third in range(THIRDS):
            for strong, changes in _scenes(split, number, third, _changes(task)):
                yield Run(task, next(seeds), third, strong, changes, robot)


def _scenes(
    split: str, number: int, third: int, changes: tuple[str, ...]
) -> Iterator[tuple[bool, tuple[str, ...]]]:
    """Yield whether flaws are strong, and what is changed, in each scene of a task's third."""
    if split in PLAIN:
        yield from ((False, ()), (True, ()))
    if split == "all-at-once":
        yield bool((number + third) % 2), changes
    if split in ("validation", "perturbed"):
        for place in range(PERTURBED if split == "perturbed" else 1):
            strong = bool((number + third + place) % 2)
            yield strong, (changes[(number + third + 3 * place) % len(changes)],)


def _changes(task: str) -> tuple[str, ...]:
    """Return the perturbations that a task can have: one thing alone can't trade places."""
    alone = Objects.orders(plugins.find("assay.worlds.tasks", task)()) == 1
    return tuple(name for name in PERTURBATIONS if not (alone and name == "objects"))


def policies(task: str, *, strong: bool) -> dict[str, Policy]:
    """Return all policies by name, the flawed ones mild or strong.

    Where a task has no wrong object, its first other mistake takes that place.
    """
    made = {
        name: make_policy(name, {} if levels is None else {"strength": levels[strong]})
        for name, levels in STRENGTHS.items()
    }
    wrongs = plugins.find("assay.worlds.tasks", task)().wrongs
    if "object" not in wrongs:
        del made["wrong-object"]
        made[MISTAKES[wrongs[0]]] = make_policy(MISTAKES[wrongs[0]], {"strength": 1.0})
    return made


def make_set(split: str, sets: Path, jobs: int | None) -> list[Path]:
    """Roll out a split, and return the folders of its datasets."""
    return make_runs(list(runs_of(split)), sets / split, jobs)


def make_runs(runs: Sequence[Run], folder: Path, jobs: int | None = None) -> list[Path]:
    """Roll out what is not in `folder` yet, and return where it is.

    Each rollout is a handful of attempts, so several are made side by side, by a process each.
    """
    missing = [run for run in runs if not (folder / run.name / "rollout.json").is_file()]
    if missing:
        with ProcessPoolExecutor(jobs or usable_cores(), mp_context=get_context("spawn")) as pool:
            list(pool.map(partial(make_run, folder=folder), missing))
    return [folder / run.name for run in runs]


def make_run(run: Run, folder: Path) -> None:
    """Roll out one part of a split in this process; what was begun goes on."""
    settings = RolloutSettings(
        out=folder / run.name,
        task=run.task,
        policies=dict(list(policies(run.task, strong=run.strong).items())[run.third :: THIRDS]),
        seeds=(run.seed,),
        perturbations=tuple(map(make_perturbation, run.perturbations)),
        fps=5,
        views=("front", "side", "overhead"),
        size=128,
        quality="good",
        jobs=1,
        robot=run.robot,
    )
    rollout(settings)


def score(split: str, folders: Sequence[Path], options: argparse.Namespace) -> Mapping[str, Any]:
    """Build the benchmark of a split, run the judges on it, and return the document."""
    pulse = options.sets / "pulse" / split
    build(folders, BuildSettings(pulse, split=split))
    judges = {}
    for text in options.judge:
        label, equals, name = text.partition("=")
        judges[label] = make_judge(name if equals else label, outside=True)
    noise = tuple(float(word) for word in options.noise.split(","))
    settings = BenchSettings(
        out=options.sets / "bench" / options.name / split,
        judges=judges,
        noise=noise,
        jobs=options.jobs,
    )
    return bench(pulse, settings).document


def meets(figure: Figure, value: float | None, mark: float) -> bool:
    """Tell whether a figure reaches its mark."""
    if value is None:
        return False
    return value >= mark if figure.up else value <= mark


def rows(split: str, document: Mapping[str, Any]) -> Iterator[tuple[bool, str]]:
    """Yield the lines of a split, each with whether the first judge meets the mark, if any."""
    judges = shown_judges(document)
    for figure in (*PAIRS, *CURVES):
        if figure.key in HIDDEN:
            continue
        mark = MARKS.get(split, {}).get(figure.key)
        estimates = [figure.pick(judge) or {} for judge in judges]
        good = mark is None or meets(figure, estimates[0].get("value"), mark)
        sign = "at least" if figure.up else "at most"
        wanted = "" if mark is None else f"{sign} {mark:g}: {'met' if good else '**missed**'}"
        cells = [figure.worded(judge) for judge in judges]
        yield good, f"| {split} | {figure.heading} | {wanted} | {' | '.join(cells)} |"


def table(documents: Mapping[str, Mapping[str, Any]]) -> tuple[bool, str]:
    """Return whether every mark is met, and all figures in one table."""
    names = [judge["name"] for judge in shown_judges(next(iter(documents.values())))]
    lines = [f"| split | figure | mark | {' | '.join(names)} |", "|---" * (3 + len(names)) + "|"]
    found = [row for split, document in documents.items() for row in rows(split, document)]
    counts = [f"{split}: {d['items']} pairs of {d['episodes']}" for split, d in documents.items()]
    text = "\n".join([*lines, *(line for _, line in found)])
    return all(good for good, _ in found), f"{text}\n\n{', '.join(counts)} episodes.\n"


def part(document: Mapping[str, Any]) -> str:
    """Return the table of one split for people: the judges asked for, then all nulls."""
    shown = shown_judges(document)
    lines = [f"| figure | {' | '.join(judge['name'] for judge in shown)} |"]
    lines.append("|---" * (1 + len(shown)) + "|")
    for figure in (*PAIRS, *CURVES):
        if figure.key in SAID:
            cells = " | ".join(figure.worded(judge) for judge in shown)
            lines.append(f"| {SAID[figure.key]} | {cells} |")
    return "\n".join([*lines, "", f"{document['items']} pairs of {document['episodes']} attempts."])


def main(arguments: Sequence[str] | None = None) -> int:
    """Make what is missing, score, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=Path, required=True, help="where the sets are kept")
    parser.add_argument("--split", action="append", choices=ORDER, help="by default all")
    parser.add_argument("--judge", action="append", default=[], help="[LABEL=]NAME or a folder")
    parser.add_argument("--name", default="judges", help="where the runs of judges are kept")
    parser.add_argument("--noise", default="0", help="shares of noise: 0,0.05,0.1")
    parser.add_argument("--make", action="store_true", help="make the sets and stop")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--page", action="store_true", help="write the tables into the page, too")
    options = parser.parse_args(arguments)
    documents = {}
    for split in options.split or ORDER:
        folders = make_set(split, options.sets, options.jobs)
        sys.stderr.write(f"{split}: made\n")
        if not options.make:
            documents[split] = score(split, folders, options)
    if options.make:
        return 0
    good, text = table(documents)
    sys.stdout.write(text)
    for split, document in documents.items() if options.page else ():
        write_part(PAGE, split, part(document))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
