"""Types found at the right time: hits, whatever the description says."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from assay.benchmarks.glitches.laid_out import Scored
from assay.episodes.glitches.taxonomy import taxonomy
from assay.metrics.glitches.figures import Clips, ratio_of_sums
from assay.metrics.overlap import assign
from assay.metrics.results import Estimate, Floats

__all__ = ["LEAST_IOU", "type_figures"]

LEAST_IOU = 0.5


def type_figures(
    scored: Scored, types: Collection[str], clips: Clips, least_iou: float = LEAST_IOU
) -> dict[str, Estimate]:
    """Return precision, recall and F1 of some types: an event is a hit if type and time are right.

    A reported event hits a true one of the same type when they overlap by `least_iou`; each is used
    once. Hits, alarms and misses are added up over all clips of a dataset.
    """
    numbers = [k for k, name in enumerate(taxonomy().types) if name in set(types)]
    pairs, said, true = scored.pairs, scored.predicted, scored.true
    same = said.types[pairs.first] == true.types[pairs.second]
    right = same & np.isin(said.types[pairs.first], numbers) & (pairs.iou >= least_iou)
    taken = np.flatnonzero(right)
    taken = taken[assign(pairs.first[taken], pairs.second[taken], pairs.iou[taken])]
    count = len(scored.clips)

    def per_clip(homes: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Floats:
        return np.bincount(homes, minlength=count).astype(np.float64)

    hits = per_clip(said.spans.clips[pairs.first[taken]])
    reported = per_clip(said.spans.clips[np.isin(said.types, numbers)])
    there = per_clip(true.spans.clips[np.isin(true.types, numbers)])
    table = np.stack([hits, reported - hits, there - hits], axis=1)
    return ratio_of_sums(table, clips)
