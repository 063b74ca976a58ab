"""Spans in whole frames: values by hand, a slow reference of sets of frames, and properties."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.metrics.glitches.frames import in_frames
from assay.metrics.overlap import Spans, span_iou

TENTHS = st.integers(0, 200).map(lambda k: k / 10)  # as annotators set them
SPANS = st.tuples(TENTHS, TENTHS).map(sorted)
RATES = st.sampled_from([1.0, 2.5, 4.0, 5.0, 8.0, 10.0, 29.97, 30.0])


def frames(*spans, fps):
    made = Spans(np.array(spans, dtype=np.float64), np.zeros(len(spans), dtype=np.int64))
    return in_frames(made, fps).times.tolist()


@pytest.mark.parametrize(
    ("span", "fps", "wanted"),
    [
        # Frames 4..9 of 4 a second last from 1.0 to 2.5 s: 2.4 s is 9.6 frames, next to 10.
        ((1.0, 2.4), 4, [4, 10]),
        ((1.2, 2.4), 4, [5, 10]),  # 4.8 is next to 5
        # Half up: 4.1 s at 5 a second is 20.5 frames, though 4.1 is no sum of powers of two.
        ((4.1, 4.3), 5, [21, 22]),
        ((0.1, 0.3), 5, [1, 2]),
        ((1.3, 2.9), 10, [13, 29]),  # ends on borders stay
        # No middle is held; 1.85 frames from the start it is frame 1, though both ends go to 2.
        ((0.4, 0.525), 4, [1, 2]),
        ((2.0, 2.0), 4, [8, 9]),  # a moment is the frame that begins with it
        ((0.0, 0.0), 30, [0, 1]),
    ],
)
def test_frames_by_hand(span, fps, wanted):
    assert frames(span, fps=fps) == [wanted]


def test_the_overlap_of_two_spans_in_frames_by_hand():
    # Frames 4..9 and 5..9 at 4 a second: 5/6. In seconds it is 1.2/1.4 = 6/7.
    said, true = frames((1.2, 2.4), (1.0, 2.4), fps=4)
    assert span_iou(np.array(said), np.array(true)) == pytest.approx(5 / 6)


def held(span, fps):
    """Return the set of frames of a span, looking at each: those whose middle it holds."""
    start, end = (round(t * fps, 6) for t in span)
    found = {k for k in range(1000) if start < k + 0.5 <= end}
    return found or {int(round(sum(span) / 2 * fps, 6))}


@given(SPANS, SPANS, RATES)
def test_equal_to_the_sets_of_frames(a, b, fps):
    one, other = (held(span, fps) for span in (a, b))
    first, second = (np.array(span) for span in frames(a, b, fps=fps))
    assert span_iou(first, second) == len(one & other) / len(one | other)


@given(SPANS, SPANS, RATES)
def test_the_order_of_spans_does_not_matter_and_each_covers_a_frame(a, b, fps):
    both = frames(a, b, fps=fps)
    assert frames(b, a, fps=fps) == both[::-1]
    assert all(end - start >= 1 for start, end in both)
    assert all(value == int(value) for span in both for value in span)


@given(
    st.floats(0, 20),
    st.floats(0.2, 5),
    st.floats(0, 20),
    st.floats(0.2, 5),
    st.sampled_from([50.0, 500.0, 5000.0]),
)
def test_with_many_frames_a_second_it_is_the_overlap_in_seconds(s, length, t, other, fps):
    # No end moves by more than half a frame, so what both share, and what either has, changes by
    # at most a frame; with d of that and a union u of 0.2 s or more, the quotient by 2 d / (u - d).
    spans = np.array([[s, s + length], [t, t + other]])
    exact = span_iou(*spans)
    counted = span_iou(*np.array(frames(*spans, fps=fps)))
    assert abs(counted - exact) <= 2 / fps / (0.2 - 1 / fps)


@given(TENTHS, TENTHS, TENTHS, RATES)
def test_spans_of_a_frame_or_more_that_only_touch_share_none(a, b, c, fps):
    start, border, end = sorted((a, b, c))
    assume(min(border - start, end - border) * fps >= 1)
    first, second = frames((start, border), (border, end), fps=fps)
    assert first[1] == second[0]


@pytest.mark.parametrize("fps", [0.0, -4.0, float("nan"), float("inf"), 10_001.0])
def test_other_rates_are_refused(fps):
    with pytest.raises(UsageError, match="Frames a second are above 0"):
        frames((0, 1), fps=fps)
