"""Something covers what happens: somebody's arm reaches through the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfFrames
from assay.benchmarks.glitches.injecting.injectors._pixels import busiest, mixed
from assay.benchmarks.glitches.injecting.injectors._things import rising
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Floats, Image

__all__ = ["OcclusionSleeve"]

_HALF = (0.075, 0.12, 0.19)  # half the width of the sleeve, in sides of the picture
_REACH_S = 0.33  # an arm takes so long to come in, and to be drawn back
_SWAY = 0.012  # an arm is never quite still, in sides
_SKIN = (196.0, 142.0, 116.0)


@dataclass(frozen=True)
class OcclusionSleeve(OfFrames):
    """Let a person's arm in a striped sleeve reach in from the rim, stay, and be drawn back."""

    type: ClassVar[str] = "occlusion"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Let the arm reach over the busiest part of a stretch."""
        start, stop = stretch(clip, rng, 1.1, 2.0)
        shape, side = np.array(clip.frames.shape[1:3]), clip.size
        half, slope = _HALF[level] * side, round(_REACH_S * clip.fps)
        angle = rng.uniform(0.0, 2 * np.pi)
        along = np.array([np.sin(angle), np.cos(angle)])  # where the hand points: rows, columns
        # The hand goes past the place, so that it is the arm that hides it.
        goal = np.array(busiest(clip.frames[start:stop])) + 1.2 * half * along
        away = _way_out(goal, along, shape) + 1.2 * half
        look = _Look(tuple(rng.uniform(40, 170, 3)), half, rng.uniform(0.2, 0.45))

        def covered(number: int, picture: Image) -> Image:
            come = rising(number, start, stop, slope)
            gone = away * (1.0 - come * come * (3.0 - 2.0 * come))
            sway = _SWAY * side * np.sin(2 * np.pi * 0.9 * (number - start) / clip.fps)
            tip = goal - gone * along + sway * along[::-1] * (1.0, -1.0)
            return mixed(picture, *look.drawn(picture.shape[:2], tip, along))

        said = (
            "An arm in a striped sleeve reaches in from the rim, hides the place where the robot "
            "works and is drawn back, as of a person who gets between camera and table."
        )
        return Injected(edited(clip, start, stop, covered), start, stop, said)


@dataclass(frozen=True)
class _Look:
    """How the arm looks.

    Attributes:
        colour: Of the sleeve, red, green and blue in 0..255.
        half: Half its width [pixels].
        stripes: How much darker the stripes are.
    """

    colour: tuple[float, ...]
    half: float
    stripes: float

    def drawn(self, shape: tuple[int, ...], tip: Floats, along: Floats) -> tuple[Floats, Floats]:
        """Return the arm's colours, (H, W, 3), and where it is, (H, W), 0..1."""
        rows, columns = np.indices(shape)
        down, right = rows - tip[0], columns - tip[1]
        behind = -(down * along[0] + right * along[1]) / self.half  # the tip, in half widths
        across = (down * along[1] - right * along[0]) / self.half
        bare = behind < 2.1
        # A hand is round at its end and narrower than the sleeve.
        palm = 0.62 * np.sqrt(np.clip(1.0 - np.clip(1.0 - behind / 0.8, 0.0, 1.0) ** 2, 0.0, 1.0))
        wide = np.where(bare, palm, 1.0)
        cover = np.clip((wide - np.abs(across)) * self.half + 0.5, 0.0, 1.0) * (behind > 0.0)
        light = 0.45 + 0.6 * np.sqrt(np.clip(1.0 - (across / np.maximum(wide, 0.1)) ** 2, 0.0, 1.0))
        folds = 1.0 - self.stripes * (np.sin(2 * np.pi * behind / 0.55) > 0.2)
        weave = 1.0 + 0.08 * np.sin(13.0 * across + 2.0 * np.sin(3.1 * behind))
        cloth = np.array(self.colour) * (folds * weave)[..., None]
        return np.where(bare[..., None], np.array(_SKIN), cloth) * light[..., None], cover


def _way_out(place: Floats, along: Floats, shape: Floats) -> float:
    """Return how far one goes back from a place until one has left the picture [pixels]."""
    limits = np.where(along > 0.0, place, shape - 1.0 - place)
    steps = np.clip(limits, 0.0, None) / np.maximum(np.abs(along), 1e-6)
    return float(steps.min())
