"""What a judge is taught: how far an episode has got at each moment, as far as its data tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from assay.errors import EpisodeError
from assay.records import Episode, Floats

__all__ = ["FAILED_END", "ORIGINS", "Origin", "Target", "target_of"]

Origin: TypeAlias = Literal["world", "subtasks", "recorded", "time", "label"]

ORIGINS: dict[Origin, str] = {
    "world": "the exact progress of a simulated world",
    "subtasks": "the marked subtasks, even within each",
    "recorded": "a recorded progress curve",
    "time": "the elapsed time until success",
    "label": "the label alone: a failed attempt starts at 0 and ends below 1",
}
"""Where values come from, best first; the first that an episode has is taken."""

FAILED_END = 0.5
"""What the last tenth of a failed attempt is worth when nothing but its label is known."""

_TAIL = 0.1  # of a failed attempt; what lies before it is not trained on


@dataclass(frozen=True, eq=False)
class Target:
    """Progress in 0..1 at some moments, of shape (T,); NaN where nobody knows."""

    values: Floats
    origin: Origin


def target_of(episode: Episode, times: Floats) -> Target:
    """Return what `episode` is worth at `times`, of shape (T,) [s].

    An attempt without a label counts as a success: it was given as a demonstration.

    Raises:
        EpisodeError: The episode's own curve leaves 0..1, or holds no value at all.
    """
    if episode.world and "progress" in episode.signals:
        return Target(_recorded(episode, times), "world")
    if _marked(episode) or (episode.plan and episode.outcome is False):
        return Target(_by_subtasks(episode, times), "subtasks")
    if "progress" in episode.signals:
        return Target(_recorded(episode, times), "recorded")
    if episode.outcome is False:
        return Target(_by_label(times), "label")
    return Target(_by_time(episode, times), "time")


def _recorded(episode: Episode, times: Floats) -> Floats:
    values = np.asarray(episode.at("progress", times), dtype=np.float64)
    if np.isnan(values).all():
        raise EpisodeError("its recorded progress holds no value", "invalid_value")
    outside = ~np.isnan(values) & ~((values >= 0.0) & (values <= 1.0))
    if outside.any():
        first = int(np.argmax(outside))
        raise EpisodeError(
            f"progress {values[first]:g} at t = {times[first]:g} s is outside 0..1", "invalid_value"
        )
    return values


def _marked(episode: Episode) -> list[tuple[float, float]]:
    """Return start and end [s] of each subtask's first time, by their ends."""
    first: dict[str, tuple[float, float]] = {}
    for segment in sorted(episode.segments, key=lambda s: s.end_s):
        if segment.kind == "subtask":
            first.setdefault(segment.name, (segment.start_s, segment.end_s))
    return list(first.values())


def _by_subtasks(episode: Episode, times: Floats) -> Floats:
    """Return k/K after the k-th of K subtasks, and the straight line within each.

    A recorder closes the last subtask of a failed attempt as well: it counts as half done.
    """
    marked = _marked(episode)
    names = {s.name for s in episode.segments if s.kind == "subtask"}
    total = len(names.union(episode.plan))
    at, worth = [0.0], [0.0]
    for place, (start, end) in enumerate(marked):
        if start > at[-1]:  # between subtasks nothing is gained
            at.append(start)
            worth.append(place / total)
        at.append(max(end, at[-1]))
        worth.append((place + 1) / total)
    if episode.outcome is False and len(marked) == total:
        worth[-1] = (total - 0.5) / total
    return np.interp(times, at, worth)


def _by_time(episode: Episode, times: Floats) -> Floats:
    """Return the elapsed share of the time until success, which is the end unless it is known."""
    end = float(times[-1])
    success = episode.signals.get("success")
    if success is not None and bool(np.asarray(success.values, dtype=bool).any()):
        end = float(success.times[np.argmax(np.asarray(success.values, dtype=bool))])
    return np.clip(times / end, 0.0, 1.0) if end > 0 else np.ones(len(times))


def _by_label(times: Floats) -> Floats:
    values = np.full(len(times), np.nan)
    values[times >= (1.0 - _TAIL) * times[-1]] = FAILED_END
    values[0] = 0.0
    return values
