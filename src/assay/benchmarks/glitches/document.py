"""The figures of one system as plain data: what `bench.json` holds of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from assay.benchmarks.glitches.laid_out import Scored
from assay.benchmarks.glitches.types import type_figures
from assay.episodes.glitches.taxonomy import taxonomy
from assay.metrics.glitches.figures import Clips, detection, figures
from assay.metrics.glitches.tallies import Tally
from assay.metrics.results import Estimate

__all__ = ["BONUSES", "HEADLINE", "IOUS", "system_document"]

BONUSES: Final = (0.0, 0.1, 0.25, 0.5)
IOUS: Final = (0.3, 0.5, 0.7)
_FIRST: Final = (
    *("f1", "precision", "recall", "miou", "f1_iou"),
    *("severity_exact", "severity_within_1", "severity_weighted_f1", "clean_accuracy"),
)
HEADLINE: Final = (*_FIRST, "detection", "by_dimension", "by_dataset", "similarity")
"""What a system's figures begin with, in this order."""
_IN_SLICES: Final = ("f1", "precision", "recall", "miou", "f1_iou", "clean_accuracy")


def system_document(scored: Scored, similarity: str, clips: Clips) -> dict[str, Any]:
    """Return all figures of a system, those of `HEADLINE` first."""
    sums = scored.tally()
    found = figures(sums, clips)
    first = {name: found.pop(name).as_json() for name in _FIRST}
    return {
        **first,
        "detection": _json(detection(sums, clips)),
        "by_dimension": _by_dimension(scored, clips),
        "by_dataset": _by_dataset(scored, sums, clips),
        "similarity": similarity,
        "also": _json(found),
        "by_type": _by_type(scored, clips),
        "bonus": {f"{b:g}": figures(scored.tally(b), clips)["f1"].as_json() for b in BONUSES},
        "least_iou": {
            f"{floor:g}": _some(scored.tally(least_iou=floor), clips, ("precision", "recall", "f1"))
            for floor in IOUS
        },
        "counts": {
            "clips": len(scored.clips),
            "clean": int(np.count_nonzero(sums.true == 0)),
            "predicted": int(sums.predicted.sum()),
            "true": int(sums.true.sum()),
            "matched": int(sums.matched.sum()),
            "invalid": dict(sorted(scored.reasons.items())),
            "not_reported_on": len(scored.missing),
            "unknown_clips": len(scored.unknown),
        },
    }


def _by_dimension(scored: Scored, clips: Clips) -> dict[str, Any]:
    """Return the figures over the events of each dimension, matched among themselves."""
    return {
        name: _some(scored.of_dimension(number), clips, _IN_SLICES)
        for number, name in enumerate(taxonomy().dimensions)
    }


def _by_dataset(scored: Scored, sums: Tally, clips: Clips) -> dict[str, Any]:
    found = {}
    for number, name in enumerate(scored.datasets):
        places = np.flatnonzero(scored.dataset == number)
        own = Clips(clips.datasets[places], clips.seed, clips.resamples, clips.level)
        found[name] = _some(sums.drawn(places), own, _IN_SLICES)
    return found


def _by_type(scored: Scored, clips: Clips) -> dict[str, Any]:
    """Return the figures of each type that occurs on either side."""
    names = list(taxonomy().types)
    seen = set(np.concatenate([scored.predicted.types, scored.true.types]).tolist())
    return {
        name: _json(type_figures(scored, (name,), clips))
        for number, name in enumerate(names)
        if number in seen
    }


def _some(sums: Tally, clips: Clips, names: tuple[str, ...]) -> dict[str, Any]:
    found = figures(sums, clips)
    return {name: found[name].as_json() for name in names}


def _json(found: Mapping[str, Estimate]) -> dict[str, Any]:
    return {name: estimate.as_json() for name, estimate in found.items()}
