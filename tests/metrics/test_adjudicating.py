"""Two annotators' events as one list: published values, values by hand, and what always holds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.glitches.adjudicating import adjudicate
from assay.metrics.glitches.matching import Marked
from assay.metrics.overlap import Spans

MARKS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.integers(0, 30),
        st.integers(0, 20),
        st.integers(0, 1),
        st.integers(1, 5),
    ),
    max_size=6,
)


def marked(*events):
    """Return events given as (clip, start, end, type, severity)."""
    table = np.array(events, dtype=np.float64).reshape(-1, 5)
    numbers = table[:, 3].astype(np.int64)
    spans = Spans(table[:, 1:3], table[:, 0].astype(np.int64))
    return Marked(spans, numbers, numbers, table[:, 4])


def rows(found):
    """Return (first, second, start, end, severity) of each event; None has to be rated again."""
    severities = [None if np.isnan(s) else s for s in found.severities.tolist()]
    parts = (found.first.tolist(), found.second.tolist(), found.times.tolist(), severities)
    return [(a, b, *times, s) for a, b, times, s in zip(*parts, strict=True)]


@pytest.mark.parametrize(
    ("end", "wanted"),
    [
        # GOLDEN: 0..6 s and 0..10 s overlap by 0.6 and are one event; 0..5.9 s is another one.
        (6.0, [(0, 0, 0.0, 10.0, 3.0)]),
        (5.9, [(0, -1, 0.0, 5.9, 3.0), (-1, 0, 0.0, 10.0, 3.0)]),
    ],
)
def test_an_overlap_of_six_tenths_merges_and_a_hundredth_less_does_not(end, wanted):
    assert rows(adjudicate(marked((0, 0, end, 0, 3)), marked((0, 0, 10, 0, 3)))) == wanted


@pytest.mark.parametrize(
    ("severities", "wanted"),
    # GOLDEN: 2 and 3 are averaged, 2 and 4 rated again.
    [((2, 3), 2.5), ((3, 2), 2.5), ((2, 2), 2.0), ((2, 4), None), ((5, 1), None)],
)
def test_severities_within_one_are_averaged_and_others_rated_again(severities, wanted):
    a, b = (marked((0, 1, 2, 0, severity)) for severity in severities)
    found = adjudicate(a, b)
    assert rows(found) == [(0, 0, 1.0, 2.0, wanted)]
    assert found.open.tolist() == [wanted is None]
    assert found.merged.tolist() == [True]


def test_decimals_do_not_decide_at_the_border():
    # Spans in steps of 0.1 s, six tenths of 0.1..1.1 and of 2.3..3.3 and so on.
    for k in range(60):
        start = round(0.1 * k, 1)
        short, long = (marked((0, start, round(start + w, 1), 0, 3)) for w in (0.6, 1.0))
        assert len(rows(adjudicate(short, long))) == 1, start


def test_only_marks_of_one_type_and_clip_merge_and_each_once():
    first = marked((0, 0, 2, 0, 3), (0, 4, 6, 1, 2), (1, 0, 2, 0, 3))
    second = marked((0, 4, 6, 0, 5), (0, 0, 2, 0, 3), (0, 0.2, 2, 0, 3))
    # 0..2 fits the second's 0..2 best; types and clips do not mix.
    assert rows(adjudicate(first, second)) == [
        (0, 1, 0.0, 2.0, 3.0),
        (-1, 2, 0.2, 2.0, 3.0),
        (1, -1, 4.0, 6.0, 2.0),
        (-1, 0, 4.0, 6.0, 5.0),
        (2, -1, 0.0, 2.0, 3.0),
    ]


def test_nothing_and_nothing_is_nothing():
    assert rows(adjudicate(marked(), marked())) == []


def events_of(drawn):
    return marked(*((clip, a / 10, (a + w) / 10, kind, s) for clip, a, w, kind, s in drawn))


@given(MARKS, MARKS)
def test_every_mark_is_in_one_event_and_the_order_of_annotators_does_not_matter(one, other):
    a, b = events_of(one), events_of(other)
    found, turned = adjudicate(a, b), adjudicate(b, a)
    assert sorted(k for k in found.first.tolist() if k >= 0) == list(range(len(a)))
    assert sorted(k for k in found.second.tolist() if k >= 0) == list(range(len(b)))
    assert (found.times[:, 0] <= found.times[:, 1]).all()
    assert int(found.merged.sum()) == int(turned.merged.sum())
    known = found.severities[~found.open]
    assert ((known >= 1) & (known <= 5)).all()
    same = adjudicate(a, a)
    assert not same.open.any()
    assert same.merged.all()
