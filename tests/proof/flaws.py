"""Roll out every policy on every task and see whether the exact progress tells the flaws apart.

    python tests/proof/flaws.py [--seeds 100:150] [--tasks lift-block] [--epsilon 0.001]

Prints the metrics of Phi* at 10 Hz as a markdown table with 95 % intervals, then which statements
hold over all tasks together, and for which tasks they do not. Exits with 1 if one does not hold.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

from assay import plugins
from assay.metrics.intervals import estimate_mean, estimate_share
from assay.metrics.opd import opd
from assay.metrics.results import UP_IS_GOOD, WORST, Estimate
from assay.worlds.policies._mistaken import suits
from assay.worlds.policies._served.policy import Served
from assay.worlds.session import ACT_LIMIT_S, Session
from assay.worlds.watch import Watch
from assay.worlds.world import World

TASKS, POLICIES = "assay.worlds.tasks", "assay.worlds.policies"
EVERY = 2  # control steps, 20 Hz
MILESTONES = ("25", "50", "75", "100")
OTHER_MISTAKES = ("wrong-target", "wrong-order", "ignored-constraint")
COLUMNS = (*(f"MC@{level}" for level in MILESTONES), "MP", "PPL", "CRA", "STR")

Figures = Mapping[str, Estimate]
Table = Mapping[str, Figures]  # one task's, or all tasks', by policy


def curve(session: Session, seed: int) -> np.ndarray:
    """Return Phi* at the start and after every second control step of one attempt."""
    session.reset(seed)
    values = [session.world.progress()]
    while not session.finished:
        session.step()
        values.append(session.world.progress())
    return np.array(values[::EVERY])


def curves(task: str, policy: str, seeds: range) -> list[np.ndarray]:
    """Return the curves of one policy at one task."""
    world = World(plugins.find(TASKS, task)())
    maker = plugins.find(POLICIES, policy)()
    watch = Watch(ACT_LIMIT_S)
    actors = ((seed, maker.actor(world.task, seed)) for seed in seeds)
    found = [curve(Session(world, actor, policy, watch), seed) for seed, actor in actors]
    watch.close()
    return found


def figures(found: list[np.ndarray], epsilon: float) -> dict[str, Estimate]:
    """Return every column's mean or share with its interval."""
    offsets = np.concatenate([[0], np.cumsum([len(values) for values in found])])
    table = opd(np.concatenate(found), offsets, epsilon=epsilon)
    shares = {
        f"MC@{level}": estimate_share(int(np.sum(table.mc >= int(level) / 100)), len(found))
        for level in MILESTONES
    }
    means = {
        name.upper(): estimate_mean(
            table.column(name), worst_value=WORST[name], best_value=float(UP_IS_GOOD[name])
        )
        for name in ("mp", "ppl", "cra", "str")
    }
    return shares | means


@dataclass(frozen=True)
class Statement:
    """Something the table should show."""

    text: str
    holds: Callable[[Table], bool]


def highest(table: Table, column: str, among: set[str]) -> list[str]:
    """Return policies by falling value of a column."""
    return sorted(among & set(table), key=lambda name: -table[name][column].value)


def is_half_clean(row: Figures) -> bool:
    """Tell whether about half of the attempts succeed, and those without a detour."""
    succeeded = row["MC@100"].value
    return 0.3 <= succeeded <= 0.7 and row["PPL"].value >= 0.9 * succeeded


def statements(policies: list[str]) -> list[Statement]:
    """Return what the names of the policies promise.

    Frozen is left out of the order by STR: it never moves, and its STR is 1 by definition.
    """
    every = set(policies)
    moving = every - {"frozen"}
    return [
        Statement(
            "hesitant has the highest STR of the policies that move",
            lambda t: highest(t, "STR", moving)[0] == "hesitant",
        ),
        Statement(
            "dropper and backtracker have the highest CRA",
            lambda t: set(highest(t, "CRA", every)[:2]) == {"dropper", "backtracker"},
        ),
        Statement(
            "near-miss has MC@75 of at least 0.9",
            lambda t: t["near-miss"]["MC@75"].value >= 0.9,
        ),
        Statement(
            "near-miss has MC@100 of at most 0.05",
            lambda t: t["near-miss"]["MC@100"].value <= 0.05,
        ),
        Statement(
            "early-stopper and frozen have the lowest MP, below 0.4",
            lambda t: (
                set(highest(t, "MP", every)[-2:]) == {"early-stopper", "frozen"}
                and t["early-stopper"]["MP"].value < 0.4
            ),
        ),
        Statement(
            "jittery has PPL 0.15 below the expert's or less, and mostly succeeds",
            lambda t: (
                t["jittery"]["PPL"].value <= t["expert"]["PPL"].value - 0.15
                and t["jittery"]["MC@100"].value > 0.5
            ),
        ),
        Statement(
            "wrong-object succeeds in 3 to 7 of 10 attempts, and then as cleanly as the expert",
            # Of a tray alone on the table there is no other.
            lambda t: "wrong-object" not in t or is_half_clean(t["wrong-object"]),
        ),
        Statement(
            f"{', '.join(OTHER_MISTAKES)} succeed in 3 to 7 of 10 attempts",
            lambda t: all(
                0.3 <= t[name]["MC@100"].value <= 0.7 for name in OTHER_MISTAKES if name in t
            ),
        ),
    ]


def show(task: str, table: Table) -> None:
    """Print one task's rows."""
    for policy, row in table.items():
        cells = []
        for column in COLUMNS:
            found = row[column]
            ends = "" if found.low is None else f" [{found.low:.2f}, {found.high:.2f}]"
            cells.append(f"{found.value:.2f}{ends}")
        print(f"| {task} | {policy} | {' | '.join(cells)} |", flush=True)


def roll_out(
    tasks: list[str], policies: list[str], seeds: range, processes: int
) -> Iterator[tuple[str, dict[str, list[np.ndarray]]]]:
    """Yield every task with the curves of all policies that suit it, as soon as they are there."""
    units = [(task, policy) for task in tasks for policy in policies if fits(task, policy)]
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=spawn) as pool:
        parts = pool.map(curves, *zip(*units, strict=True), [seeds] * len(units))
        for task in tasks:
            yield task, {policy: next(parts) for policy in policies if fits(task, policy)}


def is_scripted(policy: str) -> bool:
    """Tell whether the policy needs neither weights, nor a recording, nor a server."""
    found = plugins.find(POLICIES, policy)
    return not hasattr(found, "needs") and not issubclass(found, Served)


def fits(task: str, policy: str) -> bool:
    """Tell whether the task has the mistake that the policy makes, if it makes a certain one."""
    return suits(plugins.find(POLICIES, policy)(), plugins.find(TASKS, task)())


def say(statement: Statement, together: Table, tables: Mapping[str, Table]) -> bool:
    """Print and return whether a statement holds over all tasks; name the tasks where not."""
    holds = statement.holds(together)
    apart = [task for task, table in tables.items() if not statement.holds(table)]
    exceptions = f" (not by itself: {', '.join(apart)})" if apart else ""
    print(f"{'holds' if holds else 'DOES NOT HOLD'}: {statement.text}{exceptions}")
    return holds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="100:150", help="first:past the last")
    parser.add_argument("--tasks", default=",".join(plugins.names(TASKS)))
    parser.add_argument("--epsilon", type=float, default=0.001)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args()
    seeds = range(*map(int, options.seeds.split(":")))
    policies = [name for name in plugins.names(POLICIES) if is_scripted(name)]
    tasks = options.tasks.split(",")
    print(f"{len(seeds)} seeds from {seeds[0]}, 10 Hz, epsilon {options.epsilon:g}\n")
    print(f"| task | policy | {' | '.join(COLUMNS)} |\n|{'---|' * (len(COLUMNS) + 2)}")
    tables: dict[str, Table] = {}
    pooled: dict[str, list[np.ndarray]] = {policy: [] for policy in policies}
    for task, found in roll_out(tasks, policies, seeds, options.processes):
        tables[task] = {policy: figures(own, options.epsilon) for policy, own in found.items()}
        show(task, tables[task])
        for policy, own in found.items():
            pooled[policy] += own
    together = {policy: figures(own, options.epsilon) for policy, own in pooled.items() if own}
    show("all", together)
    print()
    held = [say(statement, together, tables) for statement in statements(policies)]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
