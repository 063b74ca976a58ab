"""Restore random moments and replay them: every number must come out the same, bit by bit.

    python tests/proof/restore.py [--cases 500] [--seed 0]

Takes all tasks and policies found, random seeds, perturbations and times; half of the cases are
replayed in another world by another actor. Exits with 1 if any case differs.
"""

from __future__ import annotations

import argparse
import functools
import pickle
import random
import sys

import numpy as np

from assay import plugins
from assay.worlds.policies._mistaken import suits
from assay.worlds.session import Session
from assay.worlds.world import World

TASKS = plugins.names("assay.worlds.tasks")
POLICIES = plugins.names("assay.worlds.policies")
PERTURBATIONS = plugins.names("assay.worlds.perturbations")
CASES = [
    (task, policy)
    for task in TASKS
    for policy in POLICIES
    if suits(
        plugins.find("assay.worlds.policies", policy)(),
        plugins.find("assay.worlds.tasks", task)(),
    )
]


@functools.cache
def world_of(task: str, number: int) -> World:
    return World(plugins.find("assay.worlds.tasks", task)())


def session_of(task: str, policy: str, seed: int, number: int) -> Session:
    world = world_of(task, number)
    actor = plugins.find("assay.worlds.policies", policy)().actor(world.task, seed)
    return Session(world, actor, policy)


def trace(session: Session, steps: int) -> np.ndarray:
    rows = []
    for _ in range(steps):
        action = session.step()
        data = session.world.data
        rows.append([*data.qpos, *data.qvel, session.world.progress(), *action, session.done])
    return np.array(rows)


def is_exact(rng: random.Random, number: int) -> tuple[bool, str]:
    """Run one case; return whether it was exact, and its name."""
    task, policy = rng.choice(CASES)
    seed, before, after = rng.randrange(500), rng.randrange(0, 150), rng.randrange(1, 40)
    changed = [plugins.find("assay.worlds.perturbations", rng.choice(PERTURBATIONS))()]
    perturbations = changed if rng.random() < 0.5 else []
    session = session_of(task, policy, seed, 0)
    session.reset(seed, perturbations)
    trace(session, before)
    moment = session.save()
    first = trace(session, after)
    if number % 2:
        session.world.reset(seed + 1)
    else:
        session = session_of(task, policy, seed, 1)
        session.reset(seed + 2)
        moment = pickle.loads(pickle.dumps(moment))
    session.restore(moment)
    label = "+".join(p.label for p in perturbations) or "plain"
    name = f"{task} {policy} seed {seed} {label} steps {before}..{before + after}"
    return np.array_equal(trace(session, after), first), name


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    exact = 0
    for number in range(options.cases):
        fine, name = is_exact(rng, number)
        exact += fine
        if not fine:
            print(f"DIFFERENT  {name}")
    print(f"{exact} of {options.cases} bit-exact; {len(TASKS)} tasks, {len(POLICIES)} policies")
    return 0 if exact == options.cases else 1


if __name__ == "__main__":
    sys.exit(main())
