"""Restore random moments and replay them: every number must come out the same, bit by bit.

    python tests/proof/restore.py [--cases 500] [--seed 0] [--tasks handover]

Takes all tasks and policies found, random seeds, perturbations and times; half of the cases are
replayed in another world by another actor. Exits with 1 if any case differs.
"""

from __future__ import annotations

import argparse
import functools
import pickle
import random
import sys
from pathlib import Path

import numpy as np

from assay import plugins
from assay.worlds.policies._served.policy import Served
from assay.worlds.session import Session
from assay.worlds.world import World

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from policies_supplied import fits, policy_of

TASKS = plugins.names("assay.worlds.tasks")
# Nobody can save what a server remembers.
POLICIES = [
    name
    for name in plugins.names("assay.worlds.policies")
    if not issubclass(plugins.find("assay.worlds.policies", name), Served)
]
PERTURBATIONS = plugins.names("assay.worlds.perturbations")


@functools.cache
def world_of(task: str, number: int) -> World:
    return World(plugins.find("assay.worlds.tasks", task)())


def session_of(task: str, policy: str, seed: int, number: int) -> Session:
    world = world_of(task, number)
    actor = policy_of(policy, task).actor(world.task, seed)
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
    task = rng.choice(TASKS)
    policy = rng.choice([name for name in POLICIES if fits(name, task)])
    seed, before, after = rng.randrange(500), rng.randrange(0, 150), rng.randrange(1, 40)
    # On lift-tray nothing can change places: its can stands on its tray.
    able = [name for name in PERTURBATIONS if (task, name) != ("lift-tray", "objects")]
    changed = [plugins.find("assay.worlds.perturbations", rng.choice(able))()]
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
    parser.add_argument("--tasks", default=",".join(TASKS))
    options = parser.parse_args()
    TASKS[:] = options.tasks.split(",")
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
