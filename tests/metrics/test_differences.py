"""Differences of dense metrics: value, interval, test, effect size, probability of improvement."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.metrics.differences import DifferenceSettings, paired_difference, unpaired_difference
from proof.difference_coverage import Rivals, compare, measured, truth_of

relaxed = settings(deadline=None, max_examples=25)
scores = st.floats(0, 1).map(lambda x: round(x, 4))
pairs = st.lists(st.tuples(scores, scores), min_size=5, max_size=12).map(
    lambda rows: tuple(np.array(rows).T)
)
QUICK = DifferenceSettings(resamples=200, permutations=199)
OPEN = DifferenceSettings(bounds=(-math.inf, math.inf))

# Heights of crossed less self-fertilised maize plants that grew in the same pot [1/8 inch].
MAIZE = np.array([49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48.0])
# Pain after surgery, with an active treatment and with a placebo.
ACTIVE = np.array([1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 1, 1.0])
PLACEBO = np.array([3, 3, 4, 3, 1, 2, 3, 1, 1, 5, 4.0])


def test_three_pairs_by_hand() -> None:
    # Of the 8 ways to give signs to (.1, .2, .3) only +++ and --- add up to .6 or more.
    found = paired_difference(np.array([0.2, 0.5, 0.9]), np.array([0.1, 0.3, 0.6]))
    assert found.value == pytest.approx(0.2)
    assert (found.p, found.test, found.n) == (0.25, "exact sign flips", 3)
    assert (found.low, found.high, found.method) == (None, None, "")
    assert found.why == "fewer than 5 units: no interval"


def test_fishers_maize() -> None:
    # Fisher (1935), "The Design of Experiments", section 21: 1,726 of the 32,768 sums lie at least
    # as far from 0 as 314, 5.267 %. Section 17: t = 2.148, so that Student's interval is
    # 20.933 -+ 2.145 * 20.933 / 2.148 = 0.03 .. 41.84; ours may only be longer.
    found = paired_difference(MAIZE, np.zeros(15), settings=OPEN)
    assert found.value == pytest.approx(314 / 15)
    assert found.p == 1726 / 32768
    assert found.low < 0.04
    assert found.high == pytest.approx(41.84, abs=0.01)
    # t / sqrt(15) = 0.5546 standard deviations, times J = 1 - 3 / (4 * 14 - 1).
    assert found.effect.value == pytest.approx(2.148 / math.sqrt(15) * 52 / 55, abs=2e-4)
    assert found.improvement.value == pytest.approx(13 / 15)


def test_many_pairs_are_drawn_and_agree_with_the_count() -> None:
    twice = paired_difference(np.tile(MAIZE, 2), np.zeros(30), settings=OPEN)
    assert twice.test == "sign flips"
    # 30 pairs: t = 20.93 / (sd / sqrt(30)) = 3.09, two-sided 0.0044 by Student's distribution.
    assert twice.p == pytest.approx(0.0044, abs=0.003)


def test_clusters_flip_and_count_as_one() -> None:
    a = np.array([0.3, 0.4, 0.5, 0.6, 0.9, 0.8])
    alone = paired_difference(a, np.zeros(6))
    found = paired_difference(a, np.zeros(6), clusters=["x", "x", "y", "y", "z", "z"])
    assert (alone.p, alone.units) == (2 / 64, (6, 6))
    assert (found.p, found.units, found.value) == (2 / 8, (3, 3), alone.value)


def test_clusters_of_one_value_are_as_good_as_one_episode_each() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random(12), rng.random(12)
    single = paired_difference(a, b)
    doubled = paired_difference(
        np.repeat(a, 2), np.repeat(b, 2), clusters=np.repeat(np.arange(12), 2)
    )
    assert (doubled.low, doubled.high) == pytest.approx((single.low, single.high))
    assert doubled.p == pytest.approx(single.p)


def test_strata_count_the_same_or_by_size() -> None:
    # Task x: differences of .1 in 6 scenes; task y: .4 in 2. Equal: .25; by size: 1.4 / 8 = .175.
    a, b = np.repeat([0.5, 0.7], [6, 2]), np.repeat([0.4, 0.3], [6, 2])
    tasks = ["x"] * 6 + ["y"] * 2
    by_size = DifferenceSettings(weights="size")
    assert paired_difference(a, b, strata=tasks).value == pytest.approx(0.25)
    assert paired_difference(a, b, strata=tasks, settings=by_size).value == pytest.approx(0.175)


def test_equal_differences_get_the_exact_bound() -> None:
    # n = 20: p = 1 - .05^(1/20) = .13911 may differ unseen, down to -1 or up to 1.
    found = paired_difference(np.full(20, 0.5), np.full(20, 0.3))
    assert found.method == "exact bound"
    assert found.low == pytest.approx(0.2 - 1.2 * 0.13911, abs=1e-4)
    assert found.high == pytest.approx(0.2 + 0.8 * 0.13911, abs=1e-4)
    assert found.effect.why == "all values are equal: no spread to compare with"
    # Better in all 20: the share of pairs that are not may be .13911 too.
    assert (found.improvement.value, found.improvement.method) == (1.0, "exact bound")
    assert found.improvement.low == pytest.approx(1 - 0.13911, abs=1e-4)


def test_equal_differences_in_an_open_range_have_no_interval() -> None:
    found = paired_difference(np.full(9, 5.0), np.full(9, 3.0), settings=OPEN)
    assert (found.value, found.low, found.p) == (2.0, None, 2 / 2**9)
    assert found.why == "all values are equal in a range without ends: no interval"


def test_no_difference_anywhere_is_p_one() -> None:
    same = np.linspace(0, 1, 8)
    assert paired_difference(same, same).p == 1.0
    assert paired_difference(same, same).improvement.value == 0.5
    assert unpaired_difference(np.ones(8), np.ones(9)).p == 1.0


def test_two_against_two_by_hand() -> None:
    # Of the 6 ways to put 4 values into two arms of 2, the observed one and its mirror have the
    # largest |t|.
    found = unpaired_difference(np.array([0.8, 0.9]), np.array([0.1, 0.25]))
    assert (found.p, found.test) == (2 / 6, "exact permutation")
    assert found.value == pytest.approx(0.675)
    assert found.improvement.value == 1.0


def test_swapping_within_strata_by_hand() -> None:
    # Two tasks of 2 against 2: 36 arrangements, of which the observed and the mirror are furthest.
    a, b = np.array([0.8, 0.9, 0.5, 0.6]), np.array([0.1, 0.25, 0.0, 0.2])
    tasks = ["x", "x", "y", "y"]
    assert unpaired_difference(a, b, strata=(tasks, tasks)).p == 2 / 36


def test_a_lone_episode_can_not_be_tested() -> None:
    found = unpaired_difference(np.array([0.5]), np.array([0.1, 0.2, 0.3]))
    assert (found.p, found.low, found.why) == (None, None, "a policy has a single unit: no test")


def test_drawn_permutations_agree_with_welch() -> None:
    # 30 against 30 nearly normal values: Welch's p, and 9,999 draws are good to 0.002 there.
    from scipy.special import stdtr

    rng = np.random.default_rng(2)
    a, b = rng.normal(0.55, 0.1, 30), rng.normal(0.5, 0.15, 30)
    found = unpaired_difference(a, b, settings=OPEN)
    u, v = a.var(ddof=1) / 30, b.var(ddof=1) / 30
    t = abs(a.mean() - b.mean()) / math.sqrt(u + v)
    wanted = 2 * stdtr(29 * (u + v) ** 2 / (u * u + v * v), -t)
    assert found.test == "permutation"
    assert found.p == pytest.approx(wanted, abs=0.015)


def test_hedges_g_published_example() -> None:
    # Borenstein et al. (2009), "Introduction to Meta-Analysis", chapter 4: means 103 and 100,
    # standard deviations 5.5 and 4.5, 50 each: d = 0.5970, J = 0.9923, g = 0.5924; the variance of
    # g, for normal values, is 0.0411, which puts the ends at 0.195 and 0.990.
    from scipy.special import ndtri

    plain = ndtri((np.arange(50) + 0.5) / 50)
    plain = plain / plain.std(ddof=1)
    found = unpaired_difference(103 + 5.5 * plain, 100 + 4.5 * plain, settings=OPEN)
    assert found.effect.value == pytest.approx(0.5924, abs=1e-4)
    assert (found.effect.low, found.effect.high) == (
        pytest.approx(0.195, abs=0.03),
        pytest.approx(0.990, abs=0.03),
    )


def test_probability_of_improvement_published_example() -> None:
    # Brunner and Munzel (2000), pain scores: P = 0.789. lawstat's brunner.munzel.test prints
    # 0.788961, t = 3.1375, 17.683 degrees of freedom. So the variance is (0.288961 / 3.1375)^2 =
    # 0.0084822 and m = 0.788961 * 0.211039 / 0.0084822 = 19.630. With t = 2.1036 Wilson's formula
    # has t^2 / m = 0.22543, centre 0.73580 and half width 0.18291.
    found = unpaired_difference(PLACEBO, ACTIVE, settings=DifferenceSettings(bounds=(1, 5)))
    better = found.improvement
    assert better.value == pytest.approx(0.788961, abs=1e-6)
    assert (better.low, better.high) == pytest.approx((0.5529, 0.9187), abs=1e-4)


def test_tasks_of_unequal_size_do_not_pass_for_a_difference() -> None:
    # Both policies get .2 in task x and .8 in y, but a met y more often.
    a, b = np.repeat([0.2, 0.8], [5, 15]), np.repeat([0.2, 0.8], [15, 5])
    tasks = np.repeat(["x", "y"], [5, 15]), np.repeat(["x", "y"], [15, 5])
    assert unpaired_difference(a, b).value == pytest.approx(0.3)
    found = unpaired_difference(a, b, strata=tasks)
    assert found.value == pytest.approx(0.0)
    assert found.improvement.value == 0.5


def test_tasks_take_their_spread_out_of_the_interval() -> None:
    rng = np.random.default_rng(1)
    tasks = np.repeat(np.arange(4), 10)
    a, b = (0.2 * tasks + 0.1 * rng.random(40) for _ in range(2))
    plain = unpaired_difference(a, b)
    told = unpaired_difference(a, b, strata=(tasks, tasks))
    assert told.high - told.low < 0.3 * (plain.high - plain.low)


def test_tasks_of_one_scene_are_drawn_together() -> None:
    # Each stratum alone would show no spread at all.
    rng = np.random.default_rng(1)
    a, b = rng.random(8), rng.random(8)
    joined = paired_difference(a, b, strata=np.arange(8))
    plain = paired_difference(a, b)
    assert (joined.low, joined.high) == pytest.approx((plain.low, plain.high))
    assert joined.effect.why == "no stratum has two episodes: no spread is known"


def test_an_arm_without_spread_is_not_taken_for_known() -> None:
    # Nothing done in 10 episodes: up to 1 - .05^(1/10) = .2589 may have been missed. The other
    # policy alone reaches about .2 upwards; squared and added, the lower end moves to .6 - .33.
    rng = np.random.default_rng(0)
    b = np.clip(rng.normal(0.6, 0.1, 10), 0, 1)
    found = unpaired_difference(b, np.zeros(10))
    alone = paired_difference(b, np.zeros(10))
    wanted = alone.value - math.hypot(alone.value - alone.low, 0.2589)
    assert found.low == pytest.approx(wanted, abs=0.01)


def test_a_policy_that_never_moves_against_one_that_always_does() -> None:
    found = unpaired_difference(np.ones(10), np.zeros(10))
    # Both arms may have missed something: (1 - p)^20 >= .05 with one p for both, .13911 each.
    assert found.method == "exact bound"
    assert found.low == pytest.approx(1 - 2 * 0.13911, abs=1e-4)
    assert found.high == 1.0


@relaxed
@given(pairs, st.integers(0, 3))
def test_intervals_hold_the_value_and_stay_in_range(
    sample: tuple[np.ndarray, np.ndarray], seed: int
) -> None:
    how = DifferenceSettings(resamples=200, permutations=199, seed=seed)
    for compare_ in (paired_difference, unpaired_difference):
        found = compare_(*sample, settings=how)
        assert -1 <= found.low <= found.value + 1e-12
        assert found.value - 1e-12 <= found.high <= 1
        better = found.improvement
        assert 0 <= better.low <= better.value <= better.high <= 1
        assert 0 < found.p <= 1
        if found.effect.value is not None:
            assert found.effect.low <= found.effect.value <= found.effect.high
        assert compare_(*sample, settings=how) == found
        json.dumps(found.as_json(), allow_nan=False)


@relaxed
@given(pairs)
def test_swapping_the_policies_turns_everything_round(
    sample: tuple[np.ndarray, np.ndarray],
) -> None:
    a, b = sample
    found, turned = (paired_difference(*x, settings=QUICK) for x in ((a, b), (b, a)))
    assert turned.value == pytest.approx(-found.value)
    assert (turned.low, turned.high) == (pytest.approx(-found.high), pytest.approx(-found.low))
    assert turned.p == found.p
    free, freed = (unpaired_difference(*x, settings=QUICK) for x in ((a, b), (b, a)))
    for one, other in ((found, turned), (free, freed)):
        assert other.improvement.low == pytest.approx(1 - one.improvement.high)
        if one.effect.value is not None:
            assert other.effect.value == pytest.approx(-one.effect.value)


@relaxed
@given(pairs, st.floats(0.1, 10), st.floats(-5, 5))
def test_the_unit_does_not_matter(
    sample: tuple[np.ndarray, np.ndarray], scale: float, shift: float
) -> None:
    assume(min(np.ptp(sample[0]), np.ptp(sample[1]), np.ptp(sample[0] - sample[1])) > 1e-3)
    how = DifferenceSettings(bounds=(-math.inf, math.inf), resamples=200, permutations=199)
    moved = [scale * one + shift for one in sample]
    for compare_ in (paired_difference, unpaired_difference):
        found, other = compare_(*sample, settings=how), compare_(*moved, settings=how)
        wanted = (scale * found.low, scale * found.high)
        assert (other.low, other.high) == pytest.approx(wanted, abs=1e-6)
        assert other.effect.value == pytest.approx(found.effect.value, abs=1e-6)


@relaxed
@given(pairs, st.lists(st.sampled_from("xyz"), min_size=12, max_size=12))
def test_strata_and_clusters_of_any_kind_give_an_answer(
    sample: tuple[np.ndarray, np.ndarray], names: list[str]
) -> None:
    a, b = sample
    tasks, seeds = names[: len(a)], np.arange(len(a)) % 5
    by_task = paired_difference(a, b, strata=tasks, settings=QUICK)
    crossed = paired_difference(a, b, strata=tasks, clusters=seeds, settings=QUICK)
    assert crossed.value == pytest.approx(by_task.value)
    both = unpaired_difference(a, b, strata=(tasks, tasks), settings=QUICK)
    assert both.value == pytest.approx(by_task.value)
    for found in (by_task, crossed, both):
        assert -1 <= found.low <= found.value + 1e-12
        assert found.value - 1e-12 <= found.high <= 1


def test_another_seed_gives_another_interval() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.beta(1, 5, 30), rng.beta(5, 1, 30)
    one, other = (
        unpaired_difference(a, b, settings=DifferenceSettings(seed=seed)) for seed in (1, 2)
    )
    assert (one.low, one.high) != (other.low, other.high)
    assert one.value == other.value


@pytest.mark.parametrize(
    ("a", "b", "labels", "match"),
    [
        ([], [], {}, "at least one value"),
        ([0.1, math.nan], [0.1, 0.2], {}, "finite values in 0..1"),
        ([0.1, 1.5], [0.1, 0.2], {}, "leave out what is unscored"),
        ([0.1, 0.2], [0.1], {}, "same scenes: there are 2 and 1"),
        ([0.1, 0.2], [0.1, 0.3], {"strata": ["x"]}, "2 values need as many labels, not 1"),
        ([0.1, 0.2], [0.1, 0.3], {"clusters": ["x"]}, "2 values need as many labels, not 1"),
    ],
)
def test_bad_pairs_are_refused(a, b, labels, match) -> None:
    with pytest.raises(UsageError, match=match):
        paired_difference(np.array(a), np.array(b), **labels)


@pytest.mark.parametrize(
    ("strata", "match"),
    [
        ((["x", "y"], ["x", "x"]), "Stratum 'y' has episodes of only one policy"),
        ((["x", "y"], None), "for both policies or for neither"),
        ((["x"], ["x", "x"]), "2 values need as many labels, not 1"),
    ],
)
def test_bad_strata_are_refused(strata, match) -> None:
    values = np.array([0.1, 0.2])
    with pytest.raises(UsageError, match=match):
        unpaired_difference(values, values, strata=strata)


def test_an_unknown_weighting_is_refused() -> None:
    how = DifferenceSettings(weights="area")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="'equal' or by 'size', not 'area'"):
        paired_difference(np.ones(5), np.zeros(5), settings=how)


def test_coverage_where_the_bootstrap_alone_fails() -> None:
    # Two policies that collapse in a tenth of the scenes, 20 pairs. The plain bootstrap-t was
    # measured at 0.87; 0.92 is three Monte-Carlo errors (0.0154) below 0.97.
    rivals = Rivals(5, 5)
    study = compare(rivals, 20, is_paired=True)
    held, effect, better, _, alarms = measured(study, truth_of(rivals, is_paired=True), 200)
    assert min(held, effect, better) > 0.92
    assert alarms < 0.05 + 3 * 0.0154
