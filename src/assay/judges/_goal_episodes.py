"""Goals from demonstrations: how successful episodes end."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from assay.episodes import catalogue
from assay.episodes.shrinking import shrink
from assay.errors import EpisodeError, InputError
from assay.records import Episode, Image, View

__all__ = ["Demonstration", "Demonstrations"]

_MOST = 32  # of one task: more only take time
_LOG = logging.getLogger("assay")


@dataclass(frozen=True, eq=False)
class Demonstration:
    """A successful episode, as far as it is needed."""

    id: str
    task: str
    instruction: str
    source: str
    views: Mapping[str, View]

    def is_same(self, episode: Episode) -> bool:
        """Tell whether `episode` is this one, perhaps renamed `LABEL/ID` for a run."""
        here, there = Path(self.source).resolve(), Path(episode.source).resolve()
        return here == there and (episode.id == self.id or episode.id.endswith(f"/{self.id}"))


@dataclass(frozen=True, eq=False)
class Demonstrations:
    """The last frames of the successful episodes of a dataset.

    Attributes:
        episodes: The successes that have a view.
        size: Side of the squares that pictures are squeezed into [px].
    """

    episodes: tuple[Demonstration, ...]
    size: int
    _kept: dict[tuple[str, str], Image | None] = field(default_factory=dict, repr=False)

    @classmethod
    def read(cls, path: Path, size: int) -> Demonstrations:
        """Return the successes of the dataset `path`; where nothing is labelled all are taken."""
        found = [e for e in catalogue.read(path) if isinstance(e, Episode)]
        ends = [_succeeded(episode) for episode in found]
        unlabelled = all(end is None for end in ends)
        taken = [
            Demonstration(e.id, e.task, e.instruction, e.source, e.views)
            for e, end in zip(found, ends, strict=True)
            if (end or unlabelled) and e.views
        ]
        if not taken:
            raise InputError(_nothing(found, ends), path)
        return cls(tuple(taken), size)

    def pictures(
        self, tasks: frozenset[str], views: Sequence[str], but: Episode | None
    ) -> Mapping[str, Sequence[Image]]:
        """Return the last frames by view, of at most 32 demonstrations spread over the dataset."""
        fitting = [e for e in self.episodes if {e.task, e.instruction} & tasks]
        others = [e for e in fitting if but is None or not e.is_same(but)]
        spread = np.linspace(0, len(others) - 1, min(len(others), _MOST)).round().astype(int)
        chosen = [others[place] for place in spread]
        return {view: list(self._ends(chosen, view)) for view in views}

    def holds(self) -> str:
        """Name tasks and views."""
        tasks = sorted({episode.task for episode in self.episodes})
        views = sorted({view for episode in self.episodes for view in episode.views})
        return (
            f"{len(self.episodes)} successes of the task {', '.join(tasks)},"
            f" seen by {', '.join(views)}"
        )

    def _ends(self, episodes: Sequence[Demonstration], view: str) -> Iterator[Image]:
        """Yield the last frames of one view; one that can't be decoded is left out."""
        for episode in episodes:
            key = (episode.id, view)
            if view in episode.views and key not in self._kept:
                self._kept[key] = _last(episode, view, self.size)
            picture = self._kept.get(key)
            if picture is not None:
                yield picture


def _succeeded(episode: Episode) -> bool | None:
    """Return whether the episode ended in success; None where nothing says so."""
    recorded = episode.signals.get("success")
    if recorded is not None and len(recorded.times):
        return bool(recorded.values[-1])
    return episode.outcome


def _last(episode: Demonstration, view: str, size: int) -> Image | None:
    frames = episode.views[view].frames
    try:
        return shrink(next(iter(frames.at(frames.clock()[-1:]))), size)
    except EpisodeError as error:
        _LOG.warning("the end of %s is left out as a goal: %s", episode.id, error)
        return None


def _nothing(found: Sequence[Episode], ends: Sequence[bool | None]) -> str:
    """Say why a dataset gives no goal."""
    if not found:
        return "no episode could be read, so there is no goal in it."
    if any(end is not None for end in ends) and not any(ends):
        return f"none of its {len(found)} episodes is a success, so there is no goal in it."
    return "its successes have no pictures, so there is no goal in it."
