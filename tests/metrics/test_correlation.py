"""Correlations, the line and the agreement of raters: by hand, as published, and for any data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from assay.errors import UsageError
from assay.metrics.correlation import associate, gain, jackknifed
from assay.metrics.raters import agree

tenths = st.integers(0, 10).map(lambda k: k / 10)
pairs = st.integers(3, 14).flatmap(
    lambda n: st.tuples(*[st.lists(tenths, min_size=n, max_size=n).map(np.array)] * 2)
)
figures = ("pearson", "spearman", "kendall", "slope", "intercept")


def by_hand(found):
    return {name: getattr(found, name).value for name in figures}


def test_five_points_by_hand():
    # x = 0 1 2 3 4, y = 1 0 2 4 3 (all / 10): means 2 and 2, sxx = 10, syy = 10, sxy = 8.
    # r = .8, slope .8, intercept 2 - .8 * 2 = .4 (/ 10). Ranks are the values: rho = .8. Of 10
    # pairs 2 are swapped: tau = (8 - 2) / 10 = .6.
    x, y = np.arange(5) / 10, np.array([1, 0, 2, 4, 3]) / 10
    expected = {"pearson": 0.8, "spearman": 0.8, "kendall": 0.6, "slope": 0.8, "intercept": 0.04}
    assert by_hand(associate(x, y)) == pytest.approx(expected)


def test_the_interval_of_a_slope_by_hand():
    # The values without each of five episodes are 1 2 3 4 5: their mean is 3, the squares sum to
    # 10: e = sqrt(4 / 5 * 10) = 2.828; t(4, .975) = 2.7764.
    found = jackknifed(3.0, np.array([1.0, 2, 3, 4, 5]))
    assert (found.low, found.high) == pytest.approx((3 - 7.8529, 3 + 7.8529), abs=1e-3)
    assert found.method == "jackknife by episode"
    # On z: artanh(.5) = .5493; the values without each are alike, so that there is no width.
    flat = jackknifed(0.5, np.full(6, 0.5), on_z=True)
    assert (flat.low, flat.high) == pytest.approx((0.5, 0.5))


@given(pairs)
def test_values_are_those_of_scipy(pair):
    x, y = pair
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    line = stats.linregress(x, y)
    expected = {
        "pearson": stats.pearsonr(x, y).statistic,
        "spearman": stats.spearmanr(x, y).statistic,
        "kendall": stats.kendalltau(x, y).statistic,
        "slope": line.slope,
        "intercept": line.intercept,
    }
    assert by_hand(associate(x, y)) == pytest.approx(expected, abs=1e-9)


@given(pairs, st.data())
def test_what_is_left_out_is_left_out(pair, data):
    # The quick sums without each episode are those of the remaining points.
    x, y = pair
    groups = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(x), max_size=len(x))))
    groups = np.unique(groups, return_inverse=True)[1]
    assume(np.ptp(x) > 0 and np.ptp(y) > 0 and groups.max() >= 2)
    from assay.metrics import correlation as inside

    slope, _ = inside._line(x, y, groups)
    found = {
        "pearson": inside._pearson(x, y, groups)[1],
        "kendall": inside._kendall(x, y, groups)[1],
        "slope": slope[1],
    }
    for group in range(groups.max() + 1):
        kept = groups != group
        if len(set(x[kept])) > 1 and len(set(y[kept])) > 1:
            left = associate(x[kept], y[kept])
            if left.n >= 3:
                for name, values in found.items():
                    assert values[group] == pytest.approx(getattr(left, name).value, abs=1e-9)


@given(pairs)
def test_intervals_hold_the_value_and_stay_in_range(pair):
    found = associate(*pair)
    for name in figures:
        figure = getattr(found, name)
        assert (figure.why is None) == (None not in (figure.value, figure.low, figure.high))
        if figure.low is not None:
            assert figure.low <= figure.value + 1e-12
            assert figure.value <= figure.high + 1e-12
            assert figure.n >= 5
    ends = [getattr(found, name) for name in figures[:3]]
    assert all(f.low >= -1 and f.high <= 1 for f in ends if f.low is not None)


@given(pairs, st.floats(0.1, 3), st.floats(-1, 1))
def test_correlations_do_not_know_the_scale(pair, factor, shift):
    x, y = pair
    for name in figures[:3]:
        one, two = getattr(associate(x, y), name), getattr(associate(x, factor * y + shift), name)
        assert two.value == (None if one.value is None else pytest.approx(one.value, abs=1e-6))


def test_points_of_one_episode_count_once():
    # Every point four times over is the same five points: the same value, the same interval.
    x, y = np.array([0, 1, 2, 3, 4]) / 4, np.array([1, 0, 2, 4, 3]) / 4
    once = associate(x, y)
    often = associate(np.repeat(x, 4), np.repeat(y, 4), np.repeat(np.arange(5), 4))
    assert (often.n, often.points) == (5, 20)
    for name in ("pearson", "slope"):
        one, four = getattr(once, name), getattr(often, name)
        assert (four.low, four.high) == pytest.approx((one.low, one.high))


@pytest.mark.parametrize(
    ("x", "y", "why"),
    [
        ([0, 1], [0, 1], "fewer than 3 episodes"),
        ([0.5] * 6, [0, 1, 2, 3, 4, 5], "people never changes"),
        ([0, 1, 2, 3, 4, 5], [0.5] * 6, "judge never changes"),
    ],
)
def test_nothing_is_said_of_too_little(x, y, why):
    found = associate(np.array(x, float), np.array(y, float), names=("people", "judge"))
    assert found.pearson.value is None
    assert found.pearson.why == why
    flat_judge = why.startswith("judge")
    assert (found.slope.value == 0.0) if flat_judge else (found.slope.why == why)


def test_why_there_is_no_interval():
    x = np.arange(6) / 6
    assert associate(x[:4], x[[1, 0, 3, 2]]).pearson.why.startswith("fewer than 5 episodes")
    assert associate(x, x).kendall.why == "no point is out of line: no interval"
    lone = np.array([0, 0, 0, 0, 0, 1.0])
    assert associate(lone, x).pearson.why == "undefined without one of the episodes"


def test_lists_that_do_not_fit_are_refused():
    with pytest.raises(UsageError, match="one length"):
        associate(np.zeros(3), np.zeros(4))
    with pytest.raises(UsageError, match="finite"):
        associate(np.zeros(3), np.array([0, math.nan, 1]))


def test_the_gain_over_a_null_judge():
    x, y = np.arange(6) / 5, np.array([0, 2, 1, 3, 5, 4]) / 5
    null = np.array([0, 1, 0, 1, 0, 1.0])
    found = gain(x, y, null)
    apart = associate(x, y).pearson.value - associate(x, null).pearson.value
    assert found.value == pytest.approx(apart)
    assert found.low < found.value < found.high
    assert gain(x, y, y).value == 0.0
    assert gain(x, y, -null).value == associate(x, y).pearson.value  # it goes against people
    assert gain(x, y, np.zeros(6)).why == "the null judge never changes"


# Table 2 of Shrout and Fleiss (1979): six targets, four judges; ICC(1,1) = .17, ICC(1,4) = .44.
SHROUT = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
)


def rated(table):
    things, raters = np.indices(table.shape)
    return table.ravel() / 10, things.ravel(), raters.ravel()


def test_the_published_example_of_raters():
    found = agree(*rated(SHROUT))
    assert round(found.single.value, 2) == 0.17
    assert round(found.mean, 2) == 0.44
    assert found.ceiling == pytest.approx(found.mean**0.5)
    assert (found.per_thing, found.pairs) == (4, 6)
    expected = np.corrcoef(SHROUT.T)[np.triu_indices(4, 1)].mean()
    assert found.pairwise == pytest.approx(expected)

    # B / W is Fisher's F = 11.24 / 6.26, and the interval is made on z = ln(F) / 2: each target
    # left out in turn, Student's quantile with 5 degrees of freedom 2.571.
    def z(table):
        return np.log(stats.f_oneway(*table).statistic) / 2

    without = np.array([z(np.delete(SHROUT, place, axis=0)) for place in range(6)])
    error = np.sqrt(5 / 6 * np.sum((without - without.mean()) ** 2))
    ratios = np.exp(2 * (z(SHROUT) + np.array([-1, 1]) * stats.t.ppf(0.975, 5) * error))
    ends = (ratios - 1) / (ratios + 3)
    assert (found.single.low, found.single.high) == pytest.approx(tuple(ends))
    assert found.single.method == "jackknife by episode, Fisher's z"


def test_raters_who_agree_and_raters_who_do_not():
    same = np.repeat(np.arange(6)[:, None], 3, axis=1)
    one = agree(*rated(same)).single
    assert (one.value, one.low) == (pytest.approx(1.0), None)
    assert one.why == "no score is out of line: no interval"
    # Two who say the opposite: all means are alike, so that B = 0 and ICC = -W / W = -1.
    found = agree(*rated(np.array([[0, 10], [10, 0], [0, 10]])))
    assert found.single.value == pytest.approx(-1.0)
    assert (found.mean, found.ceiling) == (None, None)


def test_one_score_each_tells_nothing_of_raters():
    assert agree(np.array([0.1, 0.9]), np.array([0, 1]), np.array([0, 0])) is None
    twice = agree(np.array([0.1, 0.9, 0.5]), np.array([0, 0, 1]), np.array([0, 1, 0]))
    assert twice.single.why == "fewer than 2 things scored twice"
    assert (twice.mean, twice.ceiling, twice.pairwise) == (None, None, None)
