"""Tell pictures of scenes that the network learned from apart from others.

A picture's gist is how much fine structure there is in each part of it, and a little of its colour.
It is compared with the gists of training pictures: what is far from all of them is novel. The
network's own features are no help here, since they leave out what did not matter in training.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from assay.errors import InputError
from assay.records import Image

__all__ = ["EXAMPLES", "NEAREST", "Scenes", "gists"]

FILE: Final = "scenes.npz"
CELLS: Final = 8  # a gist's picture is so many cells wide
TEXTURE: Final = 12.0  # weight of fine structure against colour: it differs most between worlds
KEPT: Final = 96  # principal components
EXAMPLES: Final = 2000
NEAREST: Final = 3

Array = npt.NDArray[Any]


def gists(pictures: Image) -> npt.NDArray[np.float32]:
    """Return the gists (n, 256) of pictures, uint8 (n, S, S, 3) with S a multiple of 8."""
    count = len(pictures)
    # Whole numbers as long as it goes, and rows before columns: four times as fast as means.
    grey = pictures[..., 0].astype(np.int16) + pictures[..., 1] + pictures[..., 2]
    steps = np.zeros_like(grey)
    steps[:, :, :-1] += np.abs(grey[:, :, 1:] - grey[:, :, :-1])
    steps[:, :-1] += np.abs(grey[:, 1:] - grey[:, :-1])
    colour = _cells(pictures) / 255
    texture = np.sqrt(_cells(steps[..., None]) / (3 * 255))
    parts = [colour.reshape(count, -1), TEXTURE * texture.reshape(count, -1)]
    return np.concatenate(parts, axis=1).astype(np.float32)


def _cells(images: Array) -> Array:
    """Return the mean of each cell of images (n, S, S, C): (n, 8, 8, C)."""
    count, size, _, channels = images.shape
    side = size // CELLS
    rows = images.reshape(count, CELLS, side, size * channels).sum(2, dtype=np.int32)
    cells: Array = rows.reshape(count, CELLS, CELLS, side, channels).sum(3) / side**2
    return cells


@dataclass(frozen=True, eq=False)
class Scenes:
    """Gists of training pictures: mean (G,), main axes (G, K) and examples along these (N, K)."""

    mean: Array
    axes: Array
    examples: Array

    @classmethod
    def of(cls, pictures: Sequence[Image], seed: int = 0) -> Scenes:
        """Return the scenes of batches of training pictures."""
        rows = np.concatenate([gists(batch) for batch in pictures])
        mean = rows.mean(0)
        axes = np.linalg.svd(rows - mean, full_matrices=False)[2][:KEPT].T
        some = np.random.default_rng(seed).permutation(len(rows))[:EXAMPLES]
        return cls(mean, axes, (rows[some] - mean) @ axes)

    @classmethod
    def read(cls, folder: Path) -> Scenes:
        """Read the scenes of a judge.

        Raises:
            InputError: The file is missing or damaged.
        """
        try:
            with np.load(folder / FILE, allow_pickle=False) as stored:
                found = [stored[name].astype(np.float32) for name in ("mean", "axes", "examples")]
        except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
            raise InputError(f"can't be read: {error}.", folder / FILE) from error
        return cls(*found)

    def write(self, folder: Path) -> None:
        """Write them into the judge's folder; half precision is plenty."""
        found = {name: getattr(self, name).astype(np.float16) for name in self.__annotations__}
        np.savez_compressed(folder / FILE, **found)

    def distance(self, pictures: Image) -> npt.NDArray[np.float64]:
        """Return how far each of `pictures` is from the nearest training pictures, (n,)."""
        # Not by BLAS, whose threads would wait for each other in every worker.
        own = np.einsum("ng,gk->nk", gists(pictures) - self.mean, self.axes)
        inner = np.einsum("nk,km->nm", own, np.ascontiguousarray(self.examples.T))
        square = (own**2).sum(1)[:, None] + (self.examples**2).sum(1) - 2 * inner
        near = np.sqrt(np.maximum(np.partition(square, NEAREST - 1, axis=1)[:, :NEAREST], 0.0))
        return np.asarray(near.mean(1), dtype=np.float64)
