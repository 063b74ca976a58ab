"""How far spans of time overlap, which of them belong together, and how far raters agree on them.

Everything works on flat lists of the spans of all clips at once: a loop over clips costs far more
than the arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from assay.errors import UsageError
from assay.metrics.correlation import Figure
from assay.metrics.intervals import SMALLEST_SAMPLE, mean_interval
from assay.metrics.results import Floats, Ints

__all__ = [
    "Pairs",
    "SpanAgreement",
    "Spans",
    "assign",
    "match_spans",
    "overlapping",
    "span_agreement",
    "span_iou",
]


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """The spans that one rater or judge marked.

    Attributes:
        times: Start and end of each [s], of shape (n, 2); start <= end.
        clips: The clip of each, numbered from 0, of shape (n,).
    """

    times: Floats
    clips: Ints

    def __post_init__(self) -> None:
        times = np.asarray(self.times, dtype=np.float64).reshape(-1, 2)
        clips = np.asarray(self.clips, dtype=np.int64)
        if len(times) != len(clips) or (clips < 0).any():
            raise UsageError("Each span needs a start, an end and the number of its clip.")
        if not np.isfinite(times).all() or (times[:, 0] > times[:, 1]).any():
            raise UsageError("A span has a finite start and a finite end, and does not end before.")
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "clips", clips)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of spans of two raters.

    Attributes:
        first: The places of the first rater's spans, of shape (m,).
        second: The places of the second rater's.
        iou: The overlap of each pair, of shape (m,).
    """

    first: Ints
    second: Ints
    iou: Floats


@dataclass(frozen=True, slots=True)
class SpanAgreement:
    """How far raters agree on what happened when, per clip and then over clips.

    Attributes:
        iou: The mean overlap of matched spans, over clips in which any are matched.
        f1: 2 x matched / all spans of both raters, over clips in which any span was marked.
        f1_all: The same over all clips; one in which nobody marked a span counts 1.
        threshold: The overlap from which on a matched pair counts in `f1` and `f1_all`.
        clips: How many clips were rated.
        spans: How many spans each rater marked.
        matched: How many pairs of spans were matched, over all pairs of raters.
    """

    iou: Figure
    f1: Figure
    f1_all: Figure
    threshold: float
    clips: int
    spans: tuple[int, ...]
    matched: int


def span_iou(a: Floats, b: Floats) -> Floats:
    """Return intersection over union of spans, of shape (.., 2) each; shapes broadcast.

    A span of no length overlaps an equal one fully and nothing else. For the table of two lists
    pass a[:, None] and b[None].
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    shared = np.minimum(a[..., 1], b[..., 1]) - np.maximum(a[..., 0], b[..., 0])
    shared = np.maximum(shared, 0.0)
    union = (a[..., 1] - a[..., 0]) + (b[..., 1] - b[..., 0]) - shared
    # Both of no length: the union is 0, and they are equal or apart.
    equal = (a == b).all(axis=-1)
    found: Floats = np.where(union > 0, shared / np.where(union > 0, union, 1.0), 1.0 * equal)
    return found


def overlapping(a: Spans, b: Spans) -> Pairs:
    """Return all pairs of spans of one clip that overlap, ordered by the first's place."""
    order = np.argsort(b.clips, kind="stable")
    start, end = (np.searchsorted(b.clips[order], a.clips, side) for side in ("left", "right"))
    counts = end - start
    first = np.repeat(np.arange(len(a.clips)), counts)
    # Within the run of each first span: 0, 1, .., from where its clip begins in `order`.
    step = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
    second = order[np.repeat(start, counts) + step]
    iou = span_iou(a.times[first], b.times[second])
    kept = iou > 0
    return Pairs(first[kept], second[kept], iou[kept])


def assign(first: Ints, second: Ints, weights: Floats) -> Ints:
    """Return the places of the pairs that have the largest sum of weights, each thing used once.

    Pairs fall into groups that share no thing. Where the best pairs of all first things, or of all
    second things, don't clash, no other choice has a larger sum: they are taken at once. The groups
    that are left are solved by the Hungarian method.

    Args:
        first: The first thing of each pair, numbered from 0, of shape (m,); no pair stands twice.
        second: The second one, numbered on its own.
        weights: How good each pair is, of shape (m,); a pair without weight is never taken.

    Cites:
        Kuhn (1955), "The Hungarian method for the assignment problem".
    """
    places = np.flatnonzero(np.asarray(weights) > 0)
    if not len(places):
        return places
    groups, taken = _groups(first[places], second[places]), []
    for these, others in ((first, second), (second, first)):
        best = _best(these[places], weights[places])
        wanted = others[places[best]]
        clashing = best[np.bincount(wanted)[wanted] > 1]
        solved = ~np.isin(groups, groups[clashing])
        taken.append(places[best[solved[best]]])
        places, groups = places[~solved], groups[~solved]
    if len(places):
        taken.append(places[_solved(first[places], second[places], weights[places], groups)])
    return np.sort(np.concatenate(taken))


def match_spans(a: Spans, b: Spans) -> Pairs:
    """Return the pairs of spans that have the largest sum of overlaps, each span used once."""
    found = overlapping(a, b)
    kept = assign(found.first, found.second, found.iou)
    return Pairs(found.first[kept], found.second[kept], found.iou[kept])


def span_agreement(
    raters: Sequence[Spans],
    clips: int,
    *,
    threshold: float = 0.5,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> SpanAgreement:
    """Return how far two or more raters agree on spans, with intervals by clip.

    In each clip the spans of every pair of raters are matched by the largest sum of overlaps. A
    clip's figure is the mean over pairs of raters; the mean over clips has the studentised
    bootstrap of means, see `intervals.mean_interval`. All raters must have seen all clips.

    Args:
        raters: The spans of each rater, two or more.
        clips: How many clips they saw, marked or not.
        threshold: The overlap from which on a matched pair counts as agreement in F1.
        level: The wanted coverage.
        resamples: How many resamples to draw.
        seed: The same seed gives the same intervals.
    """
    if len(raters) < 2:
        raise UsageError("Agreement needs the spans of at least two raters.")
    if any(spans.clips.max(initial=-1) >= clips for spans in raters):
        raise UsageError(f"A span is of a clip that is not among the {clips} clips.")
    pairs = [_Clips.of(a, b, clips, threshold) for a, b in combinations(raters, 2)]

    def figure(values: list[Floats], missing: str) -> Figure:
        table = np.stack(values)
        known = ~np.isnan(table)
        scored = known.any(axis=0)
        means = np.where(known, table, 0.0).sum(axis=0)[scored] / known.sum(axis=0)[scored]
        return _mean(means, missing, level, resamples, seed)

    return SpanAgreement(
        iou=figure([pair.iou for pair in pairs], "no two spans overlap"),
        f1=figure([pair.f1 for pair in pairs], "nobody marked a span"),
        f1_all=figure([np.where(np.isnan(pair.f1), 1.0, pair.f1) for pair in pairs], "no clip"),
        threshold=threshold,
        clips=clips,
        spans=tuple(len(spans.clips) for spans in raters),
        matched=sum(pair.matched for pair in pairs),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Clips:
    """What two raters have in common in each clip, of shape (clips,); NaN where it is undefined."""

    iou: Floats
    f1: Floats
    matched: int

    @classmethod
    def of(cls, a: Spans, b: Spans, clips: int, threshold: float) -> _Clips:
        """Match the spans of two raters and sum up each clip."""
        found = match_spans(a, b)
        owners = a.clips[found.first]
        matched = np.bincount(owners, minlength=clips)
        overlap = np.bincount(owners, weights=found.iou, minlength=clips)
        good = np.bincount(owners[found.iou >= threshold], minlength=clips)
        marked = np.bincount(a.clips, minlength=clips) + np.bincount(b.clips, minlength=clips)
        nothing = np.full(clips, np.nan)
        return cls(
            iou=np.divide(overlap, matched, out=nothing.copy(), where=matched > 0),
            f1=np.divide(2.0 * good, marked, out=nothing.copy(), where=marked > 0),
            matched=len(found.iou),
        )


def _mean(values: Floats, missing: str, level: float, resamples: int, seed: int) -> Figure:
    """Return the mean over clips with its interval, or why there is none."""
    n = len(values)
    if not n:
        return Figure(None, None, None, 0, why=missing)
    # Rounding can put a mean of overlaps a hair above 1.
    values = np.minimum(values, 1.0)
    mean, low, high, method = mean_interval(values, level=level, resamples=resamples, seed=seed)
    few = None if method else f"fewer than {SMALLEST_SAMPLE} clips: no interval"
    return Figure(mean, low, high, n, method, few)


def _groups(first: Ints, second: Ints) -> Ints:
    """Return the group of each pair: pairs that share a thing are of one group."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = int(first.max()) + 1
    things = size + int(second.max()) + 1
    edges = coo_array((np.ones(len(first)), (first, size + second)), shape=(things, things))
    labels = connected_components(edges, directed=False)[1]
    found: Ints = labels[first].astype(np.int64)
    return found


def _best(things: Ints, weights: Floats) -> Ints:
    """Return the place of the pair with the largest weight of each thing."""
    order = np.lexsort((-weights, things))
    found: Ints = order[np.diff(things[order], prepend=-1) > 0]
    return found


def _solved(first: Ints, second: Ints, weights: Floats, groups: Ints) -> Ints:
    """Return the places of the best pairs of each group, by the Hungarian method."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = (_places(things, groups) for things in (first, second))
    found = []
    order = np.argsort(groups, kind="stable")
    for part in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
        i, j = rows[part], columns[part]
        table = np.zeros((int(i.max()) + 1, int(j.max()) + 1))
        table[i, j] = weights[part]
        chosen = np.full(len(table), -1)
        best = linear_sum_assignment(table, maximize=True)
        chosen[best[0]] = best[1]
        # An empty place of the table may fill up the assignment; no pair of `part` stands there.
        found.append(part[chosen[i] == j])
    return np.concatenate(found)


def _places(things: Ints, groups: Ints) -> Ints:
    """Return the number of each pair's thing among the things of its group, from 0."""
    _, at, of = np.unique(things, return_index=True, return_inverse=True)
    home = groups[at]  # a thing is of one group
    order = np.argsort(home, kind="stable")
    sorted_ = home[order]
    numbers = np.empty(len(at), dtype=np.int64)
    numbers[order] = np.arange(len(at)) - np.searchsorted(sorted_, sorted_)
    found: Ints = numbers[of]
    return found
