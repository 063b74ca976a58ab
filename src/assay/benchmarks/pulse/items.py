"""The items of a pulse benchmark, and how they are made from episodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

import numpy as np

from assay.benchmarks.pulse.choosing import balanced, drawn
from assay.benchmarks.pulse.pairs import ORDERS, pairs_of
from assay.benchmarks.pulse.thresholds import BIN_NAMES
from assay.benchmarks.pulse.truth import truth_of
from assay.errors import EpisodeError
from assay.records import Episode

__all__ = ["SETTINGS", "Built", "Item", "Placed", "Setting", "build_items"]

Setting: TypeAlias = Literal["Real", "Sim", "UMI", "Human"]
SETTINGS: Final[tuple[str, ...]] = get_args(Setting)
_TAKES_WRONG_THINGS: Final = "wrong-object"
_UNDOES: Final = "backtracker"


@dataclass(frozen=True, slots=True)
class Item:
    """Two moments of an episode and which of them is further on.

    Attributes:
        item: Its name: the episode and the two moments.
        source: The dataset, as it was asked for.
        episode: The episode's id.
        task: Its task.
        instruction: What was asked of the robot.
        policy: Who acted.
        perturbation: What was changed in the scene, or None.
        seed: The scene's seed, or None.
        setting: "Real", "Sim", "UMI" or "Human".
        category: The kind of robot or world.
        route: Where the truth is from.
        y: +1 when the second moment is further on, else -1.
        hop: By how much, -1..1.
        bin: "small", "medium" or "large".
        order: "forward", "reversed" or "anti-time".
        t_before: The moment shown first [s].
        t_after: The moment shown second [s].
        distance_s: How far apart they were filmed [s].
        phi_before: Progress at the first.
        phi_after: Progress at the second.
        wrong_object: Whether the policy takes wrong things; None when nobody knows.
        undone: Whether the policy undoes its own work; None when nobody knows.
    """

    item: str
    source: str
    episode: str
    task: str
    instruction: str
    policy: str
    perturbation: str | None
    seed: int | None
    setting: str
    category: str
    route: str
    y: int
    hop: float
    bin: str
    order: str
    t_before: float
    t_after: float
    distance_s: float
    phi_before: float
    phi_after: float
    wrong_object: bool | None
    undone: bool | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """An episode and what is known of it beside.

    Attributes:
        episode: The episode.
        source: The dataset, as it was asked for.
        setting: Where it was filmed.
        category: The kind of robot or world.
        kind: The name of the policy that acted, whatever its label is; None when nobody knows.
    """

    episode: Episode
    source: str
    setting: str
    category: str
    kind: str | None = None

    def acts_as(self, name: str) -> bool | None:
        """Tell whether the policy `name` acted; None outside the worlds, or when nobody knows."""
        return self.kind == name if self.kind and self.episode.world else None


@dataclass(frozen=True, eq=False)
class Built:
    """What came of building.

    Attributes:
        items: The chosen items, by episode and time.
        considered: Pairs of states by what became of them: "kept" or a reason.
        candidates: How many items there were to choose from.
        routes: Episodes by where their truth is from.
        left_out: Why an episode gave nothing, by its id.
        unknown: Episodes of worlds whose policy nobody knows, by its label.
    """

    items: tuple[Item, ...]
    considered: Counter[str] = field(default_factory=Counter)
    candidates: int = 0
    routes: Counter[str] = field(default_factory=Counter)
    left_out: dict[str, str] = field(default_factory=dict)
    unknown: Counter[str] = field(default_factory=Counter)


def build_items(episodes: Iterable[Placed], *, per_stratum: int, seed: int) -> Built:
    """Return a balanced choice of pairs; the same episodes and seed give the same items."""
    candidates: list[Item] = []
    considered: Counter[str] = Counter()
    routes: Counter[str] = Counter()
    left_out: dict[str, str] = {}
    unknown: Counter[str] = Counter()
    for placed in sorted(episodes, key=lambda p: p.episode.id):
        try:
            found, counts = _of_episode(placed, per_stratum, seed)
        except EpisodeError as error:
            left_out[placed.episode.id] = str(error)
            continue
        considered += counts
        candidates += found
        routes[found[0].route if found else "no clear pair"] += 1
        if placed.episode.world and placed.kind is None:
            unknown[placed.episode.policy] += 1
    chosen = _chosen(candidates, seed)
    return Built(chosen, considered, len(candidates), routes, left_out, unknown)


def _of_episode(placed: Placed, per_stratum: int, seed: int) -> tuple[list[Item], Counter[str]]:
    episode, truth = placed.episode, truth_of(placed.episode)
    pairs, counts = pairs_of(truth)
    items = []
    for k in drawn(pairs, episode.id, per_stratum, seed).tolist():
        before, after = int(pairs.before[k]), int(pairs.after[k])
        t_before, t_after = float(truth.times[before]), float(truth.times[after])
        items.append(
            Item(
                item=f"{episode.id}:{t_before:.3f}>{t_after:.3f}",
                source=placed.source,
                episode=episode.id,
                task=episode.task,
                instruction=episode.instruction,
                policy=episode.policy,
                perturbation=episode.perturbation,
                seed=episode.seed,
                setting=placed.setting,
                category=placed.category,
                route=truth.route,
                y=1 if pairs.hop[k] > 0 else -1,
                hop=float(pairs.hop[k]),
                bin=BIN_NAMES[int(pairs.bin[k])],
                order=ORDERS[int(pairs.order[k])],
                t_before=t_before,
                t_after=t_after,
                distance_s=float(pairs.distance_s[k]),
                phi_before=float(truth.phi[before]),
                phi_after=float(truth.phi[after]),
                wrong_object=placed.acts_as(_TAKES_WRONG_THINGS),
                undone=placed.acts_as(_UNDOES),
            )
        )
    return items, counts


def _chosen(candidates: Sequence[Item], seed: int) -> tuple[Item, ...]:
    """Return a balanced part of the candidates, in the order of their names."""
    places = balanced(
        np.array([ORDERS.index(item.order) for item in candidates], dtype=np.int64),
        np.array([BIN_NAMES.index(item.bin) for item in candidates], dtype=np.int64),
        np.array([item.distance_s for item in candidates], dtype=np.float64),
        seed,
    )
    return tuple(sorted((candidates[k] for k in places.tolist()), key=lambda item: item.item))
