"""How far annotators agree on each dimension: whether it is there, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import UsageError
from assay.metrics.glitches.matching import Marked
from assay.metrics.overlap import assign, overlapping
from assay.metrics.results import Floats

__all__ = ["agreement_by_dimension"]

_LEAST_CLIPS = 5


def agreement_by_dimension(
    annotators: Sequence[Marked],
    clips: int,
    dimensions: Sequence[str],
    *,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Any]:
    """Return detection kappa and mean overlap of every dimension, over all pairs of annotators.

    Detection is whether an annotator marks the dimension in a clip; kappa is Cohen's, and the mean
    is taken over pairs. Events of the dimension are matched by their overlap in time. Intervals
    draw pairs of annotators again, and clips within each pair: with few annotators the pairs alone
    would say little.

    Args:
        annotators: What each marked, on the same clips.
        clips: How many clips there are.
        dimensions: Their names, in the order of their numbers.
        resamples: How often pairs are drawn again.
        level: The wanted coverage.
        seed: Decides the draws.

    Cites:
        Cohen (1960), "A coefficient of agreement for nominal scales".
    """
    if len(annotators) < 2:
        raise UsageError("Agreement needs at least two annotators.")
    found = {}
    for number, name in enumerate(dimensions):
        own = [marked.only(marked.dimensions == number) for marked in annotators]
        pairs = [_Pair.of(a, b, clips) for a, b in combinations(own, 2)]
        found[name] = {
            "events": int(sum(len(marked) for marked in own)),
            "pairs": len(pairs),
            **_figures(pairs, clips, resamples, level, seed),
        }
    return found


class _Pair:
    """What two annotators marked of one dimension, clip by clip."""

    def __init__(self, cells: Floats, overlaps: Floats, matched: Floats) -> None:
        self.cells, self.overlaps, self.matched = cells, overlaps, matched

    @classmethod
    def of(cls, a: Marked, b: Marked, clips: int) -> _Pair:
        """Count both, one and none of two annotators in each clip, and how far events overlap."""
        has = [np.bincount(one.spans.clips, minlength=clips) > 0 for one in (a, b)]
        cells = np.stack([has[0] & has[1], has[0] & ~has[1], ~has[0] & has[1], ~has[0] & ~has[1]])
        near = overlapping(a.spans, b.spans)
        taken = assign(near.first, near.second, near.iou)
        home = a.spans.clips[near.first[taken]]
        overlaps = np.bincount(home, weights=near.iou[taken], minlength=clips)
        matched = np.bincount(home, minlength=clips)
        return cls(*(part.astype(np.float64) for part in (cells, overlaps, matched)))


def _figures(
    pairs: Sequence[_Pair], clips: int, resamples: int, level: float, seed: int
) -> Mapping[str, Any]:
    rng = np.random.default_rng((seed, 5))
    whole = np.ones((1, clips))
    point = {
        "kappa": [_kappa(p, whole)[0] for p in pairs],
        "iou": [_iou(p, whole)[0] for p in pairs],
    }
    drawn: dict[str, list[Floats]] = {"kappa": [], "iou": []}
    for pair in pairs:
        times = rng.multinomial(clips, np.full(clips, 1 / clips), size=resamples).astype(np.float64)
        drawn["kappa"].append(_kappa(pair, times))
        drawn["iou"].append(_iou(pair, times))
    chosen = rng.integers(0, len(pairs), (resamples, len(pairs)))
    return {
        name: _estimate(np.array(point[name]), np.stack(drawn[name]), chosen, clips, level)
        for name in point
    }


def _estimate(
    point: Floats, drawn: Floats, chosen: npt.NDArray[np.int64], clips: int, level: float
) -> dict[str, Any]:
    """Return the mean over pairs, and percentiles of it over drawn pairs and clips."""
    if np.isnan(point).all():
        why = "no pair of annotators tells it"
        return {"value": None, "low": None, "high": None, "n": clips, "why": why}
    value = float(np.nanmean(point))
    table = drawn[chosen, np.arange(chosen.shape[0])[:, None]]
    known = table[~np.isnan(table).all(axis=1)]
    if clips < _LEAST_CLIPS or not len(known):
        few = f"fewer than {_LEAST_CLIPS} clips: no interval"
        return {"value": value, "low": None, "high": None, "n": clips, "why": few}
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(np.nanmean(known, axis=1), [tail, 1.0 - tail]).tolist()
    return {"value": value, "low": min(low, value), "high": max(high, value), "n": clips}


def _kappa(pair: _Pair, times: Floats) -> Floats:
    """Return Cohen's kappa of each row of clip counts, of shape (rows,); NaN where undefined."""
    both, one, other, none = (times @ cells for cells in pair.cells)
    n = both + one + other + none
    chance = ((both + one) * (both + other) + (none + one) * (none + other)) / n**2
    agreed = (both + none) / n
    out = np.full(n.shape, np.nan)
    found: Floats = np.divide(agreed - chance, 1.0 - chance, out=out, where=chance < 1.0)
    return found


def _iou(pair: _Pair, times: Floats) -> Floats:
    total, count = times @ pair.overlaps, times @ pair.matched
    found: Floats = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return found
