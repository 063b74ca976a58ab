"""Count the paired rollouts until a verdict: by progress, and by success on the same rollouts.

    python tests/proof/dense_binary.py [--seeds 1000:1036] [--cache FOLDER] [--processes 2]

Every policy tries four tasks on the same seeds, without pictures. Streams of paired differences are
drawn from these scenes, with replacement, and looked at after every pair by two kinds of bets.
Those of `assay.metrics.betting` go on until they rule out that the mean difference is 0; those of
`assay.metrics.flipping`, "by signs", until they rule out that what the two policies did in a scene
could as well be swapped. "Watched" is the rule of `assay compare --watch`: both kinds with half of
the wealth each (`assay.metrics.deciding`). On success all are the same bets. All see the same
scenes in the same order: success at the end, maximum progress (MP), progress at the end, and which
of the two got further, with MP less than a point apart as a tie.

Prints markdown tables: how soon a verdict is there, and how many times as many rollouts success
needs as progress does, with an interval over the pairs of policies. A stream without a verdict
counts as long as the horizon and is not dropped. Exits with 1 if MP, as it is watched, does not
need fewer rollouts than success.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from assay import plugins
from assay.metrics.betting import BettingSettings, log_gains, log_mean
from assay.metrics.deciding import joined
from assay.metrics.flipping import FlipSettings, log_flips
from assay.worlds.look import LOOK
from assay.worlds.policies._mistaken import suits
from assay.worlds.session import ACT_LIMIT_S, Session
from assay.worlds.watch import Watch
from assay.worlds.world import World

TASKS, POLICIES = "assay.worlds.tasks", "assay.worlds.policies"
SHORT = ("lift-block", "open-drawer", "place-in-basket", "push-to-zone")
"""The tasks with one thing to move; those with several take several times as long."""

EVERY = 2  # control steps, 20 Hz: progress is looked at as often as rollouts record it
KEPT = ("mp", "end", "success")
DENSE = {
    "mp watched": "MP, watched",
    "end watched": "end progress, watched",
    "mp": "MP",
    "end": "end progress",
    "further": "who got further",
    "mp signs": "MP by signs",
    "end signs": "end progress by signs",
}
TIE = 0.01
ALL, WATCHED = "all", "mp watched"
HEAD = "success apart [points]"
SETTINGS = BettingSettings()


@dataclass(frozen=True)
class Duel:
    """Two policies at one task.

    Attributes:
        pair: The policies.
        task: The task.
        shares: How often each succeeded.
        leads: By how much the first is ahead on average, by metric.
        waits: Pairs until a verdict by metric, of shape (streams,); the horizon + 1 without one.
        signs: 1 or -1 for the verdict, 0 without one, likewise.
        by_mean: By metric that is watched, where the bets on the mean made the verdict, likewise.
    """

    pair: tuple[str, str]
    task: str
    shares: tuple[float, float]
    leads: Mapping[str, float]
    waits: Mapping[str, np.ndarray]
    signs: Mapping[str, np.ndarray]
    by_mean: Mapping[str, np.ndarray]

    @property
    def apart(self) -> float:
        """Return how far the two lie apart in success."""
        return abs(self.shares[0] - self.shares[1])


def attempts(task: str, policy: str, seeds: Sequence[int]) -> dict[str, list[float]]:
    """Return maximum progress, progress at the end and success of each attempt."""
    world, watch = World(plugins.find(TASKS, task)()), Watch(ACT_LIMIT_S)
    maker = plugins.find(POLICIES, policy)()
    found: dict[str, list[float]] = {name: [] for name in KEPT}
    for seed in seeds:
        session = Session(world, maker.actor(world.task, seed), policy, watch)
        session.reset(seed)
        curve = [world.progress()]
        while not session.finished:
            session.step()
            curve.append(world.progress())
        found["mp"].append(max(curve[::EVERY]))
        found["end"].append(curve[::EVERY][-1])
        found["success"].append(float(session.success))
    watch.close()
    return found


def cached(folder: Path, task: str, policy: str, seeds: Sequence[int]) -> dict[str, list[float]]:
    """Return the same from the cache, after filling it; another look of the worlds is apart."""
    named = json.dumps([task, policy, list(seeds), LOOK])
    path = folder / f"{task}-{policy}-{hashlib.sha256(named.encode()).hexdigest()[:12]}.json"
    if not path.exists():
        part = path.with_suffix(".part")
        part.write_text(json.dumps(attempts(task, policy, seeds)))
        part.replace(path)
    found: dict[str, list[float]] = json.loads(path.read_text())
    return found


def verdicts(values: np.ndarray, draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the waits and the signs of the verdicts of streams.

    Args:
        values: Differences by scene in -1..1, of shape (scenes,).
        draws: The scenes of each stream in order, of shape (streams, horizon).
    """
    return _told(log_mean(_on_mean(values, draws)), SETTINGS.thresholds)


def sign_verdicts(values: np.ndarray, draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the same by bets on signs."""
    return _told(log_flips(values[draws]), FlipSettings().thresholds)


def watched_verdicts(values: np.ndarray, draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the same by both kinds of bets with half of the wealth each."""
    mean = log_mean(_on_mean(values, draws))
    return _told(joined(mean, log_flips(values[draws])), SETTINGS.thresholds)


def mean_is_enough(values: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Return after how many pairs the half that is bet on the mean is enough, of shape (streams,).

    It is the horizon + 1 where it never is.
    """
    limits = replace(SETTINGS, level=1 - (1 - SETTINGS.level) / 2).thresholds
    return _told(log_mean(_on_mean(values, draws)), limits)[0]


def _on_mean(values: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Return the log wealth of every share of bets on the mean: (streams, horizon, 2, shares)."""
    null, shares = SETTINGS.scaled(SETTINGS.null), np.array(SETTINGS.shares)
    gains = log_gains(SETTINGS.scaled(values), null, shares)[:, :, 0]
    return np.cumsum(gains[draws], axis=1)


def _told(wealth: np.ndarray, limits: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Return waits and signs of log wealth, of shape (streams, horizon, 2)."""
    hits = wealth >= np.array(limits)
    done = hits.any(axis=2)
    first = np.argmax(done, axis=1)
    ever = done.any(axis=1)
    above = hits[np.arange(len(hits)), first, 0]
    waits = np.where(ever, first + 1, hits.shape[1] + 1)
    return waits, np.where(ever, np.where(above, 1, -1), 0)


def duel(
    pair: tuple[str, str],
    task: str,
    found: Sequence[Mapping[str, Sequence[float]]],
    draws: np.ndarray,
) -> Duel:
    """Return how soon each metric tells two policies apart at one task."""
    apart = {name: np.subtract(found[0][name], found[1][name]) for name in KEPT}
    apart["further"] = np.where(np.abs(apart["mp"]) < TIE, 0.0, np.sign(apart["mp"]))
    told = {name: verdicts(values, draws) for name, values in apart.items()}
    told |= {f"{name} signs": sign_verdicts(apart[name], draws) for name in KEPT}
    told |= {f"{name} watched": watched_verdicts(apart[name], draws) for name in ("mp", "end")}
    alone = {f"{name} watched": mean_is_enough(apart[name], draws) for name in ("mp", "end")}
    shares = tuple(float(np.mean(own["success"])) for own in found)
    return Duel(
        pair,
        task,
        (shares[0], shares[1]),
        {name: float(values.mean()) for name, values in apart.items()},
        {name: waits for name, (waits, _) in told.items()},
        {name: signs for name, (_, signs) in told.items()},
        {name: (waits == told[name][0]) & (told[name][1] != 0) for name, waits in alone.items()},
    )


def ratios(duels: Sequence[Duel], horizon: int, dense: str = "mp") -> np.ndarray:
    """Return rollouts by success over rollouts by progress, of shape (duels, streams)."""
    success, progress = (
        np.array([np.minimum(one.waits[name], horizon) for one in duels])
        for name in ("success", dense)
    )
    found: np.ndarray = success / progress
    return found


def total(duels: Sequence[Duel], horizon: int, dense: str = "mp") -> float:
    """Return the same of all rollouts together."""
    success, progress = (
        np.sum([np.minimum(one.waits[name], horizon) for one in duels])
        for name in ("success", dense)
    )
    return float(success / progress)


def interval(
    duels: Sequence[Duel], statistic: Callable[[Sequence[Duel]], float], resamples: int, seed: int
) -> tuple[float, float]:
    """Return the 95 % percentile interval over pairs of policies, drawn whole with all tasks."""
    clusters: dict[tuple[str, str], list[Duel]] = {}
    for one in duels:
        clusters.setdefault(one.pair, []).append(one)
    groups, rng = list(clusters.values()), np.random.default_rng(seed)
    found = []
    for _ in range(resamples):
        drawn = rng.integers(len(groups), size=len(groups)).tolist()
        found.append(statistic([one for place in drawn for one in groups[place]]))
    low, high = np.quantile(found, [0.025, 0.975]).tolist()
    return low, high


def kinds(duels: Sequence[Duel]) -> Iterator[tuple[str, list[Duel]]]:
    """Yield the duels by how far they lie apart in success, the whole first."""
    yield ALL, list(duels)
    edges = (("below 10", 0.0, 0.1), ("10 to 50", 0.1, 0.5), ("50 or more", 0.5, 1.1))
    for name, low, high in edges:
        if own := [one for one in duels if low <= one.apart < high]:
            yield name, own


def show_waits(duels: Sequence[Duel], horizon: int) -> None:
    """Print how soon verdicts are there, and how many: the median, and the share with one."""
    heads = [*DENSE.values(), "success"]
    print(f"| {HEAD} | n | {' | '.join(heads)} |\n|---|---|{'---|' * len(heads)}")
    for name, own in kinds(duels):
        cells = []
        for key in (*DENSE, "success"):
            waits = np.concatenate([one.waits[key] for one in own])
            cells.append(f"{_middle(waits, horizon)} ({np.mean(waits <= horizon):.2f})")
        print(f"| {name} | {len(own)} | {' | '.join(cells)} |")


def show_ratios(
    duels: Sequence[Duel], horizon: int, resamples: int
) -> dict[str, tuple[float, float]]:
    """Print success over progress; return the intervals of all rollouts together by MP, watched."""
    heads = [f"{name}: {what}" for name in DENSE.values() for what in ("median", "all rollouts")]
    print(f"| {HEAD} | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}")
    ends: dict[str, tuple[float, float]] = {}
    for name, own in kinds(duels):
        cells = []
        for dense in DENSE:
            for statistic in (_median, total):
                made = _bound(statistic, horizon, dense)
                low, high = interval(own, made, resamples, seed=0)
                cells.append(f"{made(own):.2f} [{low:.2f}, {high:.2f}]")
                if dense == WATCHED and statistic is total:
                    ends[name] = (low, high)
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    return ends


def _median(duels: Sequence[Duel], horizon: int, dense: str) -> float:
    return float(np.median(ratios(duels, horizon, dense)))


def _bound(
    statistic: Callable[[Sequence[Duel], int, str], float], horizon: int, dense: str
) -> Callable[[Sequence[Duel]], float]:
    return lambda duels: statistic(duels, horizon, dense)


def _middle(waits: np.ndarray, horizon: int) -> str:
    middle = float(np.median(waits))
    return f"over {horizon}" if middle > horizon else f"{middle:.0f}"


def against(duels: Sequence[Duel], dense: str, other: str = "success") -> tuple[int, int]:
    """Return in how many streams two metrics say the opposite, and in how many both decide."""
    signs = [np.array([one.signs[name] for one in duels]) for name in (dense, other)]
    product = signs[0] * signs[1]
    return int((product < 0).sum()), int((product != 0).sum())


def show_opposites(duels: Sequence[Duel]) -> None:
    """Print how often metrics and means contradict each other."""
    print()
    for dense, other in (
        *((WATCHED, "success"), ("mp", "success"), ("mp signs", "success")),
        *((WATCHED, "mp"), ("mp signs", "mp")),
    ):
        opposite, both = against(duels, dense, other)
        names = f"{DENSE[dense]} and {DENSE.get(other, other)}"
        print(f"{names} say the opposite in {opposite} of {both} streams that both decide.")
    by_mean = sum(int(one.by_mean[WATCHED].sum()) for one in duels)
    made = sum(int((one.signs[WATCHED] != 0).sum()) for one in duels)
    print(f"{DENSE[WATCHED]}: {by_mean} of {made} verdicts are by the mean, the others by signs.")
    for dense in (WATCHED, "mp", "mp signs"):
        wrong, made = behind(duels, dense)
        print(f"{DENSE[dense]} names the policy with the lower mean MP in {wrong} of {made}.")


def behind(duels: Sequence[Duel], dense: str, other: str = "mp") -> tuple[int, int]:
    """Return how many verdicts name the policy that is behind in the mean of all scenes, of all."""
    signs = np.array([one.signs[dense] for one in duels])
    leads = np.array([[np.sign(one.leads[other])] for one in duels])
    return int((signs * leads < 0).sum()), int((signs != 0).sum())


def roll_out(
    folder: Path, tasks: Sequence[str], policies: Sequence[str], seeds: range, processes: int
) -> dict[tuple[str, str], dict[str, list[float]]]:
    """Return what every policy did at every task."""
    units = [(task, policy) for task in tasks for policy in policies]
    folder.mkdir(parents=True, exist_ok=True)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=spawn) as pool:
        rest = zip(*units, strict=True)
        made = pool.map(cached, [folder] * len(units), *rest, [seeds] * len(units))
        return dict(zip(units, made, strict=True))


def campaign(
    found: Mapping[tuple[str, str], Mapping[str, Sequence[float]]],
    streams: int,
    horizon: int,
    seed: int = 0,
) -> list[Duel]:
    """Return every two policies at every task; all of one task see the same streams of scenes."""
    tasks = list(dict.fromkeys(task for task, _ in found))
    policies = list(dict.fromkeys(policy for _, policy in found))
    rng, duels = np.random.default_rng(seed), []
    for task in tasks:
        scenes = len(found[task, policies[0]]["mp"])
        draws = rng.integers(scenes, size=(streams, horizon))
        duels += [
            duel(pair, task, [found[task, name] for name in pair], draws)
            for pair in combinations(policies, 2)
        ]
    return duels


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="1000:1036", help="first:past the last")
    parser.add_argument("--tasks", default=",".join(SHORT))
    parser.add_argument("--cache", type=Path, help="keeps rollouts for the next time")
    parser.add_argument("--streams", type=int, default=40, help="of each pair of policies and task")
    parser.add_argument("--horizon", type=int, default=200)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args()
    seeds = range(*map(int, options.seeds.split(":")))
    tasks = options.tasks.split(",")
    made = [plugins.find(TASKS, task)() for task in tasks]
    # Two policies meet at every task: those whose mistake only some tasks have stay out, and so do
    # those that need weights or a recording.
    found = {name: plugins.find(POLICIES, name) for name in plugins.names(POLICIES)}
    policies = [
        name
        for name, kind in found.items()
        if not hasattr(kind, "needs") and all(suits(kind, task) for task in made)
    ]
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.cache or Path(scratch)
        found = roll_out(folder, tasks, policies, seeds, options.processes)
    duels = campaign(found, options.streams, options.horizon)
    print(
        f"{len(policies)} policies, {len(tasks)} tasks, {len(seeds)} scenes each from seed"
        f" {seeds[0]}; {options.streams} streams of at most {options.horizon} pairs, level 0.95."
    )
    print(f"Intervals: {options.resamples} resamples of the pairs of policies.\n")
    print("Pairs until a verdict, the median, and the share of streams with one:\n")
    show_waits(duels, options.horizon)
    print("\nRollouts by success over rollouts by progress; above 1 progress needs fewer:\n")
    low, _ = show_ratios(duels, options.horizon, options.resamples)[ALL]
    show_opposites(duels)
    held = "needs fewer" if low > 1 else "DOES NOT NEED FEWER"
    print(f"As they are watched, MP {held} rollouts than success.")
    return 0 if low > 1 else 1


if __name__ == "__main__":
    sys.exit(main())
