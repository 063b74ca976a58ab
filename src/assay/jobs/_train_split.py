"""Choose the episodes that a judge does not learn from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from assay.records import Episode

__all__ = ["FEWEST_SCENES", "held_out", "split_by"]

FEWEST_SCENES = 5
"""With fewer scenes whole scenes can't be spared, and episodes are held out one by one."""


def split_by(episodes: Sequence[Episode]) -> Literal["scene", "episode"]:
    """Return what is held out as a whole.

    Two attempts in one scene look alike, and a judge that has learnt from one knows the other by
    heart: where scenes are named, all attempts of a scene go the same way.
    """
    scenes = {episode.scene for episode in episodes}
    return "scene" if None not in scenes and len(scenes) >= FEWEST_SCENES else "episode"


def held_out(episodes: Sequence[Episode], share: float, seed: int) -> frozenset[str]:
    """Return the ids of about `share` of `episodes`, spread evenly over the tasks, at least one.

    A scene that several tasks share is held out in all of them or in none. The same episodes,
    whatever their order, and the same seed give the same ids. Nothing is held out when `share`
    is 0.
    """
    if share <= 0:
        return frozenset()
    whole = split_by(episodes)
    members: dict[str, list[Episode]] = defaultdict(list)
    for episode in episodes:
        members[str(episode.scene) if whole == "scene" else episode.id].append(episode)
    tasks = {name: tuple(sorted({e.task for e in own})) for name, own in members.items()}
    ordered = _spread(tasks, seed)
    chosen = ordered[: max(1, round(share * len(ordered)))]
    return frozenset(episode.id for name in chosen for episode in members[name])


def _spread(tasks: Mapping[str, tuple[str, ...]], seed: int) -> list[str]:
    """Return the names in an order that `seed` draws, of which every beginning is fair.

    Args:
        tasks: Which tasks each name belongs to. Names of the same tasks are spread evenly over
            the whole order, so that its first fifth is a fifth of them too.
        seed: Decides the order.
    """
    rng = np.random.default_rng(seed)
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in sorted(tasks, key=lambda name: (tasks[name], name)):
        alike[tasks[name]].append(name)
    places = {}
    for own in alike.values():
        for rank, drawn in enumerate(rng.permutation(len(own))):
            places[own[drawn]] = (rank + 0.5) / len(own)
    # Tasks with equally many names have the same places: a draw decides which of them comes first.
    ties = dict(zip(places, rng.permutation(len(places)).tolist(), strict=True))
    return sorted(places, key=lambda name: (places[name], ties[name]))
