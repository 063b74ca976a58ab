"""Moments that are near each other, and differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from assay.benchmarks.passport.checks._single import SingleCheck, Wording
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import Limit
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe
from assay.errors import EpisodeError
from assay.records import Episode, Floats

__all__ = ["NearbyPairs"]

APART_S = 0.5
TOLD = 0.001
"""Scores nearer to each other than a thousandth of the task are the same to every report."""

_TRUTH_MOVES = 0.01
_PIXELS_MOVE = 1.0  # mean grey levels; coding noise of a still video is well below
_FEWEST = 3


@dataclass(frozen=True)
class NearbyPairs(SingleCheck):
    """Take moments half a second apart between which something happens: scores must differ."""

    rank: ClassVar[int] = 20
    limit: ClassVar[Limit] = Limit(0.75, above=True)
    wording: ClassVar[Wording] = Wording(
        title="nearby pairs told apart",
        quantity="share of pairs half a second apart whose scores differ",
        passed="It resolves small steps.",
        failed="It gives the same score to moments that differ: small steps are invisible to it.",
        warning="It does not tell nearby moments apart: its STR is not evidence.",
        matters=("str",),
    )

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the share of moving pairs that are told apart."""
        apart = int(np.searchsorted(material.times, APART_S - 1e-6))
        moves = _moving(material, apart)
        if np.count_nonzero(moves) < _FEWEST:
            raise EpisodeError(f"fewer than {_FEWEST} pairs of moments differ")
        values = probe.plain(material)
        told = np.abs(values[apart:] - values[:-apart])[moves] > TOLD
        return {"value": float(np.mean(told))}


def _moving(material: Material, apart: int) -> npt.NDArray[np.bool_]:
    """Tell between which moments, `apart` places from each other, something happens."""
    truth = material.truth
    if truth is not None:
        return np.abs(truth[apart:] - truth[:-apart]) >= _TRUTH_MOVES
    if not material.episode.views:
        raise EpisodeError("nothing tells which moments differ: the episode has no frames")
    return _change(material.episode, material.times, apart) >= _PIXELS_MOVE


def _change(episode: Episode, times: Floats, apart: int) -> Floats:
    """Return the mean change of the pictures [grey levels], the largest over views."""
    changes = []
    for view in episode.views.values():
        shown = [image[::2, ::2].astype(np.float32) for image in view.frames.at(times)]
        pairs = zip(shown[apart:], shown[:-apart], strict=True)
        changes.append([float(np.mean(np.abs(after - before))) for after, before in pairs])
    return np.asarray(np.max(np.array(changes), axis=0))
