"""Colours of things: the hues that a clip has beside those of its scene and its robot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._footage import Footage, apart, hue_of
from assay.judges.instruments._spans import Flags
from assay.records import Floats, Image

__all__ = ["Coloured", "coloured"]

_BINS = 64  # steps from one end of a hue to the other
_STEP = 0.03  # width of a step, in parts of the whole light
_SMOOTH = 0.8  # of the counts, in steps: noise makes no peaks
_FEW = 40  # frames that tell the usual picture
_RARE = 1e-8  # share of all pixels below which a step is empty

Numbers = npt.NDArray[np.int16]
Hues = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Coloured:
    """A clip by the colours of its things.

    Attributes:
        footage: The clip.
        labels: Which colour each pixel has, of shape (T, s, s).
        kinds: The labels that are things'.
    """

    footage: Footage
    labels: Numbers
    kinds: tuple[int, ...]

    def masks(self, kind: int) -> Flags:
        """Return where a colour is, of shape (T, s, s), without what is a pixel wide."""
        from scipy import ndimage

        found = ndimage.binary_opening(self.labels == kind, np.ones((1, 2, 2), bool))
        return np.asarray(found, bool)

    def thing(self, frame: int) -> Flags:
        """Return which pixels of a frame have the colour of any thing, of shape (s, s)."""
        shown: Flags = self._things[frame]
        return shown

    @cached_property
    def _things(self) -> Flags:
        return np.isin(self.labels, self.kinds)

    @cached_property
    def scene(self) -> Image:
        """Return the usual picture without things, (s, s, 3): the ground goes on below them."""
        from scipy import ndimage

        every = max(len(self.labels) // _FEW, 1)
        small, thing = self.footage.small[::every], self._things[::every]
        usual = np.median(small, axis=0)
        rows, columns = np.nonzero(thing.any(axis=0) & ~thing.all(axis=0))
        bare = small[:, rows, columns].astype(np.float32)
        bare[thing[:, rows, columns]] = np.nan
        usual[rows, columns] = np.nanmedian(bare, axis=0)
        # Where a thing is most of the time, what is seen else may be the arm.
        lies = ndimage.binary_dilation(thing.mean(axis=0) > 0.5, iterations=2)
        nearest = ndimage.distance_transform_edt(lies, return_distances=False, return_indices=True)
        return np.asarray(usual[tuple(nearest)].astype(np.uint8))

    def bare(self, frame: int) -> Flags:
        """Return which pixels of a frame show the scene, be it in shadow, of shape (s, s)."""
        if frame not in self._bare:
            near = apart(self.footage.small[frame], self.scene) <= limits.SCENE_LEVEL
            hue, tinted = self._hue
            off = np.abs(self.footage.hues[frame] - hue).max(axis=-1)
            self._bare[frame] = np.asarray(near | (tinted & (off <= limits.SCENE_HUE)))
        return self._bare[frame]

    @cached_property
    def _bare(self) -> dict[int, Flags]:
        """Return what was asked before: the ends of all things ask for the same frames."""
        return {}

    @cached_property
    def _hue(self) -> tuple[Hues, Flags]:
        """Return the hue of the scene, and where it has one: greys are the robot's as well."""
        hue = hue_of(self.scene)
        return hue, np.asarray(np.abs(hue).max(axis=-1) > 2 * limits.SCENE_HUE)


def coloured(footage: Footage) -> Coloured:
    """Return the colours of a clip: hues that many pixels have, and few have one in between.

    Those of most of the picture are the scene's, and greys the robot's.
    """
    steps = np.clip(footage.hues / _STEP + _BINS / 2, 0, _BINS - 1).astype(np.int32)
    bins = steps[..., 0] * _BINS + steps[..., 1]
    counts = np.bincount(bins.reshape(-1), minlength=_BINS**2).reshape(_BINS, _BINS)
    names, peaks = _peaks(counts / bins.size)
    labels: Numbers = names.reshape(-1)[bins]
    seen = np.stack([np.bincount(one.reshape(-1), minlength=len(peaks) + 1) for one in labels + 1])
    share = seen[:, 1:] / labels[0].size
    fit = np.abs(peaks).max(axis=1) >= limits.COLOUR_HUE
    fit &= np.median(share, axis=0) <= limits.COLOUR_SCENE
    fit &= share.max(axis=0) >= limits.TRACK_LEAST
    kinds = np.flatnonzero(fit)
    most = kinds[np.argsort(-share.max(axis=0)[kinds])][: limits.COLOUR_MOST]
    return Coloured(footage, labels, tuple(sorted(most.tolist())))


def _peaks(counts: Floats) -> tuple[Numbers, Floats]:
    """Return which peak each step of the hues belongs to, and the hues of the peaks, (n, 2).

    Steps are taken from the fullest to the emptiest; each goes with its fullest neighbour, or is a
    peak of its own if it has none yet and is far from all others.
    """
    from scipy import ndimage

    smooth = ndimage.gaussian_filter(counts, _SMOOTH)
    names = np.full((_BINS + 2, _BINS + 2), -1, np.int16)
    high = np.pad(smooth, 1)
    peaks: list[tuple[int, int]] = []
    for place in np.argsort(-smooth.reshape(-1)):
        row, column = divmod(int(place), _BINS)
        if smooth[row, column] <= _RARE:
            break
        around = (slice(row, row + 3), slice(column, column + 3))
        known = np.where(names[around] >= 0, high[around], -1.0)
        if known.max() >= 0.0:
            names[row + 1, column + 1] = names[around].reshape(-1)[int(known.argmax())]
            continue
        far = [max(abs(row - y), abs(column - x)) * _STEP for y, x in peaks]
        if not far or min(far) > limits.COLOUR_APART:
            peaks.append((row, column))
            far.append(0.0)
        names[row + 1, column + 1] = int(np.argmin(far))
    return names[1:-1, 1:-1], (np.array(peaks) + 0.5 - _BINS / 2) * _STEP
