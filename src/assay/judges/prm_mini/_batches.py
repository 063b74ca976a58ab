"""Batches to learn from: a few moments of each of some episodes, from some of their views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.judges.prm_mini._clips import FACTS, POINTS, Clip, Take
from assay.judges.prm_mini._text import tokens

__all__ = ["Batch", "Recipe", "Sampler", "falls"]


@dataclass(frozen=True)
class Recipe:
    """How the network learns.

    Attributes:
        steps: Steps in all.
        episodes: Episodes in a batch.
        lanes: Batches of a step, looked at side by side.
        moments: Moments of each.
        rate: The highest learning rate.
        decay: Weight decay.
        matrices: The highest learning rate of matrices, which Muon takes then; 0: AdamW takes all.
        anti_time: How often an episode that has one brings a pair whose later moment is worse.
        against: How much more such a pair counts than others.
        ends: How often the last moment of an episode is among those shown.
        goal: How often a goal picture of another episode of the task is given.
        no_start: How often the start picture is left out.
        no_words: How often the instruction is left out when there is a goal.
        unread: How often a quarter of its words is left out: new words say nothing either.
        noise: How often a clip is noisy.
        views: Chances that an episode is seen by one, two or three views.
        seed: Decides the weights at the start and all chances.
        every: Steps between two looks at the validation episodes.
        patience: Looks without a better one after which learning ends; 0: never.
        minutes: The most it may take; 0: as long as it takes.
    """

    steps: int = 2600
    episodes: int = 10
    lanes: int = 1
    moments: int = 6
    rate: float = 2e-3
    decay: float = 2e-3
    matrices: float = 0.0
    anti_time: float = 0.45
    against: float = 3.0
    ends: float = 0.5
    goal: float = 0.25
    no_start: float = 0.05
    no_words: float = 0.3
    unread: float = 0.0
    noise: float = 0.3
    views: tuple[float, float, float] = (0.40, 0.35, 0.25)
    seed: int = 0
    every: int = 200
    patience: int = 0
    minutes: float = 0.0


@dataclass(frozen=True, eq=False)
class Batch:
    """E episodes, M moments, V views.

    Attributes:
        now: Pictures of shape (V, E*M, 3, S, S), uint8.
        start: Start pictures (V, E, 3, S, S).
        goal: Goal pictures (V, E, 3, S, S).
        given: Whether there is a start and a goal, (E, 2).
        tokens: Words (E, L).
        values: Progress (E, M), NaN where it is not known.
        moments: Where in the episode they are, (E, M): a larger number is later.
        points: Places in the pictures (V, E*M, P, 2), NaN where not known.
        facts: What else is so, (E, M, FACTS), NaN where not known.
        noise: How much noise each episode gets, (E,).
    """

    now: npt.NDArray[np.uint8]
    start: npt.NDArray[np.uint8]
    goal: npt.NDArray[np.uint8]
    given: npt.NDArray[np.float32]
    tokens: npt.NDArray[np.int64]
    values: npt.NDArray[np.float32]
    moments: npt.NDArray[np.int64]
    points: npt.NDArray[np.float32]
    facts: npt.NDArray[np.float32]
    noise: npt.NDArray[np.float32]


class Sampler:
    """Draw batches.

    Args:
        takes: The episodes.
        recipe: How to draw.
        rng: What to draw with.
    """

    def __init__(self, takes: Sequence[Take], recipe: Recipe, rng: np.random.Generator) -> None:
        self._takes, self._recipe, self._rng = list(takes), recipe, rng
        self._falls = [falls(take.first.values) for take in takes]
        self._goals: dict[tuple[str, str], list[tuple[str, Clip]]] = {}
        for take in takes:
            for clip in take.clips:
                if clip.success:
                    kind = (clip.instructions[0] if clip.instructions else "", clip.view)
                    self._goals.setdefault(kind, []).append((clip.episode, clip))
        self._order: list[int] = []

    def draw(self) -> Batch:
        """Return the next batch; every episode comes once before any comes again."""
        return self.draw_alike(1)[0]

    def draw_alike(self, count: int) -> list[Batch]:
        """Return the next batches, of equally many views: so they take equally long."""
        wanted = 1 + int(self._rng.choice(3, p=self._recipe.views))
        return [self._draw(wanted) for _ in range(count)]

    def _draw(self, wanted: int) -> Batch:
        recipe = self._recipe
        chosen = [self._next() for _ in range(recipe.episodes)]
        views = min(wanted, *(len(self._takes[i].clips) for i in chosen))
        rows = [self._row(i, views) for i in chosen]
        joined: dict[str, Any] = {
            name: np.stack([row[name] for row in rows], axis=axis) for name, axis in _AXES.items()
        }
        for name in ("now", "points"):
            shape = joined[name].shape
            joined[name] = joined[name].reshape(views, -1, *shape[3:])
        for name in ("now", "start", "goal"):
            joined[name] = np.ascontiguousarray(joined[name].transpose(0, 1, 4, 2, 3))
        return Batch(**joined)

    def _next(self) -> int:
        if not self._order:
            self._order = [int(i) for i in self._rng.permutation(len(self._takes))]
        return self._order.pop()

    def _row(self, number: int, views: int) -> dict[str, Any]:
        take, recipe, rng = self._takes[number], self._recipe, self._rng
        clips = [take.clips[int(i)] for i in rng.permutation(len(take.clips))[:views]]
        moments = self._moments(number, len(take.first.values))
        goals = self._goal(clips) if rng.random() < recipe.goal else None
        start = rng.random() >= recipe.no_start
        words = str(rng.choice(take.first.instructions)) if take.first.instructions else ""
        if goals is not None and rng.random() < recipe.no_words:
            words = ""
        read = tokens(words)
        if rng.random() < recipe.unread:
            read[rng.random(len(read)) < 0.25] = 0
        blank = np.zeros_like(clips[0].frames[0])
        noisy = rng.random() < recipe.noise
        return {
            "now": np.stack([clip.frames[moments] for clip in clips]),
            "start": np.stack([clip.frames[0] if start else blank for clip in clips]),
            "goal": np.stack(goals if goals is not None else [blank] * views),
            "given": np.array([start, goals is not None], dtype=np.float32),
            "tokens": read,
            "values": take.first.values[moments],
            "moments": moments,
            "points": np.stack([_told(clip.points, moments, (POINTS, 2)) for clip in clips]),
            "facts": _told(take.first.facts, moments, (FACTS,)),
            "noise": np.float32(rng.uniform(0.0, 0.12) if noisy else 0.0),
        }

    def _moments(self, number: int, count: int) -> npt.NDArray[np.int64]:
        """Return moments of an episode, often with a pair of which the later one is worse."""
        recipe, rng, pairs = self._recipe, self._rng, self._falls[number]
        drawn = rng.permutation(count)[: recipe.moments]
        drawn = np.resize(drawn, recipe.moments)  # a short episode shows a moment twice
        if len(pairs) and rng.random() < recipe.anti_time:
            drawn[:2] = pairs[int(rng.integers(len(pairs)))]
        if rng.random() < recipe.ends and count - 1 not in drawn:
            drawn[-1] = count - 1
        return drawn

    def _goal(self, clips: Sequence[Clip]) -> list[Any] | None:
        """Return the last pictures of another episode of the same task, one for each view."""
        found = []
        for clip in clips:
            kind = (clip.instructions[0] if clip.instructions else "", clip.view)
            others = [c for e, c in self._goals.get(kind, ()) if e != clip.episode]
            if not others:
                return None
            found.append(others[int(self._rng.integers(len(others)))].frames[-1])
        return found


_AXES = {
    "now": 1,
    "start": 1,
    "goal": 1,
    "given": 0,
    "tokens": 0,
    "values": 0,
    "moments": 0,
    "points": 1,
    "facts": 0,
    "noise": 0,
}


def falls(values: npt.NDArray[np.float32], least: float = 0.05) -> npt.NDArray[np.int64]:
    """Return all pairs of moments (n, 2) of which the later one is worse by at least `least`."""
    known = np.nan_to_num(values, nan=-1.0)
    earlier, later = np.triu_indices(len(values), 1)
    worse = (known[later] < known[earlier] - least) & (known[later] >= 0.0)
    return np.stack([earlier[worse], later[worse]], axis=1)


def _told(
    rows: npt.NDArray[np.float32] | None, moments: npt.NDArray[np.int64], shape: tuple[int, ...]
) -> npt.NDArray[np.float32]:
    """Return what was told of some moments, NaN where nobody knows."""
    if rows is None:
        return np.full((len(moments), *shape), np.nan, dtype=np.float32)
    return rows[moments]
