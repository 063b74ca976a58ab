"""Ask a process reward model for hops, and fuse three ways of following them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar, Literal

from assay.judges._asking import Shots, shown
from assay.judges._hopping import HopModelJudge
from assay.models.answers import number
from assay.records import Judged

__all__ = ["Dopamine"]


@dataclass(frozen=True)
class Dopamine(HopModelJudge):
    """Ask a reward model for the hop between two moments, with start and goal as anchors.

    All views of both moments are shown beside the start and the goal. The model answers with a
    percentage: a gain is a share of what was left, a loss one of what was done. Three estimates
    are fused by their mean,

        followed  Phi_t = Phi_(t-1) + h(t-1, t) (1 - Phi_(t-1)) for gains, (1 + h) Phi_(t-1) else,
        forward   Phi_t = max(h(start, t), 0),
        backward  Phi_t = 1 + min(h(goal, t), 0),

    and the residual tells how far they are apart. A goal is needed, and one that looks like the
    start tells no way: both are "no_reference". The authors' checkpoints want the prompt that they
    were trained with: give it by `prompt`; then they may answer in their own form.

    Attributes:
        integrator: "fused" (3 T - 3 questions), or one of its parts: "cumulative" follows the hops
            (T - 1), "forward" (T - 1), "backward" (T), "anchored" is the mean of these two
            (2 T - 1); or "least-squares" (about `reach` T).

    Cites:
        Tan et al. 2025, "Robo-Dopamine: General Process Reward Modeling for High-Precision Robotic
        Manipulation", arXiv:2512.23703.
    """

    integrator: Literal[
        "fused", "forward", "backward", "anchored", "cumulative", "least-squares"
    ] = "fused"

    wants_goal: ClassVar[bool] = True

    def compare(
        self, task: str, before: Shots, after: Shots, start: Shots | None, goal: Shots | None
    ) -> Judged[float]:
        """Ask for the hop in percent; several answers are averaged."""
        values = {
            "instruction": task,
            "start": shown(start),
            "goal": shown(goal),
            "before": shown(before),
            "after": shown(after),
        }
        read = number(-100, 100)
        return self.sampled(values, read, _mean, free=self.prompt is not None)


def _mean(percents: Sequence[float]) -> float:
    return fmean(percents) / 100.0
