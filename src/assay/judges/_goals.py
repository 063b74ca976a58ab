"""Pictures of finished tasks, taken from elsewhere than the judged episode."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from assay.episodes import catalogue
from assay.episodes.faults import reaching
from assay.errors import InputError
from assay.judges._goal_episodes import Demonstrations
from assay.judges._goal_images import SUFFIXES, GoalImages
from assay.records import Episode, Image

__all__ = ["DEFAULT_SIZE", "LEAST_WAY", "Goals", "no_such_view", "no_way"]

DEFAULT_SIZE = 128
LEAST_WAY: Final = 1 / 255
"""How far a goal must be from the start, as a root mean square in 0..1: more than rounding, or
noise would be taken for the way."""

_KEPT = 8  # places whose pictures a process keeps


class _Source(Protocol):
    """Where goal pictures come from."""

    def pictures(
        self, tasks: frozenset[str], views: Sequence[str], but: Episode | None
    ) -> Mapping[str, Sequence[Image]]:
        """Return small pictures by view; under "" those that don't say which view they show."""
        ...

    def holds(self) -> str:
        """Say in a few words what is there."""
        ...


@dataclass(frozen=True, eq=False)
class Goals:
    """Pictures of finished tasks by task and view.

    They come from an image (png, jpg), a folder of images, or a dataset of demonstrations, of
    which the last frame of every successful episode is taken. Images of a folder are named
    `<view>.png`, `<task>.png` or `<task>/<view>.png`; a task may be done in several ways, whose
    pictures are numbered (`front.2.png`).

    Attributes:
        path: The place.
        source: What reads it.
    """

    path: Path
    source: _Source

    @classmethod
    def load(cls, path: Path, size: int = DEFAULT_SIZE) -> Goals:
        """Return the goals at `path`, read once a process; pictures are decoded when asked for.

        Args:
            path: An image, a folder of images or a dataset of demonstrations.
            size: Side of the squares that pictures are squeezed into [px].

        Raises:
            InputError: There is nothing there, no picture, or no success.
        """
        with reaching(path):
            changed_ns = path.stat().st_mtime_ns if path.exists() else 0
            real = path.resolve()
        return _load(real, path, size, changed_ns)

    def of(self, episode: Episode, views: Iterable[str] | None = None) -> dict[str, Image]:
        """Return the goal pictures of the episode's task, uint8 (n, size, size, 3) by view.

        A demonstration that is the episode itself is left out. Without any goal it is empty.

        Args:
            episode: The judged episode.
            views: The views to find goals for, by default all of the episode's.
        """
        names = frozenset({episode.task, episode.instruction}) - {""}
        return self.named(names, tuple(episode.views if views is None else views), episode)

    def named(
        self, tasks: frozenset[str], views: Sequence[str], but: Episode | None = None
    ) -> dict[str, Image]:
        """Return the goal pictures of a task known by any of the names `tasks`.

        Args:
            tasks: Names and instructions of the one task.
            views: The views to find goals for.
            but: An episode whose own pictures don't count.
        """
        found = dict(self.source.pictures(tasks, views, but))
        unsaid = found.pop("", [])
        if len(views) == 1 and unsaid:  # it can only be that view's
            found[views[0]] = [*found.get(views[0], []), *unsaid]
        return {view: np.stack(found[view]) for view in views if found.get(view)}

    def lacking(self, tasks: Iterable[str], views: Sequence[str]) -> str:
        """Say that there is no goal for a task and these views, and what there is instead."""
        task = " or ".join(repr(name) for name in sorted({*tasks} - {""}))
        return (
            f"{self.path} has no goal picture of the task {task} for the view"
            f" {' or '.join(views)}; it holds {self.source.holds()}"
        )


def no_way(views: Iterable[str]) -> str:
    """Say that the goal is no farther than `LEAST_WAY` from the start in any of these views."""
    return f"the goal looks like the start (view {', '.join(views)}), so it tells no way"


def no_such_view(views: Iterable[str]) -> str:
    """Say that a goal was given, and shows none of these views."""
    return f"no goal picture is of the view {' or '.join(views)}"


@lru_cache(maxsize=_KEPT)
def _load(real: Path, path: Path, size: int, changed_ns: int) -> Goals:  # noqa: ARG001 - the key
    """Return the goals at `path`; a place that was changed since is read anew."""
    if catalogue.sniff(path):  # which also says what is wrong with a path that isn't there
        return Goals(path, Demonstrations.read(path, size))
    if path.is_dir() or path.suffix.lower() in SUFFIXES:
        return Goals(path, GoalImages.find(path, size))
    raise InputError(
        "a goal is an image (png, jpg), a folder of images or a dataset of demonstrations.", path
    )
