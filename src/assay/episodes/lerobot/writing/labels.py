"""Labels of an episode as lerobot's subtask annotations: coarse ones sparse, finer ones dense."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.episodes.lerobot.writing.plan import SLACK_S
from assay.records import Episode, Floats, Segment

__all__ = ["Grain", "Stages", "dense", "grains", "sparse", "subtask_columns"]

Grain: TypeAlias = Literal["sparse", "dense"]
FINE: Final = ("primitive", "dense_subtask", "event")  # kinds of segments
_IDLE: Final = ("none", "")  # of the signal `primitive`: nothing is done


def sparse(episode: Episode) -> list[Segment]:
    """Return the subtasks."""
    return [segment for segment in episode.segments if segment.kind == "subtask"]


def dense(episode: Episode) -> list[Segment]:
    """Return what is labelled within subtasks: primitives and events, which may overlap.

    Primitives come from the segments, or else from the signal `primitive`.
    """
    found = [segment for segment in episode.segments if segment.kind in FINE]
    if any(segment.kind == "primitive" for segment in found):
        return found
    return found + _runs(episode)


def grains(episode: Episode) -> frozenset[Grain]:
    """Return which labels an episode has, or could have: a signal `primitive` may be idle in it."""
    found: set[Grain] = set()
    if sparse(episode):
        found.add("sparse")
    if "primitive" in episode.signals or dense(episode):
        found.add("dense")
    return frozenset(found)


def _runs(episode: Episode) -> list[Segment]:
    """Return the stretches over which the signal `primitive` stays the same."""
    series = episode.signals.get("primitive")
    if series is None or series.values.dtype.kind != "U" or not len(series.times):
        return []
    starts = np.flatnonzero(np.r_[True, series.values[1:] != series.values[:-1]])
    ends = series.times[[*starts[1:], -1]].tolist()
    named = zip(series.values[starts].tolist(), series.times[starts].tolist(), ends, strict=True)
    return [Segment(name, start, end, "primitive") for name, start, end in named
            if name not in _IDLE]  # fmt: skip


def subtask_columns(
    grain: Grain, segments: Iterable[Segment], fps: float, length: int
) -> dict[str, list[Any]]:
    """Return the columns in which lerobot's SARM keeps subtasks: lists of names, times and frames.

    Args:
        grain: Which of the two lists.
        segments: The subtasks.
        fps: The dataset's clock [1/s].
        length: The frames of the episode; the last one is the last that a subtask can end with.
    """
    marked = sorted(segments, key=lambda segment: segment.start_s)
    found: dict[str, list[Any]] = {
        "names": [s.name for s in marked],
        "start_times": [s.start_s for s in marked],
        "end_times": [s.end_s for s in marked],
        "start_frames": [_frame(s.start_s, fps, length) for s in marked],
        "end_frames": [_frame(s.end_s, fps, length) for s in marked],
    }
    return {f"{grain}_subtask_{name}": values for name, values in found.items()}


def _frame(time_s: float, fps: float, length: int) -> int:
    return min(round(time_s * fps), length - 1)


class Stages:
    """The texts of all subtasks, numbered as they come, and the subtask of each frame."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def names(self) -> list[str]:
        """Return the texts in the order of their numbers."""
        return list(self._numbers)

    def index(self, episode: Episode, times: Floats) -> npt.NDArray[np.int64]:
        """Return the subtask of each frame; the one that began last where several hold.

        Frames without one get the empty text, which LeRobot can look up like any other.
        """
        index = np.full(len(times), -1)
        for segment in sorted(sparse(episode), key=lambda s: s.start_s):
            number = self._numbers.setdefault(segment.name, len(self._numbers))
            # The last frame belongs to a segment that ends with the episode.
            ended = (times + SLACK_S >= segment.end_s) & (times[-1] > segment.end_s + SLACK_S)
            index[(times + SLACK_S >= segment.start_s) & ~ended] = number
        if np.any(index < 0):
            index[index < 0] = self._numbers.setdefault("", len(self._numbers))
        return index
