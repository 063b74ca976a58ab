"""What a check is made on: an episode, and the same moments shown in other ways."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from assay.benchmarks.passport.lines import EPISODES, WORLDS, Domain
from assay.benchmarks.passport.transforms import MOST, clock_of, stored
from assay.records import Episode, Floats

__all__ = ["Kind", "Material", "recorded"]

_MOST_BYTES = 400_000_000  # of one episode's pictures; a rearranged video holds them once more
_LEAST = 12

Kind: TypeAlias = Literal["episode", "looks", "goals", "hidden"]


@dataclass(frozen=True, eq=False)
class Material:
    """One subject of checks.

    Attributes:
        kind: Which checks it is for. "episode": one as it was recorded. "looks": the same states
            seen in other ways. "goals": other good ends. "hidden": an end that hides the object.
        domain: Where it comes from.
        episode: The episode, with its frames in memory.
        times: Its moments [s], of shape (T,).
        whole: The episode as it was recorded, for other frame rates.
        others: The same moments shown otherwise, by name.
    """

    kind: Kind
    domain: Domain
    episode: Episode
    times: Floats
    whole: Episode
    others: Mapping[str, Episode] = field(default_factory=dict)

    @property
    def truth(self) -> Floats | None:
        """Return Phi* at the moments, of shape (T,); None where nobody knows it."""
        if self.domain != WORLDS:
            return None
        return np.asarray(self.episode.at("progress", self.times), dtype=np.float64)

    @property
    def draw(self) -> np.random.Generator:
        """Return the generator of what is drawn from this material, the same every time."""
        return np.random.default_rng([0xA55A, zlib.crc32(self.episode.id.encode())])


def recorded(episode: Episode) -> Material:
    """Return an episode of the user as material.

    Raises:
        EpisodeError: It is too short, or a frame is missing.
    """
    times = clock_of(episode, cap=_affordable(episode))
    return Material("episode", EPISODES, stored(episode, times), times, episode)


def _affordable(episode: Episode) -> int:
    """Return how many moments are held in memory: fewer when the pictures are large."""
    first = [next(iter(view.frames.at(np.zeros(1)))) for view in episode.views.values()]
    return int(np.clip(_MOST_BYTES // max(1, sum(image.nbytes for image in first)), _LEAST, MOST))
