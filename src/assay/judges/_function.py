"""Any function of frames as a judge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay import plugins
from assay.episodes import sampling
from assay.errors import EpisodeError
from assay.judges._curves import curve
from assay.judges.base import Bound
from assay.records import Curve, Episode, Floats, Image

__all__ = ["FunctionJudge"]


@dataclass(frozen=True)
class FunctionJudge:
    """Call a plain function `(frames, instruction) -> numbers` on the first view.

    `frames` is uint8 RGB of shape (T, H, W, 3); the function returns T numbers in 0..1.

    Attributes:
        target: The function as `module:name`.
    """

    target: str

    bound: ClassVar[Bound] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset({"frames"})
    noise: ClassVar[None] = None

    def clock(self, episode: Episode) -> Floats | None:  # noqa: ARG002 - the grid suits it
        """Return None: a function is asked on the sampling grid."""
        return None

    def progress(self, episode: Episode, times: Floats) -> Curve:
        """Return what the function says about the frames at `times`."""
        if not episode.views:
            raise EpisodeError(
                f"{self.target} looks at frames, and the episode has no view", "missing_frame"
            )
        name, view = next(iter(episode.views.items()))
        frames: Image = np.stack([shown[name] for shown in sampling.synced({name: view}, times)])
        function: Callable[[Image, str], Any] = plugins.find(
            "assay.judges", self.target, outside=True
        )
        raw = np.asarray(function(frames, episode.instruction), dtype=np.float64)
        if raw.shape != times.shape:
            raise EpisodeError(
                f"{self.target} must return one number per frame:"
                f" {len(times)} frames went in, shape {raw.shape} came out",
                "invalid_value",
            )
        return curve(times, raw, absent="unparsed")
