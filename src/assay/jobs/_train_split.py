"""Choose the episodes that a judge does not learn from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
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
    """Return the ids of about `share` of `episodes`, of every task alike, at least one.

    The same episodes, whatever their order, and the same seed give the same ids. Nothing is held
    out when `share` is 0.
    """
    if share <= 0:
        return frozenset()
    whole = split_by(episodes)
    members: dict[tuple[str, str], list[str]] = defaultdict(list)
    for episode in episodes:
        name = str(episode.scene) if whole == "scene" else episode.id
        members[episode.task, name].append(episode.id)
    places = _places(sorted(members), seed)
    chosen = [group for group, place in places.items() if place < share]
    chosen = chosen or [min(places, key=places.__getitem__)]
    return frozenset(name for group in chosen for name in members[group])


def _places(groups: Sequence[tuple[str, str]], seed: int) -> dict[tuple[str, str], float]:
    """Spread the groups of each task evenly over 0..1, in an order that `seed` draws."""
    rng = np.random.default_rng(seed)
    by_task: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for group in groups:
        by_task[group[0]].append(group)
    places = {}
    for own in by_task.values():
        for rank, drawn in enumerate(rng.permutation(len(own))):
            places[own[drawn]] = (rank + 0.5) / len(own)
    return places
