"""Reports and references as arrays: what the figures are computed from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.benchmarks.glitches.similarity import Similarity
from assay.episodes.glitches.reports import ClipReport
from assay.episodes.glitches.taxonomy import taxonomy
from assay.metrics.glitches.frames import in_frames
from assay.metrics.glitches.matching import BONUS, Marked, Matches, candidates, match
from assay.metrics.glitches.tallies import Tally, tally
from assay.metrics.overlap import Pairs, Spans
from assay.metrics.results import Floats, Ints
from assay.records import Event

__all__ = ["Comparing", "Scored", "lay_out", "marked"]


@dataclass(frozen=True, slots=True)
class Comparing:
    """How a reported event is compared with a true one.

    Attributes:
        similarity: Compares their descriptions.
        fps: Their overlap is counted in whole frames of so many a second; None takes seconds as
            they are.
    """

    similarity: Similarity
    fps: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """One system's reports beside the references, clip by clip.

    Attributes:
        clips: The ids, in the order of all arrays over clips.
        datasets: The names of the datasets.
        dataset: The dataset of each clip, as its place in `datasets`.
        predicted: All that was reported and can be meant.
        true: All that is there.
        pairs: What overlaps.
        similarity: How alike the descriptions of each pair are.
        invalid: How many reported events of each clip can't be meant, of shape (clips,).
        reasons: How many there are for each reason.
        missing: The clips of the references that were not reported on: they count as empty.
        unknown: The reported clips that no reference speaks of: they are left out.
    """

    clips: tuple[str, ...]
    datasets: tuple[str, ...]
    dataset: Ints
    predicted: Marked
    true: Marked
    pairs: Pairs
    similarity: Floats
    invalid: Floats
    reasons: Mapping[str, int]
    missing: tuple[str, ...]
    unknown: tuple[str, ...]

    def matches(self, bonus: float = BONUS) -> Matches:
        """Return which reported event is which true one."""
        return match(self.predicted, self.true, self.pairs, self.similarity, bonus)

    def tally(self, bonus: float = BONUS, least_iou: float = 0.0) -> Tally:
        """Return the sums of each clip."""
        found = self.matches(bonus)
        return tally(
            self.predicted,
            self.true,
            found,
            len(self.clips),
            invalid=self.invalid,
            least_iou=least_iou,
        )

    def of_dimension(self, number: int) -> Tally:
        """Return the sums over events of one primary dimension alone, matched among themselves."""
        ours, theirs = (m.dimensions == number for m in (self.predicted, self.true))
        kept = ours[self.pairs.first] & theirs[self.pairs.second]
        places = [np.cumsum(own) - 1 for own in (ours, theirs)]
        pairs = Pairs(
            places[0][self.pairs.first[kept]],
            places[1][self.pairs.second[kept]],
            self.pairs.iou[kept],
        )
        predicted, true = self.predicted.only(ours), self.true.only(theirs)
        found = match(predicted, true, pairs, self.similarity[kept])
        return tally(predicted, true, found, len(self.clips))


def lay_out(
    reports: Mapping[str, ClipReport], references: Mapping[str, ClipReport], how: Comparing
) -> Scored:
    """Return a system's reports beside the references.

    Args:
        reports: What a system reported, by clip.
        references: What is there, by clip.
        how: Compares events; descriptions only of those that overlap in time.
    """
    clips = tuple(references)
    lines = [reports.get(clip, ClipReport(clip)) for clip in clips]
    names = tuple(sorted({references[clip].dataset for clip in clips}))
    predicted, ours = marked((line.events for line in lines), how.fps)
    true, theirs = marked((references[clip].events for clip in clips), how.fps)
    pairs = candidates(predicted, true)
    texts = [
        (ours[i].description, theirs[j].description)
        for i, j in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
    ]
    return Scored(
        clips=clips,
        datasets=names,
        dataset=np.array([names.index(references[clip].dataset) for clip in clips], dtype=np.int64),
        predicted=predicted,
        true=true,
        pairs=pairs,
        similarity=how.similarity.compare(texts),
        invalid=np.array([len(line.invalid) for line in lines], dtype=np.float64),
        reasons=Counter(one.reason for line in lines for one in line.invalid),
        missing=tuple(clip for clip in clips if clip not in reports),
        unknown=tuple(clip for clip in reports if clip not in references),
    )


def marked(
    clips: Iterable[Sequence[Event]], fps: float | None = None
) -> tuple[Marked, list[Event]]:
    """Return the events of all clips as arrays, in whole frames if `fps` says so, and as they are.

    Args:
        clips: The events of each clip.
        fps: Frames a second; None keeps seconds.
    """
    dimensions = {name: k for k, name in enumerate(taxonomy().dimensions)}
    types = {name: k for k, name in enumerate(taxonomy().types)}
    flat = [(number, event) for number, events in enumerate(clips) for event in events]
    found = [event for _, event in flat]
    times = np.array([(e.start_s, e.end_s) for e in found], dtype=np.float64).reshape(-1, 2)
    home = np.array([number for number, _ in flat], dtype=np.int64)
    spans = Spans(times, home)
    arrays = Marked(
        spans if fps is None else in_frames(spans, fps),
        np.array([dimensions[e.dimension] for e in found], dtype=np.int64),
        np.array([types[e.type] for e in found], dtype=np.int64),
        np.array([e.severity for e in found], dtype=np.float64),
    )
    return arrays, found
