"""Moments drawn from an episode, with their pictures, for judges that score pairs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from assay.benchmarks.passport.checks._single import SingleCheck
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import Line
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Pictures, Probe
from assay.episodes import sampling
from assay.errors import EpisodeError
from assay.judges._anchors import find_anchor
from assay.judges._looks import still_views

__all__ = ["NO_PAIRS", "PairCheck", "Pairs", "drawn_moments"]

NO_PAIRS = "it scores states, not pairs of pictures"

_SIDE = 448  # longest side of a goal's picture [px]; no judge is shown larger ones by default


def drawn_moments(material: Material, draws: int, size: int) -> npt.NDArray[np.int64]:
    """Return `draws` increasing tuples of `size` places among the moments."""
    rng, count = material.draw, len(material.times)
    return np.array([np.sort(rng.choice(count, size, replace=False)) for _ in range(draws)])


class PairCheck(SingleCheck, ABC):
    """A check of answers to pairs.

    Audits rest on curves, so it puts their columns in doubt only for a judge that makes its curves
    of such answers.

    Attributes:
        chained: The columns of an audit that a failure puts in doubt for such a judge.
    """

    chained: ClassVar[tuple[str, ...]] = ("mp", "ppl", "cra")

    @abstractmethod
    def value(self, probe: Probe, material: Material) -> Finding:
        """Return what one piece of material shows."""

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return what one piece of material shows, and whether the judge's curves rest on it."""
        return {**self.value(probe, material), "chains": probe.chains}

    def conclude(self, name: str, found: Sequence[Finding], unfit: str) -> tuple[Line, ...]:
        """Return the one line."""
        (line,) = super().conclude(name, found, unfit)
        if not any(finding.get("chains") for finding in found):
            return (line,)
        return (replace(line, matters=(*line.matters, *self.chained)),)


class Pairs:
    """Ask a judge about pairs of moments of one episode; every picture is fetched once.

    A judge with a goal of its own is handed the goal of this episode's task. It could not find that
    by itself: a hop knows an instruction, and goals may go by the name of the task. Nor could it
    leave the episode's own end out, with which every way ends at the goal.
    """

    def __init__(self, probe: Probe, material: Material) -> None:
        self._probe, self._material = probe, material
        # As on curves: a camera on the wrist changes its picture whatever is done.
        views = still_views(material.episode, getattr(probe.judge, "view", ""))
        self._pictures = list(sampling.synced(views, material.times))

    def hop(self, before: int, after: int, *, goal: int | None = None) -> float:
        """Return the progress between two moments, by their places.

        Args:
            before: The first moment.
            after: The second.
            goal: The moment that is the goal; None takes the judge's own goal, if it has one.

        Raises:
            EpisodeError: The judge gives no number, or has no goal for this episode.
        """
        return self._probe.hop(
            self._material.episode.instruction,
            self._pictures[before],
            self._pictures[after],
            self._pictures[0],
            self._own_goal if goal is None else self._pictures[goal],
        )

    @cached_property
    def _own_goal(self) -> Pictures | None:
        """Return a picture per view of how another attempt ends; None of a judge without goals."""
        place, episode, like = self._probe.goals, self._material.episode, self._pictures[0]
        if place is None:
            return None
        side = min(_SIDE, max(max(image.shape[:2]) for image in like.values()))
        anchor = find_anchor(place, (episode.task, episode.instruction), like, side, episode)
        if anchor.fault:
            raise EpisodeError(anchor.fault, "no_reference")
        return anchor.images
