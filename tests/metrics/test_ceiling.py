"""How well one rater predicts the others, by scores and by labels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.metrics import ceiling as module
from assay.metrics.ceiling import label_ceiling, score_ceiling
from assay.metrics.kappa import cohen_kappa
from slopes import by_small_steps

relaxed = settings(deadline=None, max_examples=40)
NO = math.nan
tables = st.tuples(st.integers(5, 15), st.integers(2, 4), st.integers(0, 999)).map(
    lambda drawn: np.random.default_rng(drawn[2]).integers(0, 11, drawn[:2]) / 10
)

# Table 2 of Shrout and Fleiss (1979): six targets, four judges.
SHROUT = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7.0]]
)


def test_published_scores():
    # What a table of reliability prints as "corrected item-total correlation", one a judge.
    expected = [
        np.corrcoef(SHROUT[:, k], np.delete(SHROUT, k, axis=1).mean(axis=1))[0, 1] for k in range(4)
    ]
    found = score_ceiling(SHROUT)
    assert [figure.value for figure in found.raters] == pytest.approx(expected)
    assert found.mean.value == pytest.approx(np.mean(expected))
    assert (found.mean.n, found.left_out, found.mean.method) == (6, (), "bootstrap-t")
    assert found.mean.low < found.mean.value < found.mean.high


def test_scores_by_hand():
    # Rater 0: 0 1 2 3 4; rater 1: 1 0 2 4 3. r = .8, see the test of correlations; with two
    # raters each has the other one for the others.
    table = np.array([[0, 1], [1, 0], [2, 2], [3, 4], [4, 3.0]])
    found = score_ceiling(table)
    assert [figure.value for figure in found.raters] == pytest.approx([0.8, 0.8])
    assert found.mean.value == pytest.approx(0.8)


def test_scores_that_are_missing():
    # Rater 2 scored items 0 to 3; the last item of rater 0 stands against rater 1 alone.
    table = np.array([[0, 1, 2], [1, 2, 0], [3, 1, 5], [2, 2, 2], [5, 4, NO]])
    others = np.array([1.5, 1, 3, 2, 4])
    found = score_ceiling(table)
    assert found.raters[0].value == pytest.approx(np.corrcoef(table[:, 0], others)[0, 1])
    assert [figure.n for figure in found.raters] == [5, 5, 4]
    assert found.raters[2].why == "fewer than 5 items: no interval"


def test_raters_without_a_figure_are_left_out_and_named():
    table = np.concatenate([SHROUT, np.full((6, 1), 5.0), np.full((6, 1), NO)], axis=1)
    found = score_ceiling(table)
    assert found.left_out == (4, 5)
    assert found.raters[4].why == "gives all items the same score"
    assert found.raters[5].why == "fewer than 3 items shared with others"
    assert found.mean.value is not None
    flat = score_ceiling(np.stack([np.arange(6.0), np.ones(6)], axis=1))
    assert flat.raters[0].why == "the others give all items the same score"
    assert (flat.mean.value, flat.mean.why) == (None, "no rater has a figure")


def test_full_agreement_of_scores_has_no_interval():
    found = score_ceiling(np.arange(8.0)[:, None] * np.ones(3))
    assert found.mean.value == pytest.approx(1)
    assert found.mean.why == "no item moves the number: no interval"


def test_labels_by_hand():
    # Rater 0 against rater 1 and 2, who say the same: kappa as of two. Ten items: 4 yes-yes, 3
    # no-no, 2 yes-no, 1 no-yes: .4.
    a = np.array([1] * 4 + [0] * 3 + [1] * 2 + [0])
    b = np.array([1] * 4 + [0] * 3 + [0] * 2 + [1])
    found = label_ceiling(np.stack([a, b, b], axis=1))
    assert found.raters[0].value == pytest.approx(0.4)
    # The others of rater 1 are a and b: where they differ the item counts half for each. Half of
    # three items is disagreed on: observed .15; b says yes to 5 of 10, the others to 5.5:
    # chance of disagreement .5 * .45 + .5 * .55 = .5: 1 - .15 / .5 = .7.
    assert found.raters[1].value == pytest.approx(0.7)
    assert found.mean.value == pytest.approx((0.4 + 0.7 + 0.7) / 3)


def test_labels_that_are_missing():
    table = np.array([[0, 0, -1], [1, 1, 1], [0, 1, 1], [-1, 1, 0], [2, 2, 2], [1, 1, -1]])
    found = label_ceiling(table)
    # Where raters 0 and 1 both rated and 2 did not, 1 alone is the others.
    others = np.array([0, 1, 1, 2, 1])
    assert found.raters[0].value == pytest.approx(
        cohen_kappa(table[[0, 1, 2, 4, 5], 0], others).value
    )
    assert [figure.n for figure in found.raters] == [5, 6, 4]
    alike = label_ceiling(np.array([[1, 1, -1]] * 6))
    assert alike.left_out == (0, 1, 2)
    assert alike.raters[0].why.startswith("all ratings are alike")
    assert alike.raters[2].why == "shares no item"


@relaxed
@given(tables, st.floats(0.5, 20), st.floats(-9, 9))
def test_ceilings_are_bounded_and_blind_to_the_unit(table, factor, shift):
    found, moved = (score_ceiling(each, resamples=50) for each in (table, factor * table + shift))
    assert moved.left_out == found.left_out
    labels = label_ceiling((table * 3).astype(int), resamples=50)
    turned = label_ceiling((table * 3).astype(int)[:, ::-1], resamples=50)
    assert [f.value for f in turned.raters] == pytest.approx(
        [f.value for f in labels.raters][::-1], nan_ok=True
    )
    for one in (found.mean, *found.raters, labels.mean, *labels.raters):
        assert (one.low is None) == (one.why is not None)
        if one.value is not None:
            assert -1 <= one.value <= 1
        if one.low is not None:
            assert -1 <= one.low <= one.value <= one.high <= 1
    if found.mean.value is not None:
        assert moved.mean.value == pytest.approx(found.mean.value, abs=1e-9)


@relaxed
@given(tables)
def test_slopes_are_those_of_small_steps(table):
    x, y = table[:, 0], table[:, 1]
    assume(np.ptp(x) and np.ptp(y))
    sums = np.stack((np.ones_like(x), x, y, x * x, y * y, x * y)).sum(axis=1)
    assert module._correlation(sums)[1] == by_small_steps(module._correlation, sums)


def test_items_of_one_episode_are_drawn_together():
    table = np.repeat(np.random.default_rng(0).random((8, 1)), 3, axis=1)
    table += 0.2 * np.random.default_rng(1).random((8, 3))
    once, often = (
        score_ceiling(table),
        score_ceiling(np.repeat(table, 3, axis=0), episodes=np.repeat(np.arange(8), 3)),
    )
    assert often.mean.n == 8
    assert (often.mean.low, often.mean.high) == pytest.approx((once.mean.low, once.mean.high))
    labels = (table > 0.5).astype(int)
    again = label_ceiling(np.repeat(labels, 3, axis=0), episodes=np.repeat(np.arange(8), 3))
    assert again.mean.low == label_ceiling(labels).mean.low


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: score_ceiling(np.zeros((5, 1))), "at least two raters"),
        (lambda: score_ceiling(np.zeros(5)), "a table"),
        (lambda: score_ceiling(np.array([[0, math.inf]])), "finite"),
        (lambda: label_ceiling(np.zeros((5, 2))), "whole numbers"),
        (lambda: label_ceiling(np.full((5, 2), -2)), "whole numbers"),
    ],
)
def test_bad_tables_are_refused(call, match):
    with pytest.raises(UsageError, match=match):
        call()
