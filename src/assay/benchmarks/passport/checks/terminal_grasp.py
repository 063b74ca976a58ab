"""The moment of the grasp, seen by one camera at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from assay.benchmarks.passport.checks._single import SingleCheck, Wording
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import OURS, Limit
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe
from assay.errors import EpisodeError

__all__ = ["TerminalGrasp"]


@dataclass(frozen=True)
class TerminalGrasp(SingleCheck):
    """Show the grasp to one view after the other: the hand hides the object from some."""

    truth: ClassVar[bool] = True
    rank: ClassVar[int] = 35
    pictures: ClassVar[bool] = True
    limit: ClassVar[Limit] = Limit(0.25, source=f"one of the four milestones of MC; {OURS}")
    wording: ClassVar[Wording] = Wording(
        title="grasp seen from other views",
        quantity="range over views of the score at the moment of the grasp",
        passed="Any one of the views will do.",
        failed="The score of a grasp depends on the camera: keep to the same views.",
        warning="The score of a grasp depends on the camera: compare only the same views.",
        matters=("mp", "cra"),
    )

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the range over single views when the grasp is just done."""
        episode = material.episode
        ends = [s.end_s for s in episode.segments if s.name.startswith("grasp ")]
        if not ends or len(episode.views) < 2:
            raise EpisodeError("nothing is grasped, or there is one view only")
        times = np.array([0.0, ends[0]])
        scores = [
            float(probe.values(replace(episode, views={name: view}), times)[-1])
            for name, view in episode.views.items()
        ]
        return {"value": max(scores) - min(scores)}
