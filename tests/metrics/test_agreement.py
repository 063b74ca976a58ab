"""The agreement of two judges: tau-b, swapped and tied pairs, and the distance of curves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.errors import UsageError
from assay.metrics.agreement import compare_orders, curve_distance, kendall_tau_b
from proof.order_coverage import CASES, coverage

few = st.integers(0, 4).map(float)
lists = st.integers(2, 9).flatmap(
    lambda n: st.tuples(*[st.lists(few, min_size=n, max_size=n).map(np.array)] * 2)
)
groups = st.dictionaries(
    st.sampled_from("abcdef"),
    st.lists(st.tuples(few, few), min_size=1, max_size=7),
    min_size=1,
    max_size=5,
)


def flat(**levels):
    """Five episodes of each policy, all at its level."""
    return {name: np.full(5, level) for name, level in levels.items()}


def judged(found):
    """The two judges' values of drawn groups, in 0..1."""
    pairs = {name: np.array(values) / 4 for name, values in found.items()}
    return tuple({name: both[:, judge] for name, both in pairs.items()} for judge in (0, 1))


def test_the_documented_example_of_scipy() -> None:
    # The example in the documentation of scipy.stats.kendalltau, with a tie in each list.
    tau = kendall_tau_b(np.array([12.0, 2, 1, 12, 2]), np.array([1.0, 4, 7, 1, 0]))
    assert tau == pytest.approx(-0.4714045207910316)


@given(lists)
def test_tau_is_that_of_scipy(pair) -> None:
    a, b = pair
    expected = stats.kendalltau(a, b).statistic if np.ptp(a) and np.ptp(b) else None
    assert kendall_tau_b(a, b) == (None if expected is None else pytest.approx(expected))


def test_two_orders_by_hand() -> None:
    # By the first a > b > c > d; by the second b > a > c = d. Of 6 pairs 1 is swapped, 1 tied by
    # the second alone, 4 agree: tau-b = (4 - 1) / sqrt(6 * 5) = .5477.
    found = compare_orders(flat(a=0.9, b=0.7, c=0.5, d=0.1), flat(a=0.6, b=0.8, c=0.3, d=0.3))
    assert found.tau == pytest.approx(3 / 30**0.5)
    assert (found.n, found.pairs) == (4, 6)
    assert [swap.policies for swap in found.swapped] == [("a", "b")]
    assert found.swapped[0].first == (0.9, 0.7)
    assert found.swapped[0].second == pytest.approx((0.6, 0.8))
    assert (found.tied, found.parted) == ((("c", "d"),), ())
    # Equal episodes give the same means however they are drawn. Yet five of them may hide others,
    # so that means .4 to .5 apart are hardly told apart: only b above d is settled by both judges,
    # and the other five pairs may be reversed.
    assert found.swapped[0].share == 1.0
    assert (found.low, found.high) == pytest.approx(((1 - 5) / 6, 1.0))
    assert found.method == "orders left open"


def test_an_interval_by_hand() -> None:
    # Values of m -+ .02, 5 each: their spread is .02 sqrt(5 / 4) = .02236, an error of a mean .01,
    # of a difference .01414. With 8 degrees of freedom and 1.25 % on each side t = 2.752, so that
    # .0389 is far. By the first a > b > c are .5 .4 .3: all settled. By the second b .42, c .40 are
    # not: tau is 1, or 1/3 if c is above b.
    spread = np.array([-0.02, -0.02, 0.0, 0.02, 0.02]) * math.sqrt(5 / 4)
    first = {name: mean + spread for name, mean in {"a": 0.5, "b": 0.4, "c": 0.3}.items()}
    second = {name: mean + spread for name, mean in {"a": 0.5, "b": 0.42, "c": 0.4}.items()}
    found = compare_orders(first, second)
    assert (found.tau, found.low, found.high) == (1.0, pytest.approx(1 / 3), 1.0)
    # .04 apart they are settled, for .04 > .0389, and at a stricter level they are not.
    second["c"] = 0.38 + spread
    assert compare_orders(first, second).low == 1.0
    assert compare_orders(first, second, level=0.99).low == pytest.approx(1 / 3)


def test_the_higher_policy_of_a_swap_stands_first() -> None:
    found = compare_orders(flat(a=0.1, b=0.7), flat(a=0.6, b=0.2))
    assert found.swapped[0].policies == ("b", "a")
    assert found.swapped[0].first == (0.7, 0.1)


def test_pairs_that_only_the_second_judge_tells_apart() -> None:
    found = compare_orders(flat(a=0.5, b=0.5, c=0.9), flat(a=0.1, b=0.2, c=0.9))
    assert (found.parted, found.tied, found.swapped) == ((("a", "b"),), (), ())


def test_a_judge_that_tells_nothing_apart_has_no_tau() -> None:
    found = compare_orders(
        flat(a=0.1, b=0.5, c=0.9), flat(a=1.0, b=1.0, c=1.0), judges=("truth", "clock")
    )
    assert (found.tau, found.low, found.high) == (None, None, None)
    assert found.why == "clock tells no two policies apart"
    assert len(found.tied) == found.pairs == 3


def test_means_that_differ_by_rounding_are_tied() -> None:
    values = {"a": np.full(3, 0.1), "b": np.full(10, 0.1), "c": np.full(7, 0.1)}
    assert np.ptp([np.mean(v) for v in values.values()]) > 0
    found = compare_orders(
        {n: np.linspace(0, i, len(v)) for i, (n, v) in enumerate(values.items())}, values
    )
    assert len(found.tied) == 3


def test_fewer_than_three_policies_have_no_tau_but_a_swap() -> None:
    found = compare_orders(flat(a=0.1, b=0.5), flat(a=0.5, b=0.1))
    assert (found.tau, found.why) == (None, "fewer than 3 policies")
    assert (len(found.swapped), found.swapped[0].share) == (1, 1.0)


def test_no_policy_at_all_is_no_fault() -> None:
    found = compare_orders({}, {})
    assert (found.n, found.pairs, found.tau, found.swapped) == (0, 0, None, ())


def test_fewer_than_five_episodes_have_no_interval() -> None:
    first = flat(a=0.1, b=0.5) | {"c": np.full(4, 0.9)}
    found = compare_orders(first, first)
    assert (found.tau, found.low, found.method) == (1.0, None, "")
    assert found.why == "a policy has fewer than 5 episodes: no interval"


def test_an_order_that_hangs_on_one_episode_is_left_open() -> None:
    # Without the one low episode all three would be tied: nothing is known of the second order.
    second = flat(a=1.0, b=1.0) | {"c": np.array([1.0, 1, 1, 1, 0.5])}
    found = compare_orders(flat(a=0.9, b=0.5, c=0.1), second)
    assert found.tau == pytest.approx(2 / 6**0.5)  # 2 of 3 pairs agree, 1 is tied
    assert (found.low, found.high) == (-1.0, 1.0)


def test_a_swap_by_a_hair_is_not_firm() -> None:
    # Both have the same spread, and means .001 apart: drawn again, they swap about half the time.
    rng = np.random.default_rng(1)
    noise = rng.uniform(-0.2, 0.2, 20)
    first = {"a": 0.5 + noise, "b": 0.499 + noise[::-1]}
    found = compare_orders(first, {"a": np.full(20, 0.1), "b": np.full(20, 0.9)})
    assert 0.3 < found.swapped[0].share < 0.7


def test_both_judges_keep_their_episodes_together() -> None:
    # The second judge is the first one's mirror image: whatever is drawn, every pair is swapped.
    rng = np.random.default_rng(0)
    first = {name: rng.random(8) for name in "abc"}
    found = compare_orders(first, {name: 1 - values for name, values in first.items()})
    assert found.tau == found.low == -1.0
    assert [swap.share for swap in found.swapped] == [1.0, 1.0, 1.0]


def test_a_full_reversal_is_held() -> None:
    # Where the percentile bootstrap fails: six policies, 10 episodes, errors of both judges going
    # together. 0.95 less three Monte-Carlo errors of 100 studies is 0.885.
    ours, usual, _ = coverage(CASES["six reversed"], 10, 100)
    assert ours > 0.885
    assert usual < 0.885


@given(groups)
def test_a_judge_agrees_with_itself(found) -> None:
    first, _ = judged(found)
    agreement = compare_orders(first, first, resamples=40)
    assert (agreement.swapped, agreement.tied, agreement.parted) == ((), (), ())
    assert agreement.tau in (1.0, None)


@given(groups)
def test_agreement_is_mutual_and_the_estimate_lies_inside(found) -> None:
    first, second = judged(found)
    one = compare_orders(first, second, resamples=60, seed=3)
    two = compare_orders(second, first, resamples=60, seed=3)
    assert (one.tau, one.low, one.high) == (two.tau, two.low, two.high)
    assert (one.tied, one.parted) == (two.parted, two.tied)
    assert [set(s.policies) for s in one.swapped] == [set(s.policies) for s in two.swapped]
    if one.low is not None:
        assert -1 <= one.low <= one.tau <= one.high <= 1


def test_the_same_seed_gives_the_same_interval() -> None:
    rng = np.random.default_rng(5)
    first, second = ({name: rng.random(9) for name in "abcd"} for _ in range(2))
    assert compare_orders(first, second, seed=1) == compare_orders(first, second, seed=1)


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ({"b": np.ones(5)}, "the same policies"),
        ({"a": np.ones(4)}, "they have 5 and 4"),
    ],
)
def test_judges_of_other_episodes_are_refused(second, said) -> None:
    with pytest.raises(UsageError, match=said):
        compare_orders({"a": np.ones(5)}, second)


def test_a_policy_without_an_episode_is_refused() -> None:
    with pytest.raises(UsageError, match="at least one"):
        compare_orders({"a": np.empty(0)}, {"a": np.empty(0)})


def test_the_distance_of_curves_on_one_clock() -> None:
    # |0 - .2|, |.5 - .5|, |1 - .6|: mean .2
    t = np.array([0.0, 1.0, 3.0])
    assert curve_distance(t, np.array([0, 0.5, 1]), t, np.array([0.2, 0.5, 0.6])) == (
        pytest.approx(0.2)
    )


def test_the_distance_is_taken_at_the_sparser_clock() -> None:
    # The dense curve is t/4 at 0..4; read at .5 and 2.5 it is .125 and .625. The third moment, 9 s,
    # lies outside. |.125 - .625| = .5 and |.625 - .625| = 0: mean .25.
    dense, sparse = np.arange(5.0), np.array([0.5, 2.5, 9.0])
    values = np.array([0.625, 0.625, 0.0])
    assert curve_distance(dense, dense / 4, sparse, values) == pytest.approx(0.25)
    assert curve_distance(sparse, values, dense, dense / 4) == pytest.approx(0.25)


@pytest.mark.parametrize("other", [np.array([5.0, 6.0]), np.empty(0)])
def test_curves_that_share_no_time_have_no_distance(other) -> None:
    assert curve_distance(np.arange(3.0), np.ones(3), other, np.ones(len(other))) is None


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.integers(1, 9))
def test_a_distance_lies_in_0_to_1_and_is_0_to_itself(values, count) -> None:
    a, b = np.array(values), np.linspace(0, 1, count)
    t, u = np.linspace(0, 2, len(a)), np.linspace(0, 2, count)
    assert curve_distance(t, a, t, a) == 0
    assert 0 <= curve_distance(t, a, u, b) <= 1
