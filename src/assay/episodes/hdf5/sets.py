"""What readers of HDF5 datasets share: ids, rates and stored pictures."""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path

import numpy as np

from assay.episodes.encoded_frames import EncodedFrames
from assay.episodes.hdf5.clocks import fitted
from assay.episodes.hdf5.nodes import Node
from assay.episodes.hdf5.pictures import StoredPictures, check_pictures
from assay.episodes.rates import NOTE, steps_per_second
from assay.errors import InputError
from assay.records import Floats, View

__all__ = ["id_of", "picture_view", "rate_of"]


def id_of(path: Path, file: Path) -> str:
    """Return the id of the only episode of `file`, which was found at or below `path`."""
    inner = file.relative_to(path) if path.is_dir() else Path(file.name)
    return inner.with_suffix("").as_posix()


def rate_of(stored: object, default: float, place: Path, where: str) -> float:
    """Return steps a second as `stored`, else as the user notes it, else the `default`, aloud.

    Args:
        stored: What stands at `where`; None when there is nothing.
        default: The rate that the format is known for.
        place: The file or folder of the dataset.
        where: The place of the rate in it, for messages.
    """
    if stored is None:
        folder = place if place.is_dir() else place.parent
        if (folder / NOTE).exists():
            return steps_per_second(folder)
        _warn(
            f"{place}: {where} tells no rate; {default:g} steps a second are assumed. "
            f'Write {{"fps": N}} into {folder / NOTE} to say it.'
        )
        return default
    if isinstance(stored, bool) or not isinstance(stored, int | float) or not 0 < stored < 1e5:
        raise InputError(f"{where} is {stored!r}, which is no rate.", place)
    return float(stored)


@cache  # one warning, however many episodes of a dataset lack it
def _warn(words: str) -> None:
    logging.getLogger("assay").warning(words)


def picture_view(
    node: Node, key: str, times: Floats, *, upside_down: bool = False, moves: bool = False
) -> View:
    """Return the view of the pictures stored at `key`, one at each of the `times` [s]."""
    check_pictures(node, key)
    fitted(node, key, times, np.empty(node.shape(key)[0], bool))
    stored = StoredPictures(str(node.path), node.place(key), upside_down)
    return View(EncodedFrames(stored, times), moves=moves)
