"""What judges share that ask a model how far one moment is from another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from assay.errors import UsageError
from assay.judges._anchors import Anchor, find_anchor
from assay.judges._asking import ModelJudge, Shots, each, prepared
from assay.judges._curves import unscored
from assay.judges._goals import Goals
from assay.judges._integrating import GOAL, Integrator, Plan
from assay.judges._showing import instruction_of
from assay.records import Curve, Episode, Floats, Image, Judged

__all__ = ["HopModelJudge"]


@dataclass(frozen=True)
class HopModelJudge(ModelJudge, ABC):
    """A judge that asks a model for hops, and makes progress of them by a named integrator.

    Attributes:
        goal: An image, a folder of images or a dataset of demonstrations.
        integrator: How hops become progress.
        reach: How many moments apart pairs are at most; for least-squares.
    """

    goal: Path | None = None
    integrator: Integrator = "cumulative"
    reach: int = 3

    fields: ClassVar[tuple[str, ...]] = ("instruction", "start", "goal", "before", "after")
    required: ClassVar[tuple[str, ...]] = ("before", "after")
    signs: ClassVar[bool] = False
    wants_goal: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.reach <= 100:
            raise UsageError(self._refused("reach", "from 1 to 100 moments", self.reach))

    def check(self) -> None:
        """Raise what would stop every episode: a model, a prompt or a goal that can't be used."""
        super().check()
        if self.goal is not None:
            Goals.load(self.goal, self.side)

    @abstractmethod
    def compare(
        self, task: str, before: Shots, after: Shots, start: Shots | None, goal: Shots | None
    ) -> Judged[float]:
        """Ask the model for the hop between two moments of the same views, in -1..1."""

    def hop(
        self,
        task: str,
        before: Mapping[str, Image],
        after: Mapping[str, Image],
        start: Mapping[str, Image] | None,
        goal: Mapping[str, Image] | None,
    ) -> Judged[float]:
        """Return the hop from `before` to `after`; without `goal` the judge's own one counts."""
        views = [v for v in before if v in after and self.view in ("", v)]
        if not views:
            return Judged(None, "missing_frame", "the two moments share no view to look at")
        like = {view: before[view] for view in views}
        if goal is None:
            anchor = find_anchor(self.goal, (task,), like, self.side)
        else:
            anchor = Anchor({view: goal[view] for view in views if view in goal})
        anchor = anchor.checked(start)
        if fault := self._missing(anchor, needed=self.wants_goal):
            return Judged(None, "no_reference", fault)
        return self.compare(
            task,
            prepared(like, self.side),
            prepared({view: after[view] for view in views}, self.side),
            prepared(start, self.side) if start else None,
            prepared(anchor.images, self.side) or None,
        )

    def progress(self, episode: Episode, times: Floats) -> Curve:
        """Compare the pairs of the integrator's plan, and return the progress that they tell."""
        task = instruction_of(episode)
        shots: list[Shots] = []
        start: dict[str, Image] = {}
        looks = zip(self.images(episode, times), self.seen(episode, times), strict=True)
        for images, at_s in looks:
            start = start or images
            shots.append(prepared(images, self.side, at_s))
        anchor = find_anchor(
            self.goal, (episode.task, episode.instruction), start, self.side, episode
        ).checked(start)
        anchored = self.integrator in ("backward", "anchored", "fused")
        if fault := self._missing(anchor, needed=self.wants_goal or anchored):
            return unscored(times, "no_reference", fault)
        # Where the first moment is the start itself, it needs no hop of its own.
        first = 0 if _alike(shots[0], shots[1]) else 1
        moments = shots[1 - first :]
        plan = Plan(self.integrator, len(moments), self.reach, self.signs)
        goal = prepared(anchor.images, self.side) or None
        ask = partial(self._between, task, moments, goal)
        return plan.curve(times, each(partial(ask, *pair) for pair in plan.pairs), first)

    def _between(
        self, task: str, moments: list[Shots], goal: Shots | None, before: int, after: int
    ) -> Judged[float]:
        """Compare two moments; the same pictures twice are no hop, and not asked about."""
        late = moments[after]
        early = goal or {} if before == GOAL else moments[before]
        views = [view for view in early if view in late]
        if not views:
            return Judged(None, "no_reference", "the goal shows none of the views")
        early, late = ({view: shots[view] for view in views} for shots in (early, late))
        if _alike(early, late):
            return Judged(0.0)
        return self.compare(task, early, late, moments[0], goal)

    def _missing(self, anchor: Anchor, *, needed: bool) -> str:
        """Say why an anchor can't be used; empty if it can, or if it is not needed."""
        if anchor.fault or anchor.images or not needed:
            return anchor.fault
        return (
            f"{self.called()} compares with a picture of the finished task and has none:"
            " pass --goal IMAGE or --goal DIR (images or demonstrations)"
        )


def _alike(one: Shots, other: Shots) -> bool:
    return {v: p.key for v, p in one.items()} == {v: p.key for v, p in other.items()}
