"""Cohen's and Fleiss' kappa."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.metrics.kappa import cohen_kappa, cohen_number, fleiss_kappa, weight_table
from proof.agreement_coverage import cohen, coverage
from slopes import by_small_steps

relaxed = settings(deadline=None, max_examples=40)
labels = st.integers(5, 25).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 3), min_size=n, max_size=n).map(np.array)] * 2)
)
tables = st.tuples(st.integers(5, 15), st.integers(2, 5), st.integers(0, 99)).map(
    lambda drawn: np.random.default_rng(drawn[2]).multinomial(drawn[1], [0.5, 0.3, 0.2], drawn[0])
)

# Table 1 of Cohen (1960): shares of 200 patients, by two clinicians.
COHEN = np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
# Weights of disagreement of Cohen (1968) for the same patients.
COHEN_WEIGHTS = np.array([[0.0, 1, 3], [1, 0, 6], [3, 6, 0]])
# Table 1 of Fleiss (1971): six diagnoses of each of 30 patients, five categories.
FLEISS = np.array(
    [
        *([0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6], [0, 3, 0, 3, 0]),
        *([2, 0, 4, 0, 0], [0, 0, 4, 0, 2], [2, 0, 3, 1, 0], [2, 0, 0, 4, 0], [0, 0, 0, 0, 6]),
        *([1, 0, 0, 5, 0], [1, 1, 0, 4, 0], [0, 3, 3, 0, 0], [1, 0, 0, 5, 0], [0, 2, 0, 3, 1]),
        *([0, 0, 5, 0, 1], [3, 0, 0, 1, 2], [5, 1, 0, 0, 0], [0, 2, 0, 4, 0], [1, 0, 2, 0, 3]),
        *([0, 0, 0, 0, 6], [0, 1, 0, 5, 0], [0, 2, 0, 1, 3], [2, 0, 0, 4, 0], [1, 0, 0, 4, 1]),
        *([0, 5, 0, 1, 0], [4, 0, 0, 0, 2], [0, 2, 0, 4, 0], [1, 0, 5, 0, 0], [0, 0, 0, 0, 6]),
    ]
)


def spelt_out(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the two ratings of each item that a table of counts stands for."""
    a, b = np.indices(table.shape)
    return np.repeat(a.ravel(), table.ravel()), np.repeat(b.ravel(), table.ravel())


def test_cohen_by_hand():
    # Ten items: 4 yes-yes, 3 no-no, 2 yes-no, 1 no-yes. Agreed .7; chance .6 * .5 + .4 * .5 = .5;
    # kappa = (.7 - .5) / (1 - .5) = .4.
    found = cohen_kappa(*spelt_out(np.array([[3, 1], [2, 4]])))
    assert found.value == pytest.approx(0.4)
    assert (found.n, found.method, found.why) == (10, "bootstrap-t", None)


def test_weights_by_hand():
    # Three items, rated 0-1, 1-1, 2-0. Linear: observed (1 + 0 + 2) / 3 = 1. Expected: each of
    # 0, 1, 2 against each of 1, 1, 0: (1+1+0 + 0+0+1 + 1+1+2) / 9 = 7/9. kappa = 1 - 9/7.
    a, b = np.array([0, 1, 2]), np.array([1, 1, 0])
    assert cohen_kappa(a, b, weights="linear").value == pytest.approx(1 - 9 / 7)
    # Quadratic: (1 + 0 + 4) / 3 against (1+1+0 + 0+0+1 + 1+1+4) / 9: kappa = 1 - 15/9.
    assert cohen_kappa(a, b, weights="quadratic").value == pytest.approx(1 - 15 / 9)


def test_published_examples_of_cohen():
    a, b = spelt_out(COHEN)
    assert round(cohen_kappa(a, b).value, 3) == 0.492
    assert round(cohen_kappa(a, b, weights=COHEN_WEIGHTS).value, 3) == 0.348


def test_the_error_of_cohen_is_that_of_large_samples():
    # Fleiss, Cohen and Everitt (1969): var = [A + B - C] / (n (1 - pe)^2), here by their formula.
    share = COHEN / 200
    rows, columns, value = share.sum(1), share.sum(0), 0.4915254
    chance = float(rows @ columns)
    a = np.sum(np.diag(share) * (1 - (rows + columns) * (1 - value)) ** 2)
    off = share * (columns[:, None] + rows) ** 2
    b = (1 - value) ** 2 * (off.sum() - np.trace(off))
    c = (value - chance * (1 - value)) ** 2
    error = math.sqrt((a + b - c) / (200 * (1 - chance) ** 2))
    found = cohen_kappa(*spelt_out(COHEN), resamples=4000)
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.05)


def test_fleiss_by_hand():
    # Three raters. Items 3-0, 2-1, 0-3: pairs that agree 1, 2/6, 1: P = 7/9. Shares 5/9 and 4/9:
    # Q = 41/81. kappa = (63 - 41) / (81 - 41) = .55.
    assert fleiss_kappa(np.array([[3, 0], [2, 1], [0, 3]])).value == pytest.approx(0.55)


def test_published_example_of_fleiss():
    found = fleiss_kappa(FLEISS)
    assert round(found.value, 3) == 0.430
    assert found.low < 0.38
    assert found.high > 0.48


@relaxed
@given(labels)
def test_kappa_is_bounded_symmetric_and_blind_to_names(pair):
    a, b = pair
    found = cohen_kappa(a, b, resamples=200)
    other = cohen_kappa(b, a, resamples=200)
    renamed = cohen_kappa(3 - a, 3 - b, resamples=200)
    if found.value is None:
        assert found.why == "all ratings are alike: there is nothing to agree on"
        return
    assert -1 <= found.value <= 1
    assert other.value == pytest.approx(found.value)
    assert renamed.value == pytest.approx(found.value)
    assert (found.low is None) == (found.why is not None)
    if found.low is not None:
        assert -1 <= found.low <= found.value <= found.high <= 1
        assert (other.low, other.high) == pytest.approx((found.low, found.high))
        assert cohen_kappa(a, b, resamples=200) == found


@relaxed
@given(labels)
def test_with_two_categories_all_weights_are_alike(pair):
    a, b = (labels % 2 for labels in pair)
    found = [cohen_kappa(a, b, weights=w).value for w in ("equal", "linear", "quadratic")]
    assert found[1:] == ([None] * 2 if found[0] is None else pytest.approx([found[0]] * 2))


@relaxed
@given(tables)
def test_fleiss_does_not_know_the_order_of_items_and_categories(counts):
    found = fleiss_kappa(counts, resamples=50).value
    turned = fleiss_kappa(counts[::-1, ::-1], resamples=50).value
    assert turned == (None if found is None else pytest.approx(found))
    assert found is None or -1 <= found <= 1


@relaxed
@given(labels, st.sampled_from(["equal", "linear", "quadratic"]))
def test_slopes_are_those_of_small_steps(pair, weights):
    a, b = pair
    table = weight_table(weights, 4)
    own = np.eye(4)
    sums = np.concatenate([table[a, b][:, None], own[a], own[b]], axis=1).sum(axis=0)
    number = cohen_number(table)
    assume(own[a].sum(0) @ table @ own[b].sum(0) > 0.5)
    assert number(sums)[1] == by_small_steps(number, sums)


def test_items_of_one_episode_are_drawn_together():
    # Every item four times over is the same items: the same value, the same interval.
    a, b = spelt_out(np.array([[6, 2], [1, 5]]))
    once = cohen_kappa(a, b)
    often = cohen_kappa(np.repeat(a, 4), np.repeat(b, 4), episodes=np.repeat(np.arange(14), 4))
    assert often.n == 14
    assert (often.value, often.low, often.high) == pytest.approx((once.value, once.low, once.high))
    apart = cohen_kappa(np.repeat(a, 4), np.repeat(b, 4))
    assert apart.high - apart.low < 0.7 * (often.high - often.low)
    counts = np.repeat(FLEISS, 2, axis=0)
    together = fleiss_kappa(counts, episodes=np.repeat(np.arange(30), 2))
    assert (together.low, together.high) == pytest.approx(
        (fleiss_kappa(FLEISS).low, fleiss_kappa(FLEISS).high)
    )


def test_full_agreement_gets_a_bound():
    # n = 20, ten yes and ten no, all agreed: p = 1 - .05^(1/20) = .13911 may be disagreed on and
    # expected disagreement is .5: 1 - .13911 / .5 = .72178.
    a = np.repeat([0, 1], 10)
    found = cohen_kappa(a, a)
    assert (found.value, found.high, found.method) == (1.0, 1.0, "bound")
    assert found.low == pytest.approx(0.72178, abs=1e-5)
    counts = np.array([[3, 0]] * 10 + [[0, 3]] * 10)
    assert fleiss_kappa(counts).low == pytest.approx(0.72178, abs=1e-5)


def test_why_there_is_no_number_or_no_interval():
    same = np.zeros(8, dtype=int)
    assert cohen_kappa(same, same).why.startswith("all ratings are alike")
    assert cohen_kappa(same[:0], same[:0]).why == "no item was rated twice"
    few = cohen_kappa(np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]))
    assert (few.value, few.why) == (pytest.approx(0.5), "fewer than 5 items: no interval")
    agreed = cohen_kappa(np.array([0, 1]), np.array([0, 1]))
    assert (agreed.value, agreed.low, agreed.why) == (1.0, None, few.why)
    # A rater who always says the same agrees by habit alone: 0, whatever is drawn.
    flat = cohen_kappa(same, np.array([0, 1] * 4))
    assert (flat.value, flat.low) == (0.0, None)
    assert flat.why == "no item moves the number: no interval"
    # One item of ten has the only 1: a resample leaves it out with probability .35.
    rare = cohen_kappa(np.eye(10, dtype=int)[0], np.eye(10, dtype=int)[0] * 0)
    assert rare.low is None
    one = np.eye(10, dtype=int)
    seldom = cohen_kappa(one[0], one[0] + one[1])
    assert seldom.why == "too often undefined when items are drawn again: no interval"


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: cohen_kappa(np.array([0, 1]), np.array([0])), "the same items"),
        (lambda: cohen_kappa(np.array([0.5, 1]), np.array([0, 1])), "whole numbers"),
        (lambda: cohen_kappa(np.array([-1, 1]), np.array([0, 1])), "whole numbers"),
        (lambda: cohen_kappa(np.array([0, 2]), np.array([0, 1]), weights="cubic"), "not 'cubic'"),
        (lambda: cohen_kappa(np.array([2]), np.array([0]), weights=np.eye(2)), "3 categories"),
        (lambda: cohen_kappa(np.array([1]), np.array([0]), weights=np.eye(2)), "2 categories"),
        (lambda: cohen_kappa(np.arange(3), np.arange(3), episodes=np.arange(2)), "its episode"),
        (lambda: fleiss_kappa(np.array([[2, 1], [1, 1]])), "same number of raters"),
        (lambda: fleiss_kappa(np.array([[1, 0], [0, 1]])), "2 or more"),
        (lambda: fleiss_kappa(np.array([3, 0])), "table of counts"),
    ],
)
def test_bad_ratings_are_refused(call, match):
    with pytest.raises(UsageError, match=match):
        call()


def test_coverage_of_cohen():
    # 0.95 less three Monte-Carlo errors of 200 studies (0.0154); never all, or it would be useless.
    held, none, width = coverage(cohen(0.3, 0.4), 50, 200, resamples=500)["cohen"]
    assert held > 0.904
    assert (none, width) == (0.0, pytest.approx(0.6, abs=0.1))
