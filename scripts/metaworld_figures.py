"""Train a judge for each task of the outside check, judge its attempts, and write the page.

    .venv/bin/python scripts/metaworld_figures.py SETS [--seeds 0 1 2] [--page FILE]

SETS was made by `scripts/metaworld_demos.py`. Judges are kept in SETS/TASK/judge-SEED and are not
trained twice. Exits with 1 if a training seed misses one of the two goals.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from assay.benchmarks.pulse.ranks import auc, median, spearman
from assay.episodes.catalogue import read
from assay.errors import EpisodeError
from assay.jobs.train import TrainSettings, train
from assay.judges import make_judge
from assay.judges.base import ProgressJudge
from assay.metrics.intervals import estimate_mean
from assay.metrics.results import Estimate
from assay.records import Curve, Episode, Floats
from assay.reports import words

AUC_GOAL, SPEARMAN_GOAL = 0.90, 0.70
STILL = 0.01  # an episode whose reward moves by less, of the task's range, has no order to find
INTRODUCTION = """\
# An outside check: metaworld

<!-- Written by scripts/metaworld_figures.py; change the script, not this page. -->

The embedded judge is tried on worlds of our own. Here `assay train progress` is tried on somebody
else's: the ten tasks of metaworld's benchmark MT10, with its robot, its scripted experts and its
reward. A judge is trained for each task, on {demos} demonstrations. They are all successes. The
figures rest on {seeds}.

Then it judges attempts at scenes that it has not seen, {tests} a task: the expert, the expert with
noise in its actions, one that stops on the way (halting), one that is 12 cm wrong about where
things are (astray), one that blindly repeats what was right at another scene (replaying), random
actions (aimless), and an arm that stands still (frozen). What counts as success is metaworld's own
test in the last picture. A judge sees pictures of two cameras, 128 pixels wide, at {fps:g} a
second; it never sees the reward.

- **AUC**: how likely a success ends with a higher value than a failure. 0.5 is chance.
- **Spearman**: whether the curve rises and falls where metaworld's reward does, as rank
  correlation within an attempt; the median over attempts. Attempts in which the reward stays the
  same have no order and are left out: {still} of {attempts}.

```sh
scripts/metaworld_check.sh   # makes this page anew
```

"""
READING = """\
`ramp` is a clock, `pixel-change` takes whatever changed for progress, and `similarity-image`
compares with the last pictures of the same demonstrations. The trained judges differ by the seed
of the training alone. Intervals are 95 %: over tasks for the mean AUC, over attempts otherwise.
An attempt that a judge could not score counts as a wrong end in its AUC. Its Spearman and its mean
end values are those of the scored attempts, with their number where some are missing.
"""


@dataclass(frozen=True, eq=False)
class Judged:
    """One attempt under one judge.

    Attributes:
        policy: Who acted.
        success: How it ended.
        end: The judge's last value; NaN when the attempt is unscored.
        moves: Whether the reward changes, so that there is an order to find.
        spearman: Rank correlation with the reward; None when it stays the same and when the
            attempt is unscored.
    """

    policy: str
    success: bool
    end: float
    moves: bool
    spearman: float | None


@dataclass(frozen=True)
class Task:
    """What was found on one task: the attempts by judge, in the same order for all."""

    name: str
    judged: Mapping[str, Sequence[Judged]]

    def auc(self, judge: str) -> Estimate:
        """Return how well the end value of `judge` tells success from failure."""
        rows = self.judged[judge]
        # An unscored attempt does not help its judge: it counts as the wrong extreme.
        ends = [(r.success, float(not r.success) if np.isnan(r.end) else r.end) for r in rows]
        good = np.array([end for success, end in ends if success])
        bad = np.array([end for success, end in ends if not success])
        return auc(good, bad)

    def correlations(self, judge: str) -> Floats:
        """Return the rank correlations of the scored attempts in which the reward changes."""
        found = [row.spearman for row in self.judged[judge]]
        return np.array([value for value in found if value is not None])

    @property
    def attempts(self) -> Sequence[Judged]:
        """Return the attempts under the first judge, for what no judge changes."""
        return next(iter(self.judged.values()))

    def count(self, *, success: bool) -> int:
        """Return how many attempts ended so."""
        return sum(row.success == success for row in self.attempts)

    def moving(self) -> int:
        """Return in how many attempts the reward changes."""
        return sum(row.moves for row in self.attempts)


def judges_for(task: Path, seeds: Sequence[int], how: TrainSettings) -> dict[str, ProgressJudge]:
    """Return the judges of a task by the names they have in the tables; train what is missing."""
    demos = task / "demos"
    made = {}
    for seed in seeds:
        out = train([demos], replace(how, out=task / f"judge-{seed}", seed=seed)).out
        made[f"trained, seed {seed}"] = make_judge(str(out))
    made["similarity-image"] = make_judge("similarity-image", {"goal": demos})
    made |= {name: make_judge(name) for name in ("pixel-change", "ramp")}
    return {name: judge for name, judge in made.items() if isinstance(judge, ProgressJudge)}


def judge_task(task: Path, judges: Mapping[str, ProgressJudge], fps: float) -> Task:
    """Have every judge look at every attempt."""
    found = list(read(task / "tests"))
    episodes = [episode for episode in found if isinstance(episode, Episode)]
    if len(episodes) < len(found):
        raise SystemExit(f"{task / 'tests'} holds episodes that can't be read: make it anew.")
    widest = max(float(np.ptp(e.signals["reward"].values)) for e in episodes)
    judged = {
        name: [_judge(judge, episode, fps, STILL * widest) for episode in episodes]
        for name, judge in judges.items()
    }
    return Task(task.name, judged)


def _judge(judge: ProgressJudge, episode: Episode, fps: float, least: float) -> Judged:
    success = bool(episode.outcome)
    moves = float(np.ptp(episode.signals["reward"].values)) >= least
    curve = _curve(judge, episode, fps)
    if curve is None:
        return Judged(episode.policy, success, float("nan"), moves, None)
    reward = episode.at("reward", curve.times, "nearest")
    found = spearman(reward, curve.values) if moves else None
    return Judged(episode.policy, success, float(curve.values[-1]), moves, found)


def _curve(judge: ProgressJudge, episode: Episode, fps: float) -> Curve | None:
    """Return what the judge says; None when it has no value for every moment."""
    try:
        curve = judge.progress(episode, judge.clock(episode, fps))
    except EpisodeError:
        return None
    return None if np.isnan(curve.values).any() else curve


def overall(tasks: Sequence[Task], judge: str) -> tuple[Estimate, Estimate]:
    """Return the mean AUC over tasks and the median Spearman over attempts of all tasks."""
    values = [found for task in tasks if (found := task.auc(judge).value) is not None]
    pooled = np.concatenate([task.correlations(judge) for task in tasks])
    return estimate_mean(np.array(values)), median(pooled)


def tables(tasks: Sequence[Task]) -> str:
    """Return the figures of all judges as Markdown, over tasks and for each."""
    names = list(tasks[0].judged)
    rows = []
    for name in names:
        mean, middle = overall(tasks, name)
        reach = sum((task.auc(name).value or 0.0) >= AUC_GOAL for task in tasks)
        unscored = _unscored(tasks, name)
        cells = [words.amount(mean.as_json()), f"{reach} of {len(tasks)}"]
        rows.append([name, *cells, words.amount(middle.as_json()), str(unscored)])
    head = ["judge", "AUC, mean of tasks", f"tasks at {AUC_GOAL:g}", "median Spearman", "unscored"]
    parts = ["## All tasks\n", _table(head, rows), READING + above(tasks), "## AUC by task\n"]
    ends = [
        [
            task.name,
            f"{task.count(success=True)} / {task.count(success=False)}",
            *(words.amount(task.auc(name).as_json()) for name in names),
        ]
        for task in tasks
    ]
    parts += [_table(["task", "successes / failures", *names], ends), "## Spearman by task\n"]
    orders = [
        [
            task.name,
            str(task.moving()),
            *(_order(task, name) for name in names),
        ]
        for task in tasks
    ]
    parts += [_table(["task", "attempts", *names], orders), "## End value by kind of attempt\n"]
    return "\n".join([*parts, _table(["attempts", "outcome", "n", *names], _kinds(tasks))])


def _unscored(tasks: Sequence[Task], judge: str) -> int:
    return sum(bool(np.isnan(row.end)) for task in tasks for row in task.judged[judge])


def _order(task: Task, judge: str) -> str:
    """Word the median Spearman of a judge on a task."""
    found = task.correlations(judge)
    return _partly(words.amount(median(found).as_json()), len(found), task.moving())


def _end(rows: Sequence[Judged]) -> str:
    """Word the mean end value of the scored attempts."""
    scored = [row.end for row in rows if not np.isnan(row.end)]
    said = f"{np.mean(scored):.2f}" if scored else words.MISSING
    return _partly(said, len(scored), len(rows))


def _partly(said: str, scored: int, every: int) -> str:
    """Add to a figure how many attempts it is of, unless it is of all."""
    return said if scored == every else f"{said} ({scored} of {every})"


def _kinds(tasks: Sequence[Task]) -> list[list[str]]:
    """Return rows with the mean end value of all judges, for each kind of attempt and outcome."""
    by_judge = {
        name: [row for task in tasks for row in task.judged[name]] for name in tasks[0].judged
    }
    first = next(iter(by_judge.values()))
    rows = []
    for policy, success in dict.fromkeys((row.policy, row.success) for row in first):
        chosen = [
            i for i, row in enumerate(first) if (row.policy, row.success) == (policy, success)
        ]
        means = [_end([own[i] for i in chosen]) for own in by_judge.values()]
        outcome = "success" if success else "failure"
        rows.append([policy, outcome, str(len(chosen)), *means])
    return sorted(rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def verdict(tasks: Sequence[Task]) -> tuple[bool, str]:
    """Return whether every trained judge reaches both goals, and that in words."""
    met, lines = True, []
    for name in _trained(tasks):
        mean, middle = (found.value or 0.0 for found in overall(tasks, name))
        reached = mean >= AUC_GOAL and middle >= SPEARMAN_GOAL
        met &= reached
        lost = _unscored(tasks, name)
        note = f", with {words.counted(lost, 'attempt')} unscored" if lost else ""
        lines.append(f"- {name}: {'both reached' if reached else 'missed'}{note}")
    goals = f"Goals: mean AUC at least {AUC_GOAL:g}, median Spearman at least {SPEARMAN_GOAL:g}."
    return met, "\n".join([goals, "", *lines, "", ""])


def above(tasks: Sequence[Task]) -> str:
    """Say which of the others does better than the trained judges do on average."""
    trained = [overall(tasks, name) for name in _trained(tasks)]
    lines = []
    for number, what in enumerate(("mean AUC", "median Spearman")):
        own = float(np.mean([found[number].value or 0.0 for found in trained]))
        for name in tasks[0].judged.keys() - set(_trained(tasks)):
            other = overall(tasks, name)[number].value
            if other is not None and other > own:
                lines.append(f"- {what}: {name} {other:.3f}, the trained judges {own:.3f}\n")
    if not lines:
        return "\nNone of the others is above the trained judges' average.\n"
    return "\nAbove the trained judges' average:\n\n" + "".join(sorted(lines))


def _trained(tasks: Sequence[Task]) -> list[str]:
    """Return the judges that were trained, one a seed."""
    return [name for name in tasks[0].judged if name.startswith("trained")]


def page(tasks: Sequence[Task], sets: Path, fps: float) -> tuple[bool, str]:
    """Return whether the goals are reached, and the whole page."""
    attempts = sum(len(task.attempts) for task in tasks)
    counts = {
        "demos": json.loads((sets / tasks[0].name / "demos/meta/info.json").read_text())[
            "total_episodes"
        ],
        "tests": len(tasks[0].attempts),
        "still": attempts - sum(task.moving() for task in tasks),
        "attempts": attempts,
        "fps": fps,
        "seeds": words.counted(len(_trained(tasks)), "training seed"),
    }
    met, said = verdict(tasks)
    return met, INTRODUCTION.format(**counts) + said + tables(tasks)


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, judge and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", type=Path)
    parser.add_argument("--tasks", nargs="+", help="by default all that are in SETS")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0], help="of the training")
    parser.add_argument("--fps", type=float, default=20.0)
    parser.add_argument("--steps", type=int, help="the most steps of a training")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--page", type=Path, help="write the page here too")
    options = parser.parse_args(arguments)
    how = TrainSettings(options.sets, fps=options.fps, steps=options.steps, jobs=options.jobs)
    names = options.tasks or sorted(path.parent.name for path in options.sets.glob("*/tests"))
    tasks = []
    for name in names:
        judges = judges_for(options.sets / name, options.seeds, how)
        tasks.append(judge_task(options.sets / name, judges, options.fps))
        sys.stderr.write(f"{name}: judged\n")
    met, text = page(tasks, options.sets, options.fps)
    sys.stdout.write(text)
    if options.page:
        options.page.write_text(text, encoding="utf-8")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
