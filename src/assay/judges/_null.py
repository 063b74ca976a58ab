"""What the null judges share: they know neither task nor goal."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from assay.judges._curves import clock_of, curve
from assay.judges.base import Bound
from assay.records import Curve, Episode, Floats

__all__ = ["NullJudge"]


@dataclass(frozen=True)
class NullJudge(ABC):
    """A judge that knows nothing of the task; a real judge must do better than every one."""

    bound: ClassVar[Bound] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset()
    noise: ClassVar[None] = None

    def clock(self, episode: Episode, fps: float | None) -> Floats:
        """Return the recorded moments if there are any, so that nulls share a judge's clock."""
        return clock_of(episode, "progress", fps)

    def progress(self, episode: Episode, times: Floats) -> Curve:
        """Return the guess at `times`."""
        return curve(times, self.guess(episode, times))

    @abstractmethod
    def guess(self, episode: Episode, times: Floats) -> Floats:
        """Return a number in 0..1 for each of `times`, of shape (T,)."""
