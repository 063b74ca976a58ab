"""A null judge: dice."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from assay.errors import UsageError
from assay.judges._null import NullJudge
from assay.records import Episode, Floats

__all__ = ["Random"]


@dataclass(frozen=True)
class Random(NullJudge):
    """Give every moment a random progress: a null judge.

    Attributes:
        seed: Together with the episode's id it decides every number.
    """

    seed: int = 0

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise UsageError(f"Option seed of random must be 0 or more, not {self.seed}.")

    def guess(self, episode: Episode, times: Floats) -> Floats:
        """Return independent uniform numbers."""
        rng = np.random.default_rng([self.seed, zlib.crc32(episode.id.encode())])
        return rng.random(len(times))
