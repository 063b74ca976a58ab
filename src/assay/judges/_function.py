"""Any function of frames as a judge."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay import plugins
from assay.episodes import sampling
from assay.errors import EpisodeError
from assay.judges._curves import DEFAULT_FPS, curve
from assay.judges.base import Bound
from assay.records import Curve, Episode, Floats, Image, View

__all__ = ["FunctionJudge"]


@dataclass(frozen=True)
class FunctionJudge:
    """Call a plain function `(frames, instruction) -> numbers` on the first view.

    `frames` is uint8 RGB of shape (T, H, W, 3); the function returns T numbers in 0..1.

    Attributes:
        target: The function as `module:name`.
        view: The view to show it; empty takes the first.
        max_gb: Refuse to hold more frames than this [GB]; a lower --fps needs fewer.
    """

    target: str
    view: str = ""
    max_gb: float = 4.0

    bound: ClassVar[Bound] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset({"frames"})
    noise: ClassVar[None] = None

    def clock(self, episode: Episode, fps: float | None) -> Floats:
        """Return the grid over the one view: other cameras may run longer."""
        _, view = self._view(episode)
        return sampling.grid(float(view.frames.clock()[-1]), fps or DEFAULT_FPS)

    def progress(self, episode: Episode, times: Floats) -> Curve:
        """Return what the function says about the frames at `times`."""
        frames = self._frames(episode, times)
        function: Callable[[Image, str], Any] = plugins.find(
            "assay.judges", self.target, outside=True
        )
        raw = _numbers(self.target, function(frames, episode.instruction))
        if raw.shape != times.shape:
            raise EpisodeError(
                f"{self.target} must return one number per frame:"
                f" {len(times)} frames went in, shape {raw.shape} came out",
                "invalid_value",
            )
        return curve(times, raw, absent="unparsed")

    def _view(self, episode: Episode) -> tuple[str, View]:
        known = ", ".join(episode.views) or "none"
        if not episode.views or (self.view and self.view not in episode.views):
            wanted = f"the view {self.view!r}" if self.view else "frames"
            raise EpisodeError(f"{self.target} looks at {wanted}; the episode's views: {known}")
        name = self.view or next(iter(episode.views))
        return name, episode.views[name]

    def _frames(self, episode: Episode, times: Floats) -> Image:
        """Return the frames at `times`, of shape (T, H, W, 3), in one piece of memory."""
        name, view = self._view(episode)
        frames: Image | None = None
        for i, shown in enumerate(sampling.synced({name: view}, times)):
            if frames is None:
                shape = (len(times), *shown[name].shape)
                gigabytes = math.prod(shape) / 1e9
                if gigabytes > self.max_gb:
                    raise EpisodeError(
                        f"{len(times)} frames of view {name!r} need {gigabytes:.1f} GB, and"
                        f" max_gb is {self.max_gb:g}: lower --fps",
                        "truncated",
                    )
                frames = np.empty(shape, dtype=np.uint8)
            frames[i] = shown[name]
        if frames is None:
            raise EpisodeError(f"view {name!r} has no moment to judge")
        return frames


def _numbers(target: str, answer: Any) -> Floats:  # noqa: ANN401 - a function can return anything
    """Return a function's answer as numbers; what is masked is absent."""
    if np.iscomplexobj(answer):
        raise EpisodeError(f"{target} must return real numbers, not complex ones", "unparsed")
    if isinstance(answer, np.ma.MaskedArray):
        answer = np.ma.filled(answer.astype(np.float64), np.nan)
    try:
        return np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EpisodeError(f"{target} must return numbers: {error}", "unparsed") from error
