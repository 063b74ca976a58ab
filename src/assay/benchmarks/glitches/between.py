"""Two systems on the same clips: paired differences, and how much of a gap is closed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.benchmarks.glitches.laid_out import Scored
from assay.metrics.glitches.figures import Clips, clip_scores, mean_of_strata
from assay.metrics.results import Floats, Ints
from assay.metrics.strata import stratum_shares, value_weights

__all__ = ["differences", "gap_closed", "gap_left", "paired_means"]

_EXACT_ZERO = 1e-12  # a difference this small is rounding


def differences(systems: Mapping[str, Scored], clips: Clips) -> list[dict[str, Any]]:
    """Return how far each two systems differ in F1, on the same resamples of clips.

    The p-value is two-sided: twice the smaller share of resamples on either side of 0, at least
    2 / (resamples + 1).

    Cites:
        Efron and Tibshirani (1993), "An introduction to the bootstrap", ch. 16.
    """
    scores = {name: clip_scores(scored.tally())["f1"] for name, scored in systems.items()}
    return [_difference(a, b, scores, clips) for a, b in combinations(scores, 2)]


def gap_closed(least: float, some: float, full: float) -> float | None:
    """Return which share of the gap from `least` to `full` a baseline at `some` closes."""
    return None if full == least else (some - least) / (full - least)


def gap_left(main: float, held_out: float) -> float | None:
    """Return which share of the gap on the main generators is left on one that was held out."""
    return held_out / main if main else None


def paired_means(
    systems: Sequence[Scored], clips: Clips, kept: npt.NDArray[np.bool_] | None = None
) -> tuple[Floats, list[Floats]]:
    """Return the F1 of each system, and of each on the same resamples of clips.

    Args:
        systems: On the same clips.
        clips: How clips are drawn again.
        kept: Which clips count, of shape (clips,); None takes all.

    Returns:
        The means of shape (systems,), and for each system those of the resamples.
    """
    scores = [clip_scores(scored.tally())["f1"] for scored in systems]
    known = ~np.isnan(scores[0]) if kept is None else ~np.isnan(scores[0]) & kept
    if not known.any():
        return np.full(len(systems), np.nan), [np.empty(0) for _ in systems]
    strata = np.unique(clips.datasets[known], return_inverse=True)[1].astype(np.int64)
    weights = value_weights(strata, stratum_shares(np.bincount(strata), "equal"))
    values = np.array([mean_of_strata(own[known], strata) for own in scores])
    return values, [_drawn(own[known], strata, weights, clips) for own in scores]


def _difference(a: str, b: str, scores: Mapping[str, Floats], clips: Clips) -> dict[str, Any]:
    apart = scores[a] - scores[b]
    known = ~np.isnan(apart)
    n = int(np.count_nonzero(known))
    if not n:
        return {"a": a, "b": b, "value": None, "low": None, "high": None, "n": 0, "p": None}
    kept = apart[known]
    strata = np.unique(clips.datasets[known], return_inverse=True)[1].astype(np.int64)
    weights = value_weights(strata, stratum_shares(np.bincount(strata), "equal"))
    value, drawn = mean_of_strata(kept, strata), _drawn(kept, strata, weights, clips)
    tail = (1.0 - clips.level) / 2.0
    low, high = np.quantile(drawn, [tail, 1.0 - tail]).tolist()
    sides = [
        int(np.count_nonzero(drawn <= _EXACT_ZERO)),
        int(np.count_nonzero(drawn >= -_EXACT_ZERO)),
    ]
    p = min(1.0, 2.0 * (min(sides) + 1) / (clips.resamples + 1))
    return {"a": a, "b": b, "value": value, "low": low, "high": high, "n": n, "p": p}


def _drawn(values: Floats, strata: Ints, weights: Floats, clips: Clips) -> Floats:
    """Return the weighted mean of each resample; clips are drawn within their dataset."""
    rng = np.random.default_rng((clips.seed, 3))
    total = np.zeros(clips.resamples)
    for number in np.unique(strata):
        own = np.flatnonzero(strata == number)
        places = own[rng.integers(0, len(own), (clips.resamples, len(own)))]
        total += (weights[places] * values[places]).sum(axis=1)
    return total
