"""What a report got right, added up clip by clip."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.metrics.glitches.matching import Marked, Matches
from assay.metrics.results import Floats, Ints

__all__ = ["Tally", "tally"]


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Sums over the events of each clip; every array is of shape (clips,).

    Attributes:
        predicted: How many events were reported, those that can't be meant included.
        true: How many there are.
        predicted_near: How many reported ones have some counterpart with C > 0.
        true_near: How many true ones have one.
        matched: How many pairs were taken.
        alike: The sum of S over the pairs.
        alike_iou: The sum of S * IoU.
        iou: The sum of IoU.
        exact: How many pairs have the same severity, half rounded up.
        within_1: How many differ by at most 1.
        missed: The sum of the severities of true events that no pair has.
    """

    predicted: Floats
    true: Floats
    predicted_near: Floats
    true_near: Floats
    matched: Floats
    alike: Floats
    alike_iou: Floats
    iou: Floats
    exact: Floats
    within_1: Floats
    missed: Floats

    def __len__(self) -> int:
        return len(self.true)

    def drawn(self, places: Ints) -> Tally:
        """Return the tally of the clips at `places`, which may name a clip more than once."""
        return Tally(**{f.name: getattr(self, f.name)[places] for f in fields(self)})


def tally(
    predicted: Marked,
    true: Marked,
    matches: Matches,
    clips: int,
    *,
    invalid: Floats | None = None,
    least_iou: float = 0.0,
) -> Tally:
    """Add up each clip.

    Args:
        predicted: What was reported.
        true: What is there.
        matches: Which is which.
        clips: How many clips there are.
        invalid: How many reported events of each clip can't be meant, of shape (clips,): they
            count as reported and match nothing.
        least_iou: A pair counts only from this IoU on.
    """
    pairs, taken = matches.pairs, matches.taken
    taken = taken[pairs.iou[taken] >= least_iou]
    first, second = pairs.first[taken], pairs.second[taken]
    home = predicted.spans.clips[first]

    def added(values: npt.NDArray[Any]) -> Floats:
        return np.bincount(home, weights=values, minlength=clips).astype(np.float64)

    def counted(marked: Marked, places: Ints | None = None) -> Floats:
        kept = np.ones(len(marked), dtype=np.bool_)
        if places is not None:  # an event may stand there more than once
            kept[:] = False
            kept[places] = True
        return np.bincount(marked.spans.clips[kept], minlength=clips).astype(np.float64)

    near = (matches.fits > 0) & (pairs.iou >= least_iou)
    alike, iou = matches.similarity[taken], pairs.iou[taken]
    apart = np.abs(_whole(predicted.severities[first]) - _whole(true.severities[second]))
    everything = np.bincount(true.spans.clips, weights=true.severities, minlength=clips)
    reported = counted(predicted)
    return Tally(
        predicted=reported if invalid is None else reported + invalid,
        true=counted(true),
        predicted_near=counted(predicted, pairs.first[near]),
        true_near=counted(true, pairs.second[near]),
        matched=added(np.ones(len(taken))),
        alike=added(alike),
        alike_iou=added(alike * iou),
        iou=added(iou),
        exact=added(apart == 0),
        within_1=added(apart <= 1),
        missed=everything - added(true.severities[second]),
    )


def _whole(severities: Floats) -> Floats:
    """Return severities as whole numbers, half rounded up."""
    found: Floats = np.floor(severities + 0.5)
    return found
