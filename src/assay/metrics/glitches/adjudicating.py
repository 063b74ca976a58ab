"""Two annotators' events as one list, and what a third person has to rate again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.metrics.glitches.matching import Marked
from assay.metrics.overlap import assign, overlapping
from assay.metrics.results import Floats, Ints

__all__ = ["LEAST_IOU", "MOST_APART", "Adjudicated", "adjudicate"]

LEAST_IOU = 0.6
"""The overlap from which on two marks of one type are of one event."""
MOST_APART = 1.0
"""How far two severities may be apart to be averaged."""
_HAIR = 1e-9  # 0.6 s of 1.0 s is not a hair less than 0.6, however its decimals are rounded


@dataclass(frozen=True, slots=True, eq=False)
class Adjudicated:
    """The n events of two annotators together, in the order of clips and times.

    Attributes:
        first: The place of each among the first annotator's, of shape (n,); -1 if only the second
            marked it.
        second: The same among the second's.
        times: The union of their spans [s], of shape (n, 2).
        severities: Their mean, half steps as they are, of shape (n,); NaN where it has to be rated
            again.
    """

    first: Ints
    second: Ints
    times: Floats
    severities: Floats

    @property
    def merged(self) -> npt.NDArray[np.bool_]:
        """Tell which events both marked, of shape (n,)."""
        return (self.first >= 0) & (self.second >= 0)

    @property
    def open(self) -> npt.NDArray[np.bool_]:
        """Tell which events have to be rated again, of shape (n,)."""
        return np.isnan(self.severities)


def adjudicate(first: Marked, second: Marked) -> Adjudicated:
    """Return the events of two annotators of the same clips as one list.

    Marks of one type that overlap by `LEAST_IOU` are one event with the union of their spans, each
    used once; where they could be paired in several ways, the largest sum of overlaps decides.
    Other marks stay events of their own. Two severities at most `MOST_APART` apart are averaged,
    others rated again.

    Args:
        first: What one annotator marked, in seconds.
        second: What the other one did.

    Cites:
        Nguyen et al. (2026), "RoboGaze: evaluating robot world models via structured
        vision-language analysis".
    """
    pairs = overlapping(first.spans, second.spans)
    same = first.types[pairs.first] == second.types[pairs.second]
    near = np.flatnonzero(same & (pairs.iou >= LEAST_IOU - _HAIR))
    taken = near[assign(pairs.first[near], pairs.second[near], pairs.iou[near])]
    a, b = _with_others(pairs.first[taken], pairs.second[taken], len(first), len(second))
    sides = [_picked(one, places) for one, places in ((first, a), (second, b))]
    starts, ends, severities, clips = (np.stack(both) for both in zip(*sides, strict=True))
    rated = np.where(np.ptp(severities, axis=0) <= MOST_APART, severities.mean(axis=0), np.nan)
    alone = np.where(a >= 0, severities[0], severities[1])
    order = np.lexsort((np.fmax(*ends), np.fmin(*starts), np.fmax(*clips)))
    return Adjudicated(
        a[order],
        b[order],
        np.stack([np.fmin(*starts), np.fmax(*ends)], axis=1)[order],
        np.where((a >= 0) & (b >= 0), rated, alone)[order],
    )


def _with_others(first: Ints, second: Ints, many: int, more: int) -> tuple[Ints, Ints]:
    """Return pairs and, beside -1, everything that is in none of them."""
    left = np.setdiff1d(np.arange(many), first)
    right = np.setdiff1d(np.arange(more), second)
    return (
        np.concatenate([first, left, np.full(len(right), -1)]).astype(np.int64),
        np.concatenate([second, np.full(len(left), -1), right]).astype(np.int64),
    )


def _picked(marked: Marked, places: Ints) -> tuple[Floats, Floats, Floats, Floats]:
    """Return starts, ends, severities and clips of some events; NaN at -1."""
    rows = (*marked.spans.times.T, marked.severities, marked.spans.clips)
    padded = [np.append(row.astype(np.float64), np.nan)[places] for row in rows]
    starts, ends, severities, clips = padded
    return starts, ends, severities, clips
