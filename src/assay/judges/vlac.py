"""Ask a pairwise critic for the signed progress between two pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar, Literal

from assay.errors import UsageError
from assay.judges._asking import Shots, shown
from assay.judges._hopping import HopModelJudge
from assay.models.answers import number
from assay.records import Episode, Judged, View

__all__ = ["Vlac"]


@dataclass(frozen=True)
class Vlac(HopModelJudge):
    """Ask a critic model how much closer the second of two pictures is to the task's end.

    The critic sees two pictures of one view and answers with a number from `-scale` to `scale`, in
    its own words. A gain is a share of what was left, a loss one of what was done. A checkpoint
    wants the prompt that it was trained with: give it by `prompt`, with {instruction}, {before}
    and {after} where they belong.

    Attributes:
        view: The view to show; empty takes the first that doesn't move.
        scale: The number that stands for all of the way.
        integrator: "cumulative" (T - 1 questions, as the authors do), "anchored" (2 T - 1, needs a
            goal) or "least-squares" (about `reach` T).

    Cites:
        Zhai et al. 2025, "A Vision-Language-Action-Critic Model for Robotic Real-World
        Reinforcement Learning".
    """

    integrator: Literal["cumulative", "anchored", "least-squares"] = "cumulative"
    scale: float = 100.0

    required: ClassVar[tuple[str, ...]] = ("before", "after")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.scale > 0:
            raise UsageError(self._refused("scale", "above 0", f"{self.scale:g}"))

    def views(self, episode: Episode) -> dict[str, View]:
        """Return the one view that the critic is shown."""
        name, view = next(iter(super().views(episode).items()))
        return {name: view}

    def compare(
        self, task: str, before: Shots, after: Shots, start: Shots | None, goal: Shots | None
    ) -> Judged[float]:
        """Ask for the score of the first view's two pictures; several answers are averaged."""
        view = next(iter(before))
        moments = {"start": start, "goal": goal, "before": before, "after": after}
        values = {
            "instruction": task,
            **{name: shown(_only(view, shots)) for name, shots in moments.items()},
        }
        return self.sampled(values, number(-self.scale, self.scale), self._mean, free=True)

    def _mean(self, scores: Sequence[float]) -> float:
        return fmean(scores) / self.scale


def _only(view: str, shots: Shots | None) -> Shots | None:
    return {view: shots[view]} if shots and view in shots else None
