"""Moments drawn from an episode, with their pictures, for judges that score pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe
from assay.episodes import sampling
from assay.judges._looks import still_views

__all__ = ["NO_PAIRS", "Pairs", "drawn_moments"]

NO_PAIRS = "it scores states, not pairs of pictures"


def drawn_moments(material: Material, draws: int, size: int) -> npt.NDArray[np.int64]:
    """Return `draws` increasing tuples of `size` places among the moments."""
    rng, count = material.draw, len(material.times)
    return np.array([np.sort(rng.choice(count, size, replace=False)) for _ in range(draws)])


class Pairs:
    """Ask a judge about pairs of moments of one episode; every picture is fetched once."""

    def __init__(self, probe: Probe, material: Material) -> None:
        self._probe, self._material = probe, material
        # As on curves: a camera on the wrist changes its picture whatever is done.
        views = still_views(material.episode, getattr(probe.judge, "view", ""))
        self._pictures = list(sampling.synced(views, material.times))

    def hop(self, before: int, after: int, *, goal: int | None = None) -> float:
        """Return the progress between two moments, by their places."""
        return self._probe.hop(
            self._material.episode.instruction,
            self._pictures[before],
            self._pictures[after],
            self._pictures[0],
            None if goal is None else self._pictures[goal],
        )
