"""The frames of a view as the instruments see them: decoded once, small, a window at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from assay.episodes.shrinking import shrink
from assay.episodes.video import VideoFrames, probe
from assay.judges.instruments._edges import edge_sharpness
from assay.judges.instruments._limits import (
    MOST_FPS,
    MOST_FRAMES,
    OVERLAP,
    SIDE,
    STEP_LEVEL,
    WANDERS,
)
from assay.judges.instruments._palette import Palette, by_colour, by_hue
from assay.records import Floats, Frames, Image, View

__all__ = ["Footage", "Greys", "apart", "footage_of", "hue_of", "moving", "wanders"]

Greys = npt.NDArray[np.float32]

# A camera that rides on the robot is called so by its makers; readers of plain video folders can't
# know it otherwise.
_RIDING = ("wrist", "hand", "gripper", "tool", "ego")


@dataclass(frozen=True, eq=False)
class Footage:
    """A stretch of a view: T frames of S x S pixels, whatever the shape they were filmed in.

    Attributes:
        name: The view's name.
        times: When each frame is shown, of shape (T,) [s].
        colour: uint8 of shape (T, S, S, 3).
        moves: Whether the camera moves with the robot.
        end_s: When the last frame ends [s].
    """

    name: str
    times: Floats
    colour: Image
    moves: bool
    end_s: float

    @cached_property
    def grey(self) -> Greys:
        """Return the lightness of every pixel in 0..255, of shape (T, S, S)."""
        weights = np.array([0.299, 0.587, 0.114], np.float32)
        return np.stack([picture @ weights for picture in self.colour])

    @cached_property
    def small(self) -> Image:
        """Return the colours at half the size, uint8 of shape (T, S // 2, S // 2, 3).

        Each pixel is the mean of four: less noise, and a thing is still a dozen pixels.
        """
        half = self.colour.shape[1] // 2
        made = np.empty((len(self), half, half, 3), np.uint8)
        for picture, out in zip(self.colour, made, strict=True):
            wide = picture[: 2 * half, : 2 * half].astype(np.uint16)
            rows = wide[::2] + wide[1::2]
            out[:] = (rows[:, ::2] + rows[:, 1::2]) // 4
        return made

    @cached_property
    def changes(self) -> Image:
        """Return how far each pixel of `small` is from the frame before, uint8 (T - 1, s, s).

        The largest of the three colours counts: things of equal lightness differ too.
        """
        found = [apart(a, b) for a, b in pairwise(self.small)]
        return np.stack(found) if found else np.empty((0, *self.small.shape[1:3]), np.uint8)

    @cached_property
    def edges(self) -> tuple[Floats, Floats]:
        """Return how sharp the edges are and how strong, as `edge_sharpness` has it."""
        return edge_sharpness(self.grey)

    @cached_property
    def palette(self) -> Palette:
        """Return the colours of `small`, counted in each frame."""
        return by_colour(self.small)

    @cached_property
    def hue_palette(self) -> Palette:
        """Return the hues of `small`, counted in each frame."""
        return by_hue(self.hues)

    @cached_property
    def hues(self) -> Greys:
        """Return red and blue less green of `small` over the sum of all three, (T, s, s, 2).

        A shadow takes the same share of all three colours and leaves that as it is.
        """
        return np.stack([hue_of(picture) for picture in self.small])

    @property
    def fps(self) -> float:
        """Return the usual number of frames a second; 0 for a single frame."""
        return 1.0 / self.step_s if len(self) > 1 else 0.0

    @property
    def step_s(self) -> float:
        """Return the usual time from a frame to the next [s]; 0 for a single frame."""
        return float(np.median(np.diff(self.times))) if len(self) > 1 else 0.0

    def ends(self, frame: int) -> float:
        """Return when a frame stops being shown [s]."""
        return float(self.times[frame + 1]) if frame + 1 < len(self) else self.end_s

    def __len__(self) -> int:
        return len(self.times)


def hue_of(colours: npt.NDArray[np.generic]) -> Greys:
    """Return red and blue less green over the sum of all three, of shape (..., 2)."""
    each = colours.astype(np.float32)
    green = each[..., 1:2]
    whole = np.maximum(each.sum(axis=-1, keepdims=True), 60.0)
    return np.asarray((each[..., ::2] - green) / whole)


def apart(one: Image, other: Image) -> Image:
    """Return how far two pictures are from each other, pixel by pixel: the largest colour's."""
    # The larger less the smaller one: no signed copy is needed.
    each = np.maximum(one, other) - np.minimum(one, other)
    largest: Image = np.maximum(np.maximum(each[..., 0], each[..., 1]), each[..., 2])
    return largest


def moving(name: str, view: View) -> bool:
    """Tell whether a view moves with the robot: it says so, or its name does."""
    return view.moves or any(word in name.lower() for word in _RIDING)


def wanders(footage: Footage) -> bool:
    """Tell whether a camera never stands still: it rides on something, whatever it is called."""
    if footage.moves or len(footage) < 3:
        return footage.moves
    thin = footage.colour[:, ::8, ::8]
    share = [float((apart(a, b) > STEP_LEVEL).mean()) for a, b in pairwise(thin)]
    return float(np.quantile(share, 0.25)) > WANDERS


def footage_of(name: str, view: View) -> Iterator[Footage]:
    """Yield a view in windows of at most `MOST_FRAMES`; two windows share `OVERLAP` frames.

    So a clip of two hours needs no more memory than one of a minute.
    """
    clock = view.frames.clock()
    if not len(clock):
        return
    usual = float(np.median(np.diff(clock))) if len(clock) > 1 else 0.0
    every = max(int(np.ceil(1.0 / (usual * MOST_FPS) - 0.01)), 1) if usual > 0 else 1
    times = clock[::every]
    end_s = float(clock[-1]) + usual
    held: list[Image] = []
    start = 0
    for picture in _small(view.frames, times):
        held.append(picture)
        done = start + len(held)
        if len(held) == MOST_FRAMES and done < len(times):
            yield Footage(
                name, times[start:done], np.stack(held), moving(name, view), float(times[done])
            )
            held, start = held[-OVERLAP:], done - OVERLAP
    yield Footage(name, times[start:], np.stack(held), moving(name, view), end_s)


def _small(frames: Frames, times: Floats) -> Iterator[Image]:
    """Yield the frames at `times` as squares of at most `SIDE`, never blown up."""
    if isinstance(frames, VideoFrames):
        info = probe(frames.path)
        side = min(SIDE, info.width, info.height)
        yield from replace(frames, side=side).at(times)
        return
    for image in frames.at(times):
        yield shrink(image, min(SIDE, *image.shape[:2]))
