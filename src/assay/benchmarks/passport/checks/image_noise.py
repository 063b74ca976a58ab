"""Pictures under noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.passport.checks._single import SingleCheck, Wording
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import OURS, Limit
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe
from assay.benchmarks.pulse.noise import with_noise
from assay.benchmarks.pulse.thresholds import NOISE_LEVELS
from assay.errors import EpisodeError

__all__ = ["ImageNoise"]

_, LIGHT, HEAVY = NOISE_LEVELS
_SEED = 0


@dataclass(frozen=True)
class ImageNoise(SingleCheck):
    """Mix Gaussian noise into every frame, 5 and 10 %: scores must stay about the same."""

    rank: ClassVar[int] = 14
    pictures: ClassVar[bool] = True
    limit: ClassVar[Limit] = Limit(0.10, source=f"the amount of the noise itself; {OURS}")
    wording: ClassVar[Wording] = Wording(
        title="image noise",
        quantity="mean change of a score under 10 % noise",
        passed="Grainy pictures get about the same scores.",
        failed="Grainy pictures get other scores: don't compare cameras or light levels.",
        warning="Image noise moves its scores: compare only recordings of the same camera.",
        matters=("mp", "ppl", "cra", "str"),
    )

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the mean change under heavy noise; under light noise beside it."""
        if not material.episode.views:
            raise EpisodeError("the episode has no frames")
        plain = probe.plain(material)
        change = {}
        for amount in (LIGHT, HEAVY):
            values = probe.values(with_noise(material.episode, amount, _SEED), material.times)
            change[amount] = float(np.mean(np.abs(values - plain)))
        return {"value": change[HEAVY], "more": {"mean change under 5 % noise": change[LIGHT]}}
