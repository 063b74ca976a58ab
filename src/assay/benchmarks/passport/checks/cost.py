"""What a score costs."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import ClassVar

from assay.benchmarks.passport.checks._single import SingleCheck, Wording
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe

__all__ = ["Cost"]


@dataclass(frozen=True)
class Cost(SingleCheck):
    """Take the time of judging frames that are in memory already; there is no limit."""

    rank: ClassVar[int] = 90
    limit: ClassVar[None] = None
    span: ClassVar[tuple[float, float]] = (0.0, math.inf)
    wording: ClassVar[Wording] = Wording(
        title="cost and speed",
        quantity="processor time for one frame, reading it apart",
        passed="Measured on this machine; the one line that no two runs share.",
        failed="",
        unit="cpu-ms a frame",
    )

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the processor time a frame [ms], and the seconds an episode takes."""
        probe.plain(material)  # weights are loaded when a judge is first asked
        wall, cpu = time.perf_counter(), time.process_time()
        probe.values(material.episode, material.times)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        frames = len(material.times) * max(1, len(material.episode.views))
        more = {"seconds an episode": wall, "frames an episode": float(frames)}
        return {"value": 1e3 * cpu / frames, "more": more}
