"""Noisy pictures: I' = (1 - a) I + a eps, the same for every judge."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from assay.records import Episode, Floats, Frames, Image

__all__ = ["NoisyFrames", "noisy", "with_noise"]


@dataclass(frozen=True)
class NoisyFrames:
    """Frames with noise, drawn anew for every moment of every view.

    Attributes:
        frames: The clean frames.
        share: The a of the formula, 0..1.
        name: Episode and view; decides the noise together with `seed` and the moment.
        seed: Another seed, other noise.
    """

    frames: Frames
    share: float
    name: str
    seed: int

    def key(self) -> str:
        """Return what tells these frames from all others."""
        return f"{self.frames.key()}+noise{self.share:g}/{self.seed}/{self.name}"

    def clock(self) -> Floats:
        """Return the clean frames' times [s]."""
        return self.frames.clock()

    def at(self, times: Floats) -> Iterator[Image]:
        """Yield the noisy frame at each of the increasing `times` [s]."""
        own = zlib.crc32(self.name.encode())
        for time, image in zip(times.tolist(), self.frames.at(times), strict=True):
            # At every level of noise the same eps, so that levels differ in nothing else.
            rng = np.random.default_rng([self.seed, own, round(1000 * time)])
            yield noisy(image, self.share, rng)


def noisy(image: Image, share: float, rng: np.random.Generator) -> Image:
    """Return `image`, uint8, with N(0, 1) noise per pixel and channel on the scale 0..1."""
    eps = rng.standard_normal(image.shape, dtype=np.float32)
    mixed = (1.0 - share) * (image.astype(np.float32) / 255.0) + share * eps
    return np.round(255.0 * np.clip(mixed, 0.0, 1.0)).astype(np.uint8)


def with_noise(episode: Episode, share: float, seed: int) -> Episode:
    """Return the episode with noise in every view; as it is when `share` is 0."""
    if not share:
        return episode
    views = {
        name: replace(view, frames=NoisyFrames(view.frames, share, f"{episode.id}/{name}", seed))
        for name, view in episode.views.items()
    }
    return replace(episode, views=views)
