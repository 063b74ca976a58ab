"""Overlap of spans, their assignment and the agreement of raters on them."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from assay.errors import UsageError
from assay.metrics.overlap import (
    Spans,
    assign,
    match_spans,
    overlapping,
    span_agreement,
    span_iou,
)

relaxed = settings(deadline=None, max_examples=60)
tenths = st.integers(0, 30).map(lambda k: k / 10)
times = st.lists(st.tuples(tenths, tenths).map(sorted), max_size=12)
marked = times.flatmap(
    lambda found: st.lists(st.integers(0, 2), min_size=len(found), max_size=len(found)).map(
        lambda clips: Spans(np.array(found).reshape(-1, 2), np.array(clips, dtype=int))
    )
)
weights = st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=1, max_size=4).map(
    np.array
)


def spans(*found: tuple[int, float, float]) -> Spans:
    """Return spans from clip, start and end."""
    table = np.array(found, dtype=float).reshape(-1, 3)
    return Spans(table[:, 1:], table[:, 0].astype(int))


def test_iou_by_hand():
    # [0, 2] and [1, 3] share 1 of 3; touching spans share nothing.
    a = np.array([[0.0, 2], [0, 1], [0, 4], [1, 1], [1, 1]])
    b = np.array([[1.0, 3], [1, 2], [1, 2], [1, 1], [0, 2]])
    assert span_iou(a, b) == pytest.approx([1 / 3, 0, 1 / 4, 1, 0])
    assert span_iou(a[:2, None], b[None]).shape == (2, 5)


@relaxed
@given(marked, marked)
def test_iou_is_symmetric_and_bounded(a, b):
    table = span_iou(a.times[:, None], b.times[None])
    assert ((table >= 0) & (table <= 1)).all()
    assert (table == span_iou(b.times[:, None], a.times[None]).T).all()
    assert (span_iou(a.times, a.times) == 1).all()


@relaxed
@given(marked, marked)
def test_all_pairs_of_a_clip_and_no_others(a, b):
    found = overlapping(a, b)
    table = span_iou(a.times[:, None], b.times[None]) * (a.clips[:, None] == b.clips)
    first, second = np.nonzero(table)
    assert set(zip(found.first, found.second, strict=True)) == set(zip(first, second, strict=True))
    assert (found.iou == table[found.first, found.second]).all()
    assert (np.diff(found.first) >= 0).all()


@relaxed
@given(weights)
def test_no_assignment_is_better(table):
    # All ways to give each row a column or none, one by one.
    rows, columns = np.indices(table.shape)
    kept = assign(rows.ravel(), columns.ravel(), table.ravel())
    chosen = table.ravel()[kept]
    assert (chosen > 0).all()
    assert len(set(rows.ravel()[kept])) == len(kept) == len(set(columns.ravel()[kept]))
    places = np.arange(len(table))
    best = max(table[places, list(way)].sum() for way in permutations(range(4), len(table)))
    assert chosen.sum() == best


@relaxed
@given(marked, marked)
def test_clips_are_matched_each_by_itself(a, b):
    found = match_spans(a, b)
    for clip in range(3):
        i, j = np.flatnonzero(a.clips == clip), np.flatnonzero(b.clips == clip)
        table = span_iou(a.times[i][:, None], b.times[j][None])
        best = table[linear_sum_assignment(table, maximize=True)].sum()
        assert found.iou[a.clips[found.first] == clip].sum() == pytest.approx(best)
    assert (a.clips[found.first] == b.clips[found.second]).all()


def test_greed_would_be_wrong():
    # The best pair, .6, leaves nothing for the others; .5 and .5 make more.
    first, second = np.array([0, 0, 1]), np.array([0, 1, 0])
    assert assign(first, second, np.array([0.6, 0.5, 0.5])).tolist() == [1, 2]
    # By the Hungarian method too, where the best pairs of neither side fit together.
    first, second = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    assert assign(first, second, np.array([0.9, 0.8, 0.8, 0.1])).tolist() == [1, 2]


def test_other_weights_than_overlap():
    # p = [0, 2]; r1 = [0, 1.1] of another dimension, r2 = [1, 2] of the same one. Overlaps are .55
    # and .5; the bonus of .25 for the same dimension makes the second .625.
    found = overlapping(spans((0, 0, 2)), spans((0, 0, 1.1), (0, 1, 2)))
    assert found.iou == pytest.approx([0.55, 0.5])
    same = np.array([False, True])[found.second]
    for bonus, expected in ((0.25, [1]), (0.0, [0])):
        assert (
            assign(found.first, found.second, found.iou * (1 + bonus * same)).tolist() == expected
        )


def test_agreement_by_hand():
    # Clip 0: [0, 2] against [1, 3]: overlap 1/3, too little to count: F1 0. Clip 1: [0, 4] against
    # [0, 3], overlap .75, and one more of b: F1 = 2 / 3. Clip 2: only a: F1 0. Clip 3: nobody.
    a = spans((0, 0, 2), (1, 0, 4), (2, 0, 1))
    b = spans((0, 1, 3), (1, 0, 3), (1, 5, 6))
    found = span_agreement([a, b], 4)
    assert found.iou.value == pytest.approx((1 / 3 + 0.75) / 2)
    assert (found.f1.value, found.f1.n) == (pytest.approx(2 / 9), 3)
    assert (found.f1_all.value, found.f1_all.n) == (pytest.approx((2 / 3 + 1) / 4), 4)
    assert (found.spans, found.matched, found.clips) == ((3, 3), 2, 4)
    assert found.f1.why == "fewer than 5 clips: no interval"
    assert span_agreement([a, b], 4, threshold=0.3).f1.value == pytest.approx((1 + 2 / 3) / 3)


def test_three_raters_are_the_mean_of_their_pairs():
    a, b, c = spans((0, 0, 2), (1, 0, 4)), spans((0, 1, 3)), spans((0, 0, 2), (1, 0, 3))
    found = span_agreement([a, b, c], 2)
    # Clip 0: overlaps 1/3, 1, 1/3: mean 5/9. Clip 1: only a and c overlap, .75.
    assert found.iou.value == pytest.approx((5 / 9 + 0.75) / 2)
    # F1 of clip 0: 0, 1, 0; of clip 1: 0 (b has none), 1, 0.
    assert found.f1.value == pytest.approx(1 / 3)
    assert found.matched == 4


@relaxed
@given(marked, marked)
def test_agreement_is_symmetric_and_bounded(a, b):
    one, two = span_agreement([a, b], 6, resamples=50), span_agreement([b, a], 6, resamples=50)
    for name in ("iou", "f1", "f1_all"):
        found, other = getattr(one, name), getattr(two, name)
        assert (found.low is None) == (found.why is not None)
        if found.value is None:
            assert other.value is None
            continue
        assert other.value == pytest.approx(found.value)
        assert 0 <= found.value <= 1
        assert found.low is None or 0 <= found.low <= found.value <= found.high <= 1
    same = span_agreement([a, a], 6, resamples=50)
    assert same.f1_all.value == 1
    assert same.f1_all.method == "exact bound"


def test_nothing_marked():
    found = span_agreement([spans(), spans()], 6)
    assert (found.iou.value, found.iou.why) == (None, "no two spans overlap")
    assert (found.f1.value, found.f1.why) == (None, "nobody marked a span")
    # Six clips without an event, by both: p = 1 - .05^(1/6) = .39304 may hide one.
    assert (found.f1_all.value, found.f1_all.low) == (1.0, pytest.approx(1 - 0.39304, abs=1e-5))
    assert span_agreement([spans(), spans()], 0).f1_all.why == "no clip"


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: spans((0, 2, 1)), "does not end before"),
        (lambda: spans((0, 0, np.inf)), "finite"),
        (lambda: spans((-1, 0, 1)), "number of its clip"),
        (lambda: Spans(np.zeros((2, 2)), np.zeros(1, dtype=int)), "Each span"),
        (lambda: span_agreement([spans()], 3), "two raters"),
        (lambda: span_agreement([spans((3, 0, 1)), spans()], 3), "among the 3 clips"),
    ],
)
def test_bad_spans_are_refused(call, match):
    with pytest.raises(UsageError, match=match):
        call()
