"""Score a judge against what is known of held-out episodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.benchmarks.pulse.ranks import auc
from assay.metrics.calibration import mean_tenths, sum_tenths
from assay.metrics.intervals import estimate_mean
from assay.records import Floats

__all__ = ["LEAST_STEP", "Held", "calibration", "end_auc", "scores"]

LEAST_STEP = 0.05
"""Two moments make a pair when their progress differs by at least this much."""

_NO_PAIR = "no episode has such moments"


@dataclass(frozen=True, eq=False)
class Held:
    """One held-out episode under one judge.

    Attributes:
        truth: What is known, of shape (T,); NaN where nothing is.
        guess: What the judge says, of shape (T,).
        success: How it ended, as far as that is known.
    """

    truth: Floats
    guess: Floats
    success: bool | None


def scores(held: Sequence[Held], unscored: int = 0, seed: int = 0) -> dict[str, Any]:
    """Return the figures of one judge, each an estimate with its interval over episodes.

    `pairs` is the share of pairs of moments that the judge puts in the right order, `anti_time`
    the same for pairs of which the later moment is worth less, `error` the mean distance to the
    truth, `end_auc` the chance that a success ends higher than a failure.

    Args:
        held: The scored episodes.
        unscored: How many held-out episodes the judge gave no curve for.
        seed: Decides the resampling of the intervals.
    """
    right = [_pairs(one, anti_time=False) for one in held]
    anti = [_pairs(one, anti_time=True) for one in held]
    error = [_error(one) for one in held]
    return {
        "pairs": _mean(right, unscored, seed),
        "anti_time": _mean(anti, 0, seed),
        "error": _mean(error, unscored, seed, worst=1.0),
        "end_auc": end_auc(held),
    }


def calibration(held: Sequence[Held]) -> list[dict[str, Any]]:
    """Return ten bins of the judge's values, each with the mean guess, the mean truth and n."""
    if not held:
        return []
    truth = np.concatenate([one.truth for one in held])
    guess = np.concatenate([one.guess for one in held])
    return [
        {"guess": tenth.told, "truth": tenth.truth, "sd": tenth.sd, "n": tenth.n}
        for tenth in mean_tenths(sum_tenths(guess, truth))
    ]


def end_auc(held: Sequence[Held]) -> dict[str, Any]:
    """Return the chance that a success ends higher than a failure; ties count half."""
    ends = {
        success: np.array([one.guess[-1] for one in held if one.success is success])
        for success in (True, False)
    }
    return auc(ends[True], ends[False]).as_json()


def _pairs(one: Held, *, anti_time: bool) -> float | None:
    """Return the share of pairs in the right order; a tie is wrong. None without any pair."""
    first, second = np.triu_indices(len(one.truth), k=1)
    step = one.truth[second] - one.truth[first]
    counts = step <= -LEAST_STEP if anti_time else np.abs(step) >= LEAST_STEP  # never for NaN
    if not counts.any():
        return None
    said = one.guess[second] - one.guess[first]
    return float((said[counts] * step[counts] > 0).mean())


def _error(one: Held) -> float | None:
    known = ~np.isnan(one.truth)
    return float(np.abs(one.truth - one.guess)[known].mean()) if known.any() else None


def _mean(
    values: Sequence[float | None], unscored: int, seed: int, worst: float = 0.0
) -> dict[str, Any]:
    known = np.array([value for value in values if value is not None])
    found = estimate_mean(known, unscored, worst_value=worst, best_value=1.0 - worst, seed=seed)
    return (found if found.n else replace(found, why=_NO_PAIR)).as_json()
