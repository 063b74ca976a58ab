"""The judge that runs a trained network: the embedded one, or one that somebody trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.episodes.shrinking import shrink
from assay.errors import EpisodeError, InputError
from assay.judges._curves import curve, unscored
from assay.judges._goals import Goals, no_such_view
from assay.judges._looks import moments, still_views, walk
from assay.judges.base import Bound
from assay.judges.prm_mini._card import CARD, Card, read_card
from assay.judges.prm_mini._clips import SIZE
from assay.judges.prm_mini._running import Graphs, Looked
from assay.judges.prm_mini._scenes import Scenes
from assay.judges.prm_mini._windows import borne_out
from assay.records import Curve, Episode, Floats, Image, Judged

__all__ = ["PrmMini", "covered", "embedded", "steadied"]

_BY_GOAL = 0.5  # what a goal picture counts for in a task that was never seen
_FEW_TASKS = 6  # that a heading has room for by name
_NO_VIEW = "the two moments share no view"
_Aim: TypeAlias = dict[str, Image] | None
"""A goal picture by view."""


@dataclass(frozen=True)
class PrmMini:
    """See progress with a small network, without a GPU; say which scenes it has not seen.

    It looks at the views that don't move, at the first picture of the episode and at the words of
    the instruction; a goal picture, if there is one, is looked at as well. What one picture shows
    counts, and what the moments around it make of it counts more. Progress is the raw value over
    the completion level of its card, at most 1. In a task that it has not learned every moment is
    novel, no completion level is known, so that the raw value is taken as it is, and with a goal
    picture half of the value is how much of the way there is covered, as its states tell.

    Attributes:
        weights: A folder made by `assay train progress`; None takes the embedded weights, which
            know the simulated worlds and nothing else.
        goal: An image, a folder of images or a dataset of demonstrations. An episode that it holds
            no picture for is not judged.
        view: The view to look at; empty takes all that don't move.
        steady_s: For weights that lack the part that looks at the moments around a moment, as those
            of `assay train progress` do. A rise counts when the median over so many seconds around
            it rises too: a picture that looks better for a moment has won nothing. A fall counts
            at once. 0 takes every picture at its word; the first and the last moment always are.
    """

    weights: Path | None = None
    goal: Path | None = None
    view: str = ""
    steady_s: float = 0.6

    bound: ClassVar[Bound] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset({"frames"})

    def check(self) -> None:
        """Raise what would stop every episode: weights or goals that can't be read."""
        Graphs.load(self.folder)
        _scenes(self.folder, _stamp(self.folder))
        if self.goal is not None:
            Goals.load(self.goal, SIZE)

    @property
    def noise(self) -> float | None:
        """Return the standard deviation of progress on a still scene."""
        return self._card().noise

    @property
    def card(self) -> dict[str, Any]:
        """Return what is to know of the weights, as plain data."""
        found = asdict(self._card())
        counts = sorted(found["tasks"].items())
        told = f": {', '.join(f'{name} ({count})' for name, count in counts)}"
        if len(counts) > _FEW_TASKS:
            told = f" of {len(counts)} tasks"
        return {
            **found,
            "sigma": found["noise"],
            "trained_on": f"{found['episodes']} episodes{told}",
        }

    @property
    def folder(self) -> Path:
        """Return the folder of its weights."""
        return embedded() if self.weights is None else self.weights

    def clock(self, episode: Episode, fps: float | None) -> Floats:
        """Return the grid over the views."""
        return moments(still_views(episode, self.view), fps)

    def progress(self, episode: Episode, times: Floats) -> Curve:
        """Return the progress that the pictures at `times` show, and which of them are novel."""
        if not len(times):
            return unscored(times, "missing_frame", "no moment to judge")
        graphs, card = Graphs.load(self.folder), self._card()
        views = still_views(episode, self.view)
        goal, lacking = self._goal(episode, tuple(views))
        if lacking:
            return unscored(times, "no_reference", lacking)
        told, seen, novel = None, [], []
        for batch in walk(views, times, SIZE):
            if told is None:
                start = {name: images[0] for name, images in batch.items()}
                told = graphs.tell(episode.instruction, batch, start, goal)
            seen.append(graphs.see(batch, told))
            novel.append(self._novel(batch))
        whole = Looked.joined(seen)  # the first is the start
        # Worlds look alike whatever the task is: that one was never seen, its name alone can tell.
        unseen = card.look is not None and episode.world != "" and episode.task not in card.tasks
        level = 1.0 if unseen else card.completion
        values = np.minimum(borne_out(graphs, times, whole[1:]) / level, 1.0)
        if unseen and goal and told:
            aim = graphs.see({view: image[None] for view, image in goal.items()}, told)
            way = covered(whole.states, aim.states[0])[1:]
            values = (1.0 - _BY_GOAL) * values + _BY_GOAL * way
        if not graphs.looks_around:
            values = steadied(times, values, self.steady_s)
        found = curve(times, values)
        new = np.concatenate(novel)[1:] | unseen
        return Curve(found.times, found.values, found.status, found.detail, new)

    def hop(
        self,
        task: str,
        before: Mapping[str, Image],
        after: Mapping[str, Image],
        start: Mapping[str, Image] | None,
        goal: Mapping[str, Image] | None,
    ) -> Judged[float]:
        """Return the progress from `before` to `after`; swapping the two turns the sign.

        Without `goal` the judge's own goal of `task` counts, if it was given any.
        """
        views = [name for name in before if name in after and self.view in ("", name)]
        if not views:
            return Judged(None, "missing_frame", _NO_VIEW)
        aim, lacking = self._aim(task, views, goal)
        if lacking:
            return Judged(None, "no_reference", lacking)
        graphs = Graphs.load(self.folder)
        told = graphs.tell(task, views, _small(start, views), aim)
        both = {name: np.stack([_shrunk(before[name]), _shrunk(after[name])]) for name in views}
        seen = graphs.see(both, told)
        return Judged(float(graphs.hop(seen.states[:1], seen.states[1:])[0]))

    def _novel(self, batch: Mapping[str, Image]) -> npt.NDArray[np.bool_]:
        """Return the moments that half of the views show as something not seen before."""
        scenes, limit = _scenes(self.folder, _stamp(self.folder)), self._card().novelty
        far = np.stack([scenes.distance(pictures) for pictures in batch.values()]) > limit
        return np.asarray(far.mean(0) >= 0.5)

    def _goal(self, episode: Episode, views: tuple[str, ...]) -> tuple[_Aim, str]:
        """Return the goal of a curve, and why there is none although one was asked for."""
        if self.goal is None:
            return None, ""
        try:
            goals = Goals.load(self.goal, SIZE)
            found = goals.of(episode, views)
        except InputError as error:
            raise EpisodeError(str(error), "no_reference") from error
        return _first(found), "" if found else goals.lacking((episode.task,), views)

    def _aim(
        self, task: str, views: list[str], given: Mapping[str, Image] | None
    ) -> tuple[_Aim, str]:
        """Return the goal of a hop, the given or the judge's own, and why there is none."""
        if given is not None:
            small = _small(given, views)
            return small, "" if small else no_such_view(views)
        if self.goal is None:
            return None, ""
        try:
            goals = Goals.load(self.goal, SIZE)
            found = goals.named(frozenset({task}) - {""}, views)
        except InputError as error:
            return None, str(error)
        return _first(found), "" if found else goals.lacking((task,), views)

    def _card(self) -> Card:
        return _card_of(self.folder, _stamp(self.folder))


def embedded() -> Path:
    """Return the folder of the embedded weights."""
    return Path(str(resources.files("assay.judges.prm_mini"))) / "weights"


def covered(states: npt.NDArray[np.float32], goal: npt.NDArray[np.float32]) -> Floats:
    """Return which share of the straight way to the goal's state (D,) is covered, in 0..1.

    The way starts at the first of `states` (T, D). Where that is the goal there is no way: 0.
    """
    way = np.asarray(goal - states[0], dtype=np.float64)
    gone = (states - states[0]).astype(np.float64) @ way
    share: Floats = np.clip(gone / max(float(way @ way), 1e-9), 0.0, 1.0)
    return share


def steadied(times: Floats, values: Floats, window_s: float) -> Floats:
    """Return `values`, at most the median over a window around each of `times` [s].

    The window is the same to both sides, so it shrinks towards the ends.
    """
    first = np.searchsorted(times, times - window_s / 2 - 1e-6)
    past = np.searchsorted(times, times + window_s / 2 + 1e-6)
    here = np.arange(len(times))
    wide = np.minimum.reduce([here - first, past - 1 - here])
    medians = [np.median(values[i - w : i + w + 1]) for i, w in enumerate(wide)]
    return np.minimum(values, medians)


def _stamp(folder: Path) -> int:
    """Return what changes when a judge is trained anew in the same folder."""
    path = folder / CARD
    return path.stat().st_mtime_ns if path.is_file() else 0


@lru_cache(maxsize=8)
def _card_of(folder: Path, stamp: int) -> Card:  # noqa: ARG001 - part of the key
    return read_card(folder)


@lru_cache(maxsize=8)
def _scenes(folder: Path, stamp: int) -> Scenes:  # noqa: ARG001 - part of the key
    return Scenes.read(folder)


def _first(found: Mapping[str, Image]) -> dict[str, Image]:
    """Return one goal picture a view; of several the first, since the network takes one."""
    return {name: images[0] for name, images in found.items()}


def _shrunk(image: Image) -> Image:
    return shrink(image, SIZE)


def _small(given: Mapping[str, Image] | None, views: list[str]) -> dict[str, Image] | None:
    return None if given is None else {v: _shrunk(given[v]) for v in views if v in given}
