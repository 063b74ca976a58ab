"""Moments that are near each other, and differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from assay.benchmarks.passport.checks._single import SingleCheck, Wording
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import WORLDS, Limit
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe
from assay.errors import EpisodeError
from assay.records import Episode, Floats, View

__all__ = ["NearbyPairs"]

APART_S = 0.5
_FARTHEST_S = 0.75  # moments of a long episode are farther apart, and others must be judged
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
        near = _near(material)
        moves = _moving(near, known=material.domain == WORLDS)
        if np.count_nonzero(moves) < _FEWEST:
            raise EpisodeError(f"fewer than {_FEWEST} pairs of moments differ")
        if near.episode is material.episode:
            values = probe.plain(material)
        else:
            values = probe.values(near.episode, near.times)
        told = np.abs(values[near.after] - values[near.before])[moves] > TOLD
        return {"value": float(np.mean(told))}


@dataclass(frozen=True, eq=False)
class _Near:
    """Moments of an episode [s], of shape (T,), and the places of each pair among them, (n,)."""

    episode: Episode
    times: Floats
    before: npt.NDArray[np.int64]
    after: npt.NDArray[np.int64]


def _near(material: Material) -> _Near:
    """Return pairs about half a second apart: of the moments at hand, or of others if need be."""
    times = material.times
    apart = int(np.searchsorted(times, APART_S - 1e-6))
    places = np.arange(len(times))
    before, after = places[:-apart], places[apart:]
    if len(before) and np.max(times[after] - times[before]) <= _FARTHEST_S:
        return _Near(material.episode, times, before, after)
    first = np.round(times[times + APART_S <= times[-1]], 6)
    second = np.round(first + APART_S, 6)
    both = np.unique(np.concatenate([first, second]))
    return _Near(material.whole, both, np.searchsorted(both, first), np.searchsorted(both, second))


def _moving(near: _Near, *, known: bool) -> npt.NDArray[np.bool_]:
    """Tell between which moments of a pair something happens, by the truth if it is `known`."""
    if known:
        truth = np.asarray(near.episode.at("progress", near.times), dtype=np.float64)
        return np.abs(truth[near.after] - truth[near.before]) >= _TRUTH_MOVES
    if not near.episode.views:
        raise EpisodeError("nothing tells which moments differ: the episode has no frames")
    changes = np.stack([_change(view, near) for view in near.episode.views.values()])
    return np.asarray(changes.max(axis=0) >= _PIXELS_MOVE)


def _change(view: View, near: _Near) -> Floats:
    """Return the mean change of a view's pictures in each pair [grey levels], of shape (n,)."""
    shown = [image[::2, ::2].copy() for image in view.frames.at(near.times)]
    pairs = zip(near.before.tolist(), near.after.tolist(), strict=True)
    found = [np.mean(np.abs(shown[b].astype(np.float32) - shown[a])) for a, b in pairs]
    return np.array(found, dtype=np.float64)
