"""What it takes to train a judge on 50 demonstrations, and how good it is on fresh seeds.

    python speed/train.py [--task place-in-basket] [--demos 50] [--fresh 30] [--seeds 0,1,2]

Two trainings for each seed, from scratch: once on successes and failures, once on successes alone.
The demonstrations are made first and don't count. Each judge is then tried on other seeds of the
task, which took no part in training: the share of pairs of moments in the right order, in all and
where the later moment is worth less, beside the null judges.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.episodes import catalogue
from assay.jobs._train_scores import Held, scores
from assay.jobs.rollout import RolloutSettings, rollout
from assay.jobs.train import TrainSettings, train
from assay.judges import make_judge
from assay.records import Episode
from assay.reports import words

LIMIT_S = 240.0
LEAST_PAIRS = 0.90
FLAWED = ("dropper", "backtracker", "near-miss", "early-stopper")
FIRST_DEMO, FIRST_FRESH = 0, 400  # seeds for development; see benchmarks.splits
FPS = 5


def demonstrations(task: str, count: int, folder: Path, policies: Sequence[str]) -> Path:
    """Roll out `count` attempts, half of them by the expert if there are others."""
    experts = count if len(policies) == 1 else count // 2
    others = (count - experts) // max(len(policies) - 1, 1)
    parts = [("expert", experts)] + [(name, others) for name in policies[1:]]
    first = FIRST_DEMO
    for name, number in parts:
        if number:
            film(task, name, range(first, first + number), folder / name)
            first += number  # no two demonstrations share a scene
    return folder


def film(task: str, policy: str, seeds: range, out: Path) -> None:
    rollout(
        RolloutSettings(
            out, task, (policy,), seeds, fps=FPS, views=("front", "side", "overhead"), size=128
        )
    )


def sources_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if (path / "meta").is_dir())


def tried(judge: str, episodes: Sequence[Episode]) -> dict[str, Any]:
    """Return the figures of one judge on fresh episodes."""
    made, held = make_judge(judge), []
    for episode in episodes:
        curve = made.progress(episode, made.clock(episode, FPS))
        truth = np.asarray(episode.at("progress", curve.times), dtype=np.float64)
        held.append(Held(truth, curve.values, bool(episode.outcome)))
    return scores(held)


def line(name: str, found: Mapping[str, Any], more: str = "") -> None:
    told = ", ".join(
        f"{key} {words.number(found[key])}" for key in ("pairs", "anti_time", "end_auc")
    )
    print(f"{name}: {told}{more}")


def fresh_episodes(task: str, count: int, folder: Path) -> list[Episode]:
    """Return attempts on seeds that no training has seen, as many of each policy."""
    policies = ("expert", *FLAWED)
    each = max(1, count // len(policies))
    for place, policy in enumerate(policies):
        first = FIRST_FRESH + place * each
        film(task, policy, range(first, first + each), folder / policy)
    return [episode for path in sources_of(folder) for episode in catalogue.read(path)]


def trained(folder: Path, out: Path, seed: int, steps: int | None) -> float:
    """Train a judge and return how long it took [s]."""
    began = time.perf_counter()
    train(sources_of(folder), TrainSettings(out, start="scratch", seed=seed, steps=steps))
    return time.perf_counter() - began


def measure(root: Path, options: argparse.Namespace) -> None:
    task, demos = options.task, options.demos
    both = demonstrations(task, demos, root / "both", ("expert", *FLAWED))
    alone = demonstrations(task, demos, root / "alone", ("expert",))
    fresh = fresh_episodes(task, options.fresh, root / "fresh")
    print(f"{task}: {demos} demonstrations, {len(fresh)} fresh episodes")
    for null in ("ramp", "pixel-change", "constant"):
        line(null, tried(null, fresh))
    seconds, pairs = [], []
    for kind, folder in (("with failures", both), ("successes alone", alone)):
        for seed in map(int, options.seeds.split(",")):
            out = root / f"{folder.name}-{seed}"
            seconds.append(trained(folder, out, seed, options.steps))
            found = tried(str(out), fresh)
            line(f"{kind}, seed {seed}", found, f"; {seconds[-1]:.0f} s")
            if folder is both:
                pairs.append(found["pairs"]["value"])
    print(f"slowest {max(seconds):.0f} s (limit {LIMIT_S:.0f})")
    print(f"worst pairs with failures {min(pairs):.3f} (at least {LEAST_PAIRS})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", default="place-in-basket")
    parser.add_argument("--demos", type=int, default=50)
    parser.add_argument("--fresh", type=int, default=30)
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--steps", type=int, default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        measure(Path(name), options)


if __name__ == "__main__":
    main()
