"""Decode demonstrations once: every view of every episode becomes a small array on disk."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.engine import Journal, Unit
from assay.engine import run as run_units
from assay.engine.progress import ProgressBar
from assay.episodes import sampling
from assay.episodes.shrinking import shrink
from assay.errors import EpisodeError, RunError
from assay.jobs._rundir import write_file
from assay.records import Episode, Floats, Unreadable, View

__all__ = ["Prepared", "Preparing", "prepare"]

_LOG = logging.getLogger("assay")
_FEWEST_MOMENTS = 2
_MOST_MOMENTS = 400  # of an episode; a longer one is thinned, so that it weighs no more than others


@dataclass(frozen=True, eq=False)
class Prepared:
    """One episode, ready to learn from.

    Attributes:
        episode: The episode.
        times: The moments [s], of shape (T,).
        files: An array file per view, uint8 of shape (T, S, S, 3).
    """

    episode: Episode
    times: Floats
    files: Mapping[str, Path]

    def frames(self, view: str) -> npt.NDArray[np.uint8]:
        """Return the frames of `view`, read from disk as they are used."""
        # Copy on write: torch takes no array that can't be written to.
        return np.asarray(np.load(self.files[view], mmap_mode="c"))


@dataclass(frozen=True)
class Preparing:
    """How frames are prepared: into `folder`, `fps` a second, squares of `size` pixels."""

    folder: Path
    fps: float
    size: int


def prepare(
    episodes: Sequence[Episode], how: Preparing, journal: Journal, jobs: int | None
) -> tuple[list[Prepared], list[Unreadable]]:
    """Decode what the journal does not hold; return what can be learnt from and what can't.

    Raises:
        RunError: The disk takes no more.
    """
    how.folder.mkdir(parents=True, exist_ok=True)
    units = [Unit(episode.id, episode) for episode in episodes]
    with ProgressBar("reading frames") as bar:
        tally = run_units(partial(_worker, how), units, journal, jobs=jobs, on_tally=bar)
    for failure in tally.failures:
        _LOG.info("%s: %s\n%s", failure.key, failure.message, failure.traceback)
        raise RunError(f"The frames of {failure.key} can't be prepared: {failure.message}.")
    found = {key: json.loads(data) for key, data in journal.items()}
    ready = [_ready(how, e, found[e.id]) for e in episodes if "why" not in found[e.id]]
    bad = [
        Unreadable.of(e, found[e.id]["why"], found[e.id]["status"])
        for e in episodes
        if "why" in found[e.id]
    ]
    return ready, bad


def _worker(how: Preparing) -> Callable[[Episode], bytes]:
    return partial(_prepare_one, how)


def _prepare_one(how: Preparing, episode: Episode) -> bytes:
    """Write the arrays of one episode; return its moments, or why there are none, as JSON."""
    try:
        times = _moments(episode, how.fps)
        squares = _squares(episode.views, times, how.size)
    except EpisodeError as error:
        return json.dumps({"why": str(error), "status": error.status}).encode()
    for view, frames in squares.items():
        write_file(_place(how, episode.id, view), partial(_save, frames))
    return json.dumps({"times": times.tolist(), "views": list(squares)}).encode()


def _moments(episode: Episode, fps: float) -> Floats:
    if not episode.views:
        raise EpisodeError("the episode has no video")
    times = sampling.grid(episode.duration(), fps, cap=_MOST_MOMENTS)
    if len(times) < _FEWEST_MOMENTS:
        raise EpisodeError(f"one moment at {fps:g} a second: too short to learn from")
    return times


def _squares(
    views: Mapping[str, View], times: Floats, size: int
) -> dict[str, npt.NDArray[np.uint8]]:
    """Return the frames of each view at `times`, uint8 of shape (T, size, size, 3)."""
    squares = {view: np.empty((len(times), size, size, 3), np.uint8) for view in views}
    for place, images in enumerate(sampling.synced(views, times)):
        for view, image in images.items():
            squares[view][place] = shrink(image, size)
    return squares


def _save(frames: npt.NDArray[np.uint8], path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, frames)


def _place(how: Preparing, episode: str, view: str) -> Path:
    name = hashlib.sha256(f"{episode}\0{view}".encode()).hexdigest()[:24]
    return how.folder / f"{name}.npy"


def _ready(how: Preparing, episode: Episode, told: Mapping[str, Any]) -> Prepared:
    files = {view: _place(how, episode.id, view) for view in told["views"]}
    return Prepared(episode, np.array(told["times"]), files)
