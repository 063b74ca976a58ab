"""Let the expert do every task on seeds that nothing was tuned on.

    python tests/proof/experts.py [--seeds 1000:1050] [--least 48] [--tasks lift-block]
        [--robot desk-arm]

Prints successes with a 95 % interval, and how long the attempts took. Exits with 1 if a task has
fewer than `--least` successes. With `--robot` the tasks that it has the hands for; else every task
with the robot that is taken by default.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from assay import plugins
from assay.errors import UsageError
from assay.metrics.intervals import estimate_share
from assay.worlds.policies.expert import Expert
from assay.worlds.robots._choosing import make_robot
from assay.worlds.session import ACT_LIMIT_S, Session
from assay.worlds.tasks.base import hands_of
from assay.worlds.watch import Watch
from assay.worlds.world import World

TASKS = "assay.worlds.tasks"


def attempts(task: str, seeds: range, robot: str | None) -> list[tuple[bool, float]]:
    """Return whether each attempt succeeded, and its length [s]."""
    world = World(plugins.find(TASKS, task)(), make_robot(robot) if robot else None)
    watch = Watch(ACT_LIMIT_S)
    found = []
    for seed in seeds:
        session = Session(world, Expert().actor(world.task, seed), "expert", watch)
        session.reset(seed)
        while not session.finished:
            session.step()
        found.append((session.success, session.time))
    watch.close()
    return found


def fits(task: str, robot: str | None) -> bool:
    """Tell whether the robot has the hands that the task takes."""
    return robot is None or len(make_robot(robot).arms) == hands_of(plugins.find(TASKS, task)())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="1000:1050", help="first:past the last")
    parser.add_argument("--least", type=int, default=48)
    parser.add_argument("--tasks", default=",".join(plugins.names(TASKS)))
    parser.add_argument("--robot")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args()
    try:
        for task in options.tasks.split(","):
            plugins.find(TASKS, task)
    except UsageError as error:
        parser.error(str(error))
    seeds = range(*map(int, options.seeds.split(":")))
    tasks = [task for task in options.tasks.split(",") if fits(task, options.robot)]
    print("| task | successes | share | mean length | longest |\n|---|---|---|---|---|")
    enough = True
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.processes, mp_context=spawn) as pool:
        rest = ([seeds] * len(tasks), [options.robot] * len(tasks))
        for task, found in zip(tasks, pool.map(attempts, tasks, *rest), strict=True):
            good, lengths = sum(success for success, _ in found), [length for _, length in found]
            share = estimate_share(good, len(found))
            ends = "" if share.low is None else f" [{share.low:.2f}, {share.high:.2f}]"
            print(
                f"| {task} | {good} of {len(found)} | {share.value:.2f}{ends} | "
                f"{np.mean(lengths):.1f} s | {max(lengths):.1f} s |",
                flush=True,
            )
            enough &= good >= options.least
    print(f"{'Every' if enough else 'NOT every'} task has at least {options.least}.")
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
