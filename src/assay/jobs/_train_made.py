"""Make what demonstrations lack: attempts that fall back, stand still or do another task.

Who sees successes alone learns the clock: later is always better. A made episode is cut from the
frames of a real one, so that frames keep their worth and only their order, or the instruction, is
new.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from assay.judges.prm_mini._clips import Clip, Take, takes

__all__ = ["KINDS", "MOST", "made_clips", "success_only"]

KINDS = {
    "retraced": "forward to some moment, then back: progress falls again",
    "rewound": "backwards from the end: the first frame is the finished task",
    "shuffled": "the frames out of order, each with its own worth",
    "frozen": "one frame for the rest of the episode: nothing is gained by waiting",
    "other task": "the frames of this task under the instruction of another: worth 0",
}
"""The kinds of made episodes, and what each says."""

MOST = 150
"""So many episodes are made at most: their frames are held in memory."""

_Order: TypeAlias = npt.NDArray[np.int64]


def success_only(clips: Sequence[Clip]) -> frozenset[str]:
    """Return the tasks of which no attempt is known to have failed."""
    failed = {clip.task for clip in clips if clip.success is False}
    return frozenset(clip.task for clip in clips) - failed


def made_clips(
    clips: Sequence[Clip], rng: np.random.Generator
) -> tuple[list[Clip], dict[str, int]]:
    """Return a made episode for each one of a task without failures, and how many of each kind.

    The kinds take turns; "other task" has its turn only when there are several instructions.
    """
    tasks, others = success_only(clips), _others(clips)
    chosen = [take for take in takes(clips) if take.first.task in tasks]
    if len(chosen) > MOST:
        kept = np.sort(rng.choice(len(chosen), MOST, replace=False))
        chosen = [chosen[place] for place in kept]
    made: list[Clip] = []
    counts: Counter[str] = Counter()
    for place, take in enumerate(chosen):
        wrong = others[take.first.task]
        kinds = [kind for kind in KINDS if kind != "other task" or wrong]
        kind = kinds[place % len(kinds)]
        counts[kind] += 1
        if kind == "other task":
            made += _under(take, wrong[int(rng.integers(len(wrong)))])
        else:
            made += _reordered(take, kind, rng)
    return made, dict(counts)


def _others(clips: Sequence[Clip]) -> dict[str, list[tuple[str, ...]]]:
    """Return for each task the instructions of the others, where they differ from its own."""
    told: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for clip in clips:
        if clip.instructions:
            told[clip.task].add(clip.instructions)
    every = set().union(*told.values())
    return {clip.task: sorted(every - told[clip.task]) for clip in clips}


def _under(take: Take, instructions: tuple[str, ...]) -> list[Clip]:
    """Return the episode under the instruction of another task."""
    return [
        replace(
            clip,
            values=np.zeros_like(clip.values),
            instructions=instructions,
            episode=f"{clip.episode} (other task)",
            success=False,
        )
        for clip in take.clips
    ]


def _reordered(take: Take, kind: str, rng: np.random.Generator) -> list[Clip]:
    """Return the episode in another order, the same for all its views."""
    order = _ORDERS[kind](len(take.first.values), rng)
    return [
        replace(
            clip,
            frames=clip.frames[order],
            values=clip.values[order],
            points=None if clip.points is None else clip.points[order],
            episode=f"{clip.episode} ({kind})",
            success=None if kind == "shuffled" else False,
        )
        for clip in take.clips
    ]


def _retraced(count: int, rng: np.random.Generator) -> _Order:
    """Go forward to a moment of the second half, and back to one of the first."""
    top = int(rng.integers(count // 2, count))
    end = int(rng.integers(0, max(count // 2, 1)))
    return np.concatenate([np.arange(top + 1), np.arange(top - 1, end - 1, -1)])


def _rewound(count: int, rng: np.random.Generator) -> _Order:  # noqa: ARG001 - there is one way back
    return np.arange(count)[::-1]


def _shuffled(count: int, rng: np.random.Generator) -> _Order:
    """Keep the first frame, which judges compare with, and mix the others."""
    return np.concatenate([[0], 1 + rng.permutation(count - 1)])


def _frozen(count: int, rng: np.random.Generator) -> _Order:
    return np.minimum(np.arange(count), int(rng.integers(0, count - 1)))


_ORDERS: dict[str, Callable[[int, np.random.Generator], _Order]] = {
    "retraced": _retraced,
    "rewound": _rewound,
    "shuffled": _shuffled,
    "frozen": _frozen,
}
