"""Which reported event is which true one.

Prediction i and reference j of the same clip fit by C = S * IoU * (1 + bonus * [same dimension]),
with S in 0..1 how alike their descriptions are. The assignment with the largest sum of C is taken;
pairs with C = 0 are none. The bonus decides who is paired and never enters a score.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import UsageError
from assay.metrics.overlap import Pairs, Spans, assign, overlapping
from assay.metrics.results import Floats, Ints

__all__ = ["BONUS", "Marked", "Matches", "candidates", "match"]

BONUS = 0.25
"""How much more two events of one dimension fit."""


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    """The n events that one side marked, in all clips.

    Attributes:
        spans: When, in seconds or in whole frames, and in which clip.
        dimensions: The primary dimension of each as a number, of shape (n,).
        types: The type of each as a number, of shape (n,).
        severities: 1..5, of shape (n,).
    """

    spans: Spans
    dimensions: Ints
    types: Ints
    severities: Floats

    def __post_init__(self) -> None:
        n = len(self.spans.clips)
        if not all(np.shape(a) == (n,) for a in (self.dimensions, self.types, self.severities)):
            raise UsageError("Each event needs a span, a dimension, a type and a severity.")

    def __len__(self) -> int:
        return len(self.spans.clips)

    def only(self, kept: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Marked:
        """Return the events where `kept`, of shape (n,), says yes."""
        spans = Spans(self.spans.times[kept], self.spans.clips[kept])
        return Marked(spans, self.dimensions[kept], self.types[kept], self.severities[kept])


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Predictions and references that overlap, and which of the pairs are taken.

    Attributes:
        pairs: All that overlap in time: m pairs with their IoU.
        similarity: S of each pair, of shape (m,).
        fits: C of each pair, of shape (m,).
        taken: The places of the pairs of the assignment, of shape (k,).
    """

    pairs: Pairs
    similarity: Floats
    fits: Floats
    taken: Ints


def candidates(predicted: Marked, true: Marked) -> Pairs:
    """Return the pairs whose descriptions have to be compared: those that overlap in time."""
    return overlapping(predicted.spans, true.spans)


def match(
    predicted: Marked, true: Marked, pairs: Pairs, similarity: Floats, bonus: float = BONUS
) -> Matches:
    """Return the pairs that fit best, each event used once.

    Args:
        predicted: What was reported.
        true: What is there.
        pairs: What `candidates` gave.
        similarity: S of each pair, of shape (m,), 0..1.
        bonus: How much more two events of one dimension fit.
    """
    alike = np.asarray(similarity, dtype=np.float64)
    if alike.shape != pairs.iou.shape or not ((alike >= 0) & (alike <= 1)).all():
        raise UsageError("Each pair that overlaps needs a similarity in 0..1.")
    if not np.isfinite(bonus) or bonus < 0:
        raise UsageError(f"The bonus for the same dimension is 0 or more, not {bonus:g}.")
    same = predicted.dimensions[pairs.first] == true.dimensions[pairs.second]
    fits: Floats = alike * pairs.iou * (1.0 + bonus * same)
    return Matches(pairs, alike, fits, assign(pairs.first, pairs.second, fits))
