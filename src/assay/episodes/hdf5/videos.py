"""Videos kept as bytes inside an HDF5 file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from assay.episodes._containers import opened_bytes
from assay.episodes._decoding import Decoding, converter, picture
from assay.episodes._packets import TOLERANCE_S, Index, index
from assay.episodes.hdf5.nodes import opened
from assay.errors import EpisodeError, UsageError
from assay.records import Floats, Image

__all__ = ["StoredVideo"]

_KEPT = 64  # indexes; a minute of video takes 15 kB


@dataclass(frozen=True, slots=True)
class StoredVideo:
    """The frames of a video whose bytes stand in an HDF5 file. Opens lazily.

    The bytes of the one video are in memory while it is decoded, and no longer.

    Attributes:
        path: The file.
        dataset: The place of the bytes in it.
    """

    path: str
    dataset: str

    def key(self) -> str:
        """Return the file and the place in it."""
        return f"{self.path}::{self.dataset}"

    def clock(self) -> Floats:
        """Return when each frame is shown by the video's own clock [s], of shape (N,)."""
        try:
            now = Path(self.path).stat()
        except OSError as error:
            raise EpisodeError(f"{self.path} can't be read ({error.strerror}).") from error
        return _clock(_indexed(self, now.st_mtime_ns, now.st_size))

    def at(self, times: Floats) -> Iterator[Image]:
        """Yield the frame shown at each of the increasing `times` [s], uint8 RGB (H, W, 3)."""
        wanted = np.asarray(times, np.float64)
        if np.isnan(wanted).any() or (np.diff(wanted) < 0).any():
            raise UsageError(f"{self.key()}: frames are read forward, so times must not decrease.")
        return self._at(wanted) if len(wanted) else iter(())

    def content(self) -> bytes:
        """Return the bytes of the video."""
        with opened(Path(self.path)) as root:
            return root.content(self.dataset)

    def _at(self, times: Floats) -> Iterator[Image]:
        with opened_bytes(self.content(), self.key()) as (container, stream):
            where = index(container, stream, 0.0, None)
            nth = np.searchsorted(_clock(where), times + TOLERANCE_S, side="right") - 1
            positions, repeats = np.unique(np.maximum(nth, 0), return_counts=True)
            convert = converter()
            frames = Decoding(self.key(), where, positions).frames(container, stream)
            for frame, count in zip(frames, repeats, strict=True):
                image = picture(convert, frame)
                for _ in range(count - 1):
                    yield image.copy()
                yield image


@lru_cache(maxsize=_KEPT)
def _indexed(video: StoredVideo, mtime: int, size: int) -> Index:  # noqa: ARG001 - the key
    """Return the index of a video, made once as long as the file stays as it is."""
    with opened_bytes(video.content(), video.key()) as (container, stream):
        where = index(container, stream, 0.0, None)
    if not len(where.pts):
        raise EpisodeError(f"{video.key()} has no frame.")
    return where


def _clock(where: Index) -> Floats:
    shown: Floats = (where.pts - where.pts[0]) * where.tick
    return shown
