"""How much the picture looks like that of the finished task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from assay.episodes.shrinking import shrink
from assay.errors import EpisodeError, InputError, UsageError
from assay.judges._curves import curve, unscored
from assay.judges._goals import LEAST_WAY, Goals, no_such_view, no_way
from assay.judges._looks import check_size, distances, moments, pixels, still_views, walk
from assay.judges._mobilenet import MobileNet, check_installed
from assay.judges.base import Bound
from assay.records import Curve, Episode, Floats, Image, Judged

__all__ = ["SimilarityImage"]

Look: TypeAlias = Callable[[Image], Floats]

_SIZES = {"pixels": 64, "mobilenet": 224}
_NONE = (
    "similarity-image compares with a picture of the finished task and has none:"
    " pass --goal IMAGE or --goal DIR (images or demonstrations)"
)


@dataclass(frozen=True)
class SimilarityImage:
    """Say how far the picture has come from the start picture to a goal picture.

    With d the distance of two pictures, x the picture, s the first one and g the goal,

        progress = clip(1 - d(x, g) / d(s, g), 0, 1),

    the best over all goals of the task, then the mean over the views that don't move and have a
    goal. Published baselines give the cosine of x and g itself. It is close to 1 from the start,
    since most of a picture never changes; measured against the start, the curve begins at 0 and
    reaches 1 at the goal, as milestones and regret need it. Hops are told by the same ratio
    without clipping, so moving further away still counts as going back.

    It mostly follows the arm and not the object: show it beside the null judges.

    Attributes:
        goal: An image, a folder of images or a dataset of demonstrations.
        view: The view to look at; empty takes all that don't move.
        features: "pixels": d is the root mean square difference. "mobilenet": the distance of the
            spatial features of MobileNetV2, which needs the extra `features`.
        size: Side of the compared pictures [px]; by default 64, and 224 for mobilenet.
        weights: Other weights for mobilenet, as saved by torch.
    """

    goal: Path | None = None
    view: str = ""
    features: Literal["pixels", "mobilenet"] = "pixels"
    size: int | None = None
    weights: Path | None = None

    bound: ClassVar[Bound] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset({"frames"})
    noise: ClassVar[None] = None

    def __post_init__(self) -> None:
        if self.features not in _SIZES:
            allowed = " or ".join(_SIZES)
            raise UsageError(
                f"Option features of similarity-image is {allowed}, not {self.features!r}."
            )
        check_size("similarity-image", self._side())
        if self.features == "mobilenet":
            check_installed(self.weights)

    def check(self) -> None:
        """Raise what would stop every episode: a goal that can't be read, weights that don't fit.

        Raises:
            InputError: With the path and what is wrong with it.
        """
        self._goals()
        self._look()

    def clock(self, episode: Episode, fps: float | None) -> Floats:
        """Return the grid over the views."""
        return moments(still_views(episode, self.view), fps)

    def progress(self, episode: Episode, times: Floats) -> Curve:
        """Return how far the pictures at `times` have come from the first one to the goal."""
        look, goals, lacking = self._asked(episode)
        if not goals:
            return unscored(times, "no_reference", lacking)
        ends = {name: look(images) for name, images in goals.items()}
        views = {name: episode.views[name] for name in goals}
        far: dict[str, list[Floats]] = {name: [] for name in views}
        for batch in walk(views, times, self._side()):
            for name, images in batch.items():
                far[name].append(distances(look(images), ends[name]))
        ways = [_way(np.concatenate(parts)) for parts in far.values()]
        clear = [np.clip(way, 0.0, 1.0) for way in ways if way is not None]
        if not clear:
            return unscored(times, "no_reference", no_way(views))
        return curve(times, np.mean(clear, axis=0))

    def hop(
        self,
        task: str,
        before: Mapping[str, Image],
        after: Mapping[str, Image],
        start: Mapping[str, Image] | None,
        goal: Mapping[str, Image] | None,
    ) -> Judged[float]:
        """Return how much closer to the goal `after` is than `before`.

        The unit is the way from `start` to the goal; without `start`, the longer of the two
        distances. Without `goal` the judge's own goals of `task` count.
        """
        views = [v for v in before if v in after and self.view in ("", v)]
        try:
            look, (ends, lacking) = self._look(), self._ends(task, views, goal)
        except InputError as error:
            return Judged(None, "no_reference", str(error))
        if not ends:
            return Judged(None, "no_reference", lacking)
        gains = []
        for name, images in ends.items():
            anchor = [start[name]] if start and name in start else []
            shown = self._small([*anchor, before[name], after[name]])
            gains.append(_gain(distances(look(shown), look(images))))
        clear = [gain for gain in gains if gain is not None]
        if not clear:
            return Judged(None, "no_reference", no_way(ends))
        return Judged(float(np.clip(np.mean(clear), -1.0, 1.0)))

    def _asked(self, episode: Episode) -> tuple[Look, dict[str, Image], str]:
        """Return what compares pictures, the episode's goals by view, and why there are none.

        Views that move count only where no other has a goal.
        """
        still = tuple(still_views(episode, self.view))
        try:
            look, goals = self._look(), self._goals()
            if goals is None:
                return look, {}, _NONE
            found = goals.of(episode, still)
            if not found and not self.view:
                found = goals.of(episode)
        except InputError as error:
            raise EpisodeError(str(error), "no_reference") from error
        return look, found, goals.lacking((episode.task,), still)

    def _ends(
        self, task: str, views: Sequence[str], goal: Mapping[str, Image] | None
    ) -> tuple[dict[str, Image], str]:
        """Return the goals of a hop by view, small, of shape (n, size, size, 3)."""
        if goal is not None:
            given = {v: self._small([goal[v]]) for v in views if v in goal}
            return given, no_such_view(views)
        own = self._goals()
        if own is None:
            return {}, _NONE
        return own.named(frozenset({task}), views), own.lacking((task,), views)

    def _goals(self) -> Goals | None:
        return None if self.goal is None else Goals.load(self.goal, self._side())

    def _look(self) -> Look:
        return pixels if self.features == "pixels" else MobileNet(self.weights)

    def _side(self) -> int:
        return _SIZES[self.features] if self.size is None else self.size

    def _small(self, images: Sequence[Image]) -> Image:
        return np.stack([shrink(image, self._side()) for image in images])


def _way(far: Floats) -> Floats | None:
    """Return how much of the way to the best goal is done, from the distances to the goals.

    Args:
        far: Distance of the start and of T pictures to n goals, of shape (1 + T, n).

    Returns:
        1 - d / d_start, the largest over goals, of shape (T,); None where every goal looks like
        the start.
    """
    told = far[0] > LEAST_WAY
    if not told.any():
        return None
    done: Floats = (1.0 - far[1:, told] / far[0, told]).max(axis=1)
    return done


def _gain(far: Floats) -> float | None:
    """Return the progress between two pictures, from distances to n goals.

    Args:
        far: Distances of start, before and after, of shape (3, n), or of before and after alone.
    """
    if len(far) == 3:
        way = _way(far)
        return None if way is None else float(way[1] - way[0])
    nearest = far[:, int(far.min(axis=0).argmin())]
    longer = float(nearest.max())
    return None if longer <= LEAST_WAY else float((nearest[0] - nearest[1]) / longer)
