"""From a replay buffer to `Episode` records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from assay.episodes.encoded_frames import EncodedFrames
from assay.episodes.faults import PARSING, worded
from assay.episodes.guarding import guarded
from assay.episodes.rates import steps_per_second
from assay.episodes.zarr_groups.arrays import Array, load_array
from assay.episodes.zarr_groups.pictures import ArrayPictures, is_pictures
from assay.episodes.zarr_groups.stores import open_store
from assay.errors import EpisodeError, InputError
from assay.records import Episode, Series, Unreadable, View

__all__ = ["read_zarr"]

_ENDS = "meta/episode_ends"
_MOST_EPISODES = 10_000_000
_WIDEST = 256  # numbers a step; maps are no traces


@dataclass(frozen=True, slots=True)
class _Buffer:
    """What all episodes share."""

    path: Path
    rate: float
    arrays: Mapping[str, Array]
    cameras: frozenset[str]
    unread: tuple[str, ...]


def read_zarr(path: Path) -> Iterator[Episode | Unreadable]:
    """Yield the episodes of the replay buffer at `path`, in its order."""
    store = open_store(path)
    ends = _ends(path)
    arrays, cameras, unread = {}, set(), []
    for name in store.names("data"):
        if name.startswith(".") or name == "zarr.json":
            continue
        try:
            array = load_array(store, f"data/{name}")
            if is_pictures(array):
                cameras.add(name)
        except (EpisodeError, *PARSING) as error:
            unread.append(f"{name} ({worded(error)})")
            continue
        arrays[name] = array
    if not arrays:
        found = f": {'; '.join(unread)}" if unread else ""
        raise InputError(f"has no array below data/ that is read{found}.", path)
    folder = path if path.is_dir() else path.parent
    task = path.name.removesuffix(".zip").removesuffix(".zarr")
    shared = _Buffer(path, steps_per_second(folder), arrays, frozenset(cameras), tuple(unread))
    starts = [0, *ends[:-1].tolist()]
    for number, (start, stop) in enumerate(zip(starts, ends.tolist(), strict=True)):
        bare = Episode(f"episode_{number:06d}", task, source=str(path))
        where = f"{path}, {bare.id}"
        yield guarded(bare, where, partial(_filled, shared, bare, start, stop))


def _ends(path: Path) -> npt.NDArray[np.int64]:
    """Return the row after the last of each episode, of shape (E,), increasing."""
    try:
        array = load_array(open_store(path), _ENDS)
        if len(array.shape) != 1 or array.dtype.kind not in "iu":
            raise ValueError(f"{_ENDS} must hold one whole number an episode")
        if array.shape[0] > _MOST_EPISODES:
            raise ValueError(f"{_ENDS} claims {array.shape[0]} episodes")
        ends = array.rows(0, array.shape[0]).astype(np.int64)
    except EpisodeError as error:  # it names the file
        raise InputError(str(error)) from error
    except PARSING as error:
        raise InputError(f"is no replay buffer ({worded(error)}).", path) from error
    if not len(ends):
        raise InputError(f"has no episodes: {_ENDS} is empty.", path)
    if (np.diff(ends, prepend=0) <= 0).any():
        raise InputError(f"{_ENDS} does not increase.", path)
    return ends


def _filled(shared: _Buffer, bare: Episode, start: int, stop: int) -> Episode:
    for name, array in shared.arrays.items():  # before anything of that length is made
        if stop > array.shape[0]:
            raise ValueError(f"data/{name} has {array.shape[0]} rows, the episode ends at {stop}")
    times = np.arange(stop - start) / shared.rate
    views: dict[str, View] = {}
    signals: dict[str, Series] = {}
    unread = list(shared.unread)
    for name, array in shared.arrays.items():
        if name in shared.cameras:
            pictures = ArrayPictures(str(shared.path), array.name, start, stop)
            views[name] = View(EncodedFrames(pictures, times), moves="wrist" in name)
        elif len(array.shape) <= 2 and (len(array.shape) == 1 or array.shape[1] <= _WIDEST):
            signals[name.replace("/", ".")] = Series(times, array.rows(start, stop))
        else:
            unread.append(f"{name} (of shape {array.shape})")
    return replace(bare, views=views, signals=signals, extra={"unread": unread})
