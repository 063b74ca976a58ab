"""Figures of a system that reports events, each with n and an interval.

A figure of clips is the mean over the clips of each dataset, then over datasets. Clips are drawn
again within their dataset: by the studentised bootstrap for means of clips, by percentiles for
figures that are no mean of clips (harmonic means of means, detection).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.metrics.glitches.tallies import Tally
from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.metrics.resampling import Units, bootstrap_t
from assay.metrics.results import Estimate, Floats, Ints
from assay.metrics.strata import stratum_shares, value_weights

__all__ = [
    "RESAMPLES",
    "Clips",
    "clip_scores",
    "detection",
    "figures",
    "macro_mean",
    "mean_of_strata",
    "ratio_of_sums",
]

RESAMPLES = 1000
_UNIT = (0.0, 1.0)
_DRAWS_AT_ONCE = 1 << 20  # 8 MB of draws


@dataclass(frozen=True, slots=True, eq=False)
class Clips:
    """The clips that are scored.

    Attributes:
        datasets: The dataset of each as a number from 0, of shape (clips,).
        seed: Decides the resamples: systems that share it are compared on the same ones.
        resamples: How many resamples to draw.
        level: The wanted coverage.
    """

    datasets: Ints
    seed: int = 0
    resamples: int = RESAMPLES
    level: float = 0.95


def clip_scores(sums: Tally) -> dict[str, Floats]:
    """Return the scores of each clip by name, of shape (clips,); NaN where a clip has none.

    With s the sum of S over the pairs, N reported and M true events: precision s/N, recall s/M,
    F1 = 2s/(N + M). A clip with true events and no reported one has precision 0. Names that end in
    `_overlap` leave out of N and M what has no counterpart. `f1_all` counts clean clips too: 1 when
    nothing was reported, else 0.

    Cites:
        Spec of event-level scoring: description F1, temporal IoU and severity on matched events.
    """
    glitchy, some = sums.true > 0, sums.matched > 0
    both = sums.predicted + sums.true
    near = sums.predicted_near + sums.true_near
    weighted = sums.matched + sums.missed
    found = {
        "precision": _share(sums.alike, sums.predicted, glitchy),
        "recall": _share(sums.alike, sums.true, glitchy),
        "f1": _share(2.0 * sums.alike, both, glitchy),
        "f1_iou": _share(2.0 * sums.alike_iou, both, glitchy),
        "precision_overlap": _share(sums.alike, sums.predicted_near, glitchy),
        "recall_overlap": _share(sums.alike, sums.true_near, glitchy),
        "f1_overlap": _share(2.0 * sums.alike, near, glitchy),
        "miou": _share(sums.iou, sums.matched, some),
        "severity_exact": _share(sums.exact, sums.matched, some),
        "severity_within_1": _share(sums.within_1, sums.matched, some),
        "severity_weighted_recall": _share(sums.alike, weighted, glitchy),
    }
    found["severity_weighted_f1"] = _harmonic(found["precision"], found["severity_weighted_recall"])
    empty = (sums.predicted == 0).astype(np.float64)
    found["f1_all"] = np.where(glitchy, found["f1"], empty)
    found["clean_accuracy"] = np.where(glitchy, np.nan, empty)
    return found


def figures(sums: Tally, clips: Clips) -> dict[str, Estimate]:
    """Return all figures by name, each over the clips that have the score."""
    scores = clip_scores(sums)
    found = {name: macro_mean(values, clips) for name, values in scores.items()}
    found["f1_of_means"] = _of_means(scores["precision"], scores["recall"], clips)
    return found


def macro_mean(values: Floats, clips: Clips) -> Estimate:
    """Return the mean of each dataset's clips, then of the datasets; NaN marks a clip without."""
    known = ~np.isnan(values)
    n = int(np.count_nonzero(known))
    if not n:
        return Estimate(None, None, None, 0, None, None, "no clip has this figure")
    # Rounding can put a mean of overlaps a hair above 1.
    kept = np.clip(values[known], *_UNIT)
    strata = np.unique(clips.datasets[known], return_inverse=True)[1].astype(np.int64)
    weights = value_weights(strata, stratum_shares(np.bincount(strata), "equal"))
    value = mean_of_strata(kept, strata)
    if n < SMALLEST_SAMPLE:
        few = f"fewer than {SMALLEST_SAMPLE} clips: no interval"
        return Estimate(value, None, None, n, value, value, few)
    units = Units.of(kept, weights, np.arange(n), strata)
    how = {"level": clips.level, "seed": clips.seed, "resamples": clips.resamples}
    ends = bootstrap_t([units], _UNIT, **how)  # type: ignore[arg-type]  # a dict of both kinds
    # The ends are rounded in other ways than the value, which lies between them.
    low = None if ends.low is None else min(ends.low, value)
    high = None if ends.high is None else max(ends.high, value)
    return Estimate(value, low, high, n, value, value, method=ends.method)


def mean_of_strata(values: Floats, strata: Ints) -> float:
    """Return the mean of the strata's means; of equal values it is that value, to the last bit.

    Args:
        values: Of shape (n,).
        strata: The stratum of each, numbered from 0 without gaps.
    """
    means = [values[strata == number].mean() for number in range(int(strata.max()) + 1)]
    return float(np.mean(means))


def detection(sums: Tally, clips: Clips) -> dict[str, Estimate]:
    """Return how well clips with a glitch are told from clean ones, by clip alone.

    A clip is called glitchy when anything is reported of it. Precision, recall and F1 are worked
    out in each dataset, and their mean is taken.
    """
    said, true = sums.predicted > 0, sums.true > 0
    return ratio_of_sums(np.stack([said & true, said & ~true, ~said & true], axis=1), clips)


def ratio_of_sums(table: npt.NDArray[Any], clips: Clips) -> dict[str, Estimate]:
    """Return precision, recall and F1 of counts added up over each dataset's clips.

    Args:
        table: Hits, alarms and misses of each clip, of shape (clips, 3).
        clips: The clips.
    """

    def ratios(sums: Floats) -> dict[str, Floats]:
        hits, alarms, misses = np.moveaxis(sums, -1, 0)
        return {
            "precision": _ratio(hits, hits + alarms),
            "recall": _ratio(hits, hits + misses),
            "f1": _ratio(2.0 * hits, 2.0 * hits + alarms + misses),
        }

    return _drawn_again(table.astype(np.float64), ratios, clips)


def _of_means(precision: Floats, recall: Floats, clips: Clips) -> Estimate:
    """Return the harmonic mean of the mean precision and the mean recall."""
    known = ~np.isnan(precision)
    table = np.stack([np.where(known, precision, 0.0), np.where(known, recall, 0.0), known], axis=1)

    def ratios(sums: Floats) -> dict[str, Floats]:
        p, r, n = np.moveaxis(sums, -1, 0)
        return {"p": _ratio(p, n), "r": _ratio(r, n)}

    def joined(means: Mapping[str, Floats]) -> dict[str, Floats]:
        return {"f1": _harmonic(means["p"], means["r"])}

    return _drawn_again(table, ratios, clips, joined)["f1"]


def _drawn_again(
    table: Floats,
    ratios: Callable[[Floats], dict[str, Floats]],
    clips: Clips,
    joined: Callable[[Mapping[str, Floats]], dict[str, Floats]] | None = None,
) -> dict[str, Estimate]:
    """Return figures of sums over clips, with percentiles over resamples.

    Args:
        table: What is added up, of shape (clips, columns).
        ratios: Sums of a dataset, of shape (.., columns), -> figures of shape (..,).
        clips: The clips.
        joined: Means over datasets -> figures; None takes the means.
    """

    def over_datasets(parts: list[Floats]) -> dict[str, Floats]:
        found = [ratios(part) for part in parts]
        means = {key: _mean_of([one[key] for one in found]) for key in found[0]}
        return means if joined is None else joined(means)

    homes = [clips.datasets == d for d in np.unique(clips.datasets)]
    whole = over_datasets([table[home].sum(axis=0) for home in homes])
    rng = np.random.default_rng((clips.seed, 2))
    again = over_datasets([_resampled(table[home], clips.resamples, rng) for home in homes])
    n, tail = len(table), (1.0 - clips.level) / 2.0
    return {key: _percentiles(float(whole[key]), again[key], n, tail) for key in whole}


def _resampled(rows: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Return the sums of rows drawn again, of shape (resamples, columns)."""
    n = len(rows)
    width = max(1, _DRAWS_AT_ONCE // n)
    parts = []
    for start in range(0, resamples, width):
        some = min(width, resamples - start)
        drawn = rng.integers(0, n, (some, n)) + n * np.arange(some)[:, None]
        counts = np.bincount(drawn.reshape(-1), minlength=some * n).reshape(some, n)
        parts.append(counts @ rows)
    return np.concatenate(parts)


def _percentiles(value: float, again: Floats, n: int, tail: float) -> Estimate:
    if np.isnan(value):
        return Estimate(None, None, None, n, None, None, "no clip has this figure")
    known = again[~np.isnan(again)]
    if n < SMALLEST_SAMPLE or not len(known):
        few = f"fewer than {SMALLEST_SAMPLE} clips: no interval"
        return Estimate(value, None, None, n, value, value, few)
    low, high = np.quantile(known, [tail, 1.0 - tail]).tolist()
    ends = min(low, value), max(high, value)
    return Estimate(value, *ends, n, value, value, method="percentile bootstrap")


def _mean_of(parts: list[Floats]) -> Floats:
    """Return the mean over datasets; a dataset in which the figure is undefined is left out."""
    table = np.stack([np.asarray(part, dtype=np.float64) for part in parts])
    known = ~np.isnan(table)
    return _ratio(np.where(known, table, 0.0).sum(axis=0), known.sum(axis=0).astype(np.float64))


def _share(part: Floats, whole: Floats, counts: npt.NDArray[np.bool_]) -> Floats:
    """Return part / whole, 0 where the whole is 0, NaN where the clip does not count."""
    found = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
    return np.where(counts, found, np.nan)


def _ratio(part: Floats, whole: Floats) -> Floats:
    """Return part / whole, NaN where the whole is 0."""
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    found: Floats = np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)
    return found


def _harmonic(a: Floats, b: Floats) -> Floats:
    """Return 2ab / (a + b), 0 where both are 0."""
    both = np.asarray(a + b, dtype=np.float64)
    found = np.divide(2.0 * a * b, both, out=np.zeros_like(both), where=both > 0)
    return np.where(np.isnan(both), np.nan, found)
