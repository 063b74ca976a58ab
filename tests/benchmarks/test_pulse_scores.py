"""Scores of answers and of whole curves."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.benchmarks.pulse.drops import deepest_fall, is_clean, is_false, is_hit, true_drops
from assay.benchmarks.pulse.items import Item
from assay.benchmarks.pulse.ranks import auc, median, spearman
from assay.benchmarks.pulse.scores import INVALID, Scorer, answer_of
from assay.benchmarks.pulse.shares import clustered_share
from assay.benchmarks.pulse.whole import Watched, curve_figures


def item(number, **about):
    """Return an item; every episode has one of each bin unless told otherwise."""
    given = {
        "item": f"i{number:03d}",
        "source": "s",
        "episode": f"e{number // 3:03d}",
        "task": "lift",
        "instruction": "Lift it.",
        "policy": "expert",
        "perturbation": None,
        "seed": number,
        "setting": "Sim",
        "category": "tabletop",
        "route": "potential",
        "y": 1 if number % 2 else -1,
        "hop": 0.2,
        "bin": ("small", "medium", "large")[number % 3],
        "order": "forward" if number % 2 else "anti-time",
        "t_before": 0.0,
        "t_after": 1.0,
        "distance_s": 1.0,
        "phi_before": 0.1,
        "phi_after": 0.3,
        "wrong_object": False,
    }
    return Item(**{**given, **about})


ITEMS = tuple(item(k) for k in range(60))
TRUTH = np.array([one.y for one in ITEMS])


def test_the_truth_is_right_and_its_opposite_wrong():
    scorer = Scorer(ITEMS)
    right, wrong = scorer.figures(TRUTH), scorer.figures(-TRUTH)
    assert right["overall"]["average"]["value"] == 1.0
    # 20 episodes that are all right: a share p of bad ones goes unseen with (1 - p)^20 = 5 %.
    assert right["overall"]["average"]["low"] == pytest.approx(0.05 ** (1 / 20))
    assert right["orders"]["anti-time"] == {**right["orders"]["anti-time"], "value": 1.0, "n": 30}
    assert wrong["overall"]["pairs"]["value"] == 0.0
    assert wrong["counts"] == {"right": 0, "wrong": 60, "zero": 0, "invalid": 0}


def test_zero_and_invalid_answers_are_shown_and_count_as_wrong():
    answers = TRUTH.copy()
    answers[:6], answers[6:9] = 0, INVALID
    found = Scorer(ITEMS).figures(answers)
    assert found["counts"] == {"right": 51, "wrong": 0, "zero": 6, "invalid": 3}
    assert found["overall"]["pairs"]["value"] == pytest.approx(51 / 60)


def test_missing_answers_are_wrong_at_worst_and_right_at_best():
    # The first 6 of 60, two of each bin: 6 wrong of 60 in all, 2 of 20 in a bin. The three of them
    # that are anti-time are 3 of 30.
    answers = TRUTH.copy()
    answers[:6] = INVALID
    found = Scorer(ITEMS).figures(answers)
    shown = {
        "average": found["overall"]["average"],
        "pairs": found["overall"]["pairs"],
        "small": found["bins"]["small"]["average"],
        "anti-time": found["orders"]["anti-time"],
        "task": found["tasks"]["lift"]["pairs"],
        "cell": found["cells"][0]["accuracy"],
    }
    for name, told in shown.items():
        assert (told["value"], told["worst"], told["best"]) == pytest.approx((0.9, 0.9, 1.0)), name
    # a zero is an answer, and wrong
    zero = Scorer(ITEMS).figures(np.where(answers == INVALID, 0, answers))["overall"]["average"]
    assert (zero["value"], zero["worst"], zero["best"]) == pytest.approx((0.9, 0.9, 0.9))


def test_missing_answers_of_either_judge_bound_the_lift():
    # 54 of 60 right and 6 missing, against a null with 30 right and 12 missing (of the others)
    answers, null = TRUTH.copy(), TRUTH.copy()
    answers[:6] = INVALID
    null[:18], null[18:30] = -TRUTH[:18], INVALID
    found = Scorer(ITEMS).lift(answers, null)
    assert found["value"] == pytest.approx(54 / 60 - 30 / 60)
    assert found["worst"] == pytest.approx(54 / 60 - 42 / 60)
    assert found["best"] == pytest.approx(60 / 60 - 30 / 60)


def test_a_clock_gets_no_anti_time_pair():
    clock = np.ones(60, dtype=np.int64)  # all of these are shown as they happened
    found = Scorer(ITEMS).figures(clock)
    assert found["orders"]["anti-time"]["value"] == 0.0
    assert found["orders"]["forward"]["value"] == 1.0


def test_averages_weigh_settings_alike_however_many_pairs_they_have():
    # 9 right pairs of Sim and 3 wrong ones of Real, all small: .75 by pair, .5 by setting.
    items = [item(k, bin="small", setting="Sim" if k < 9 else "Real", y=1) for k in range(12)]
    answers = np.array([1] * 9 + [-1] * 3)
    found = Scorer(items).averages(answers)
    assert found["bins"]["small"]["average"]["value"] == 0.5
    assert found["overall"]["pairs"]["value"] == 0.75
    assert found["bins"]["small"]["settings"]["Real"]["value"] == 0.0


def test_lift_is_paired():
    scorer = Scorer(ITEMS)
    same = scorer.lift(TRUTH, TRUTH)
    assert same["value"] == 0.0
    assert scorer.lift(TRUTH, -TRUTH)["value"] == 1.0


def test_wrong_object_pairs_are_counted_apart():
    items = [item(k, wrong_object=k < 30, order="anti-time", y=-1) for k in range(60)]
    answers = np.array([-1] * 15 + [1] * 45)
    found = Scorer(items).figures(answers)["anti_time_wrong_object"]
    assert (found["value"], found["n"]) == (0.5, 30)


def test_undone_pairs_are_counted_apart():
    items = [item(k, undone=k < 30 or None, order="anti-time", y=-1) for k in range(60)]
    answers = np.array([-1] * 12 + [1] * 48)
    found = Scorer(items).figures(answers)["anti_time_undone"]
    assert (found["value"], found["n"]) == (0.4, 30)


def test_pairs_of_one_episode_count_as_fewer():
    right = np.array([True] * 30 + [False] * 30)
    apart = clustered_share(right, [str(k) for k in range(60)])
    together = clustered_share(right, [str(k // 6) for k in range(60)])
    # Apart it is Wilson's interval of 30 of 60; in ten blocks that are all right or all wrong it
    # is one of about 9 independent answers.
    assert (apart.low, apart.high) == pytest.approx((0.377, 0.623), abs=5e-3)
    assert together.low < 0.25
    assert together.high > 0.75
    assert clustered_share(right[:6], ["e"] * 6).low is None
    assert clustered_share(right[:0], []).value is None


@pytest.mark.parametrize(
    ("value", "answer"), [(0.2, 1), (-1e-9, -1), (0.0, 0), (None, INVALID), (math.nan, INVALID)]
)
def test_what_an_answer_is(value, answer):
    assert answer_of(value) == answer


def test_falls_and_drops():
    times = 0.2 * np.arange(8)
    phi = np.array([0.0, 0.4, 0.8, 0.5, 0.3, 0.3, 0.6, 1.0])
    assert deepest_fall(times, phi) == pytest.approx(0.5)
    assert deepest_fall(times, phi, window_s=0.2) == pytest.approx(0.3)
    (drop,) = true_drops(times, phi)
    assert (drop.start_s, drop.end_s) == pytest.approx((0.4, 0.8))
    assert drop.depth == pytest.approx(0.5)
    half = np.array([0.0, 0.4, 0.8, 0.6, 0.55, 0.55, 0.6, 1.0])  # falls by .25: half of it
    less = np.array([0.0, 0.4, 0.8, 0.7, 0.60, 0.60, 0.6, 1.0])  # by .2
    assert is_hit(drop, times, half)
    assert not is_hit(drop, times, less)
    assert not is_clean(times, phi)
    assert is_clean(times, np.linspace(0, 1, 8))
    assert is_false(times, less)
    assert not is_false(times, np.linspace(0, 1, 8))


@given(st.lists(st.integers(0, 5), min_size=3, max_size=30), st.integers(0, 99))
def test_spearman_is_scipys(truth, seed):
    said = np.random.default_rng(seed).integers(0, 4, len(truth)).astype(float)
    found = spearman(np.array(truth, dtype=float), said)
    if len(set(truth)) == 1:
        assert found is None
    elif len(set(said)) == 1:
        assert found == 0.0
    else:
        assert found == pytest.approx(stats.spearmanr(truth, said).statistic)


def test_auc_counts_ordered_pairs():
    # Of 2 x 2 pairs, (.9, .1), (.9, .4) and (.4, .1) are in order and (.4, .4) is a tie.
    assert auc(np.array([0.9, 0.4]), np.array([0.1, 0.4])).value == pytest.approx(3.5 / 4)
    apart = auc(np.full(8, 0.9), np.full(10, 0.1))
    assert apart.value == 1.0
    assert apart.low == pytest.approx(0.05 ** (1 / 8))
    assert auc(np.array([0.5]), np.empty(0)).value is None
    some = auc(np.array([0.9, 0.8, 0.7, 0.6, 0.3]), np.array([0.5, 0.4, 0.2, 0.1, 0.65]))
    assert some.value == pytest.approx(21 / 25)  # 5 + 5 + 5 + 4 + 2
    assert some.low < 0.84 < some.high


def test_the_median_lies_between_order_statistics():
    # With 10 values the 2nd and the 9th hold the median: 2 * (1 + 10) / 1024 = 2.1 % are outside.
    found = median(np.arange(10.0))
    assert (found.value, found.low, found.high) == (4.5, 1.0, 8.0)
    assert median(np.empty(0)).value is None


def test_five_values_do_not_hold_the_median():
    # All lie on one side of it in 2 / 2^5 = 6.25 % of samples of 5, in 3.1 % of samples of 6.
    assert median(np.arange(5.0)).why == "fewer than 6 values: no interval"
    assert (median(np.arange(6.0)).low, median(np.arange(6.0)).high) == (0.0, 5.0)


def test_the_median_of_very_many_values():
    # By the normal law k = 1000 - 1.96 * sqrt(2000) / 2 = 956.2, of 0, 1, .. 1999; +- 1.
    found = median(np.arange(2000.0))
    assert found.low == pytest.approx(956, abs=1.5)
    assert found.high == 1999 - found.low


def watched(number, *, success, said=None):
    times = 0.2 * np.arange(11)
    end = 1.0 if success else 0.8 - 0.01 * number
    phi = np.linspace(0, end, 11)
    if not success:
        phi[6:] -= 0.3
    policy = f"p{number % 4}"
    return Watched(f"e{number}", policy, success, times, phi, phi if said is None else said)


def test_the_truth_itself_has_perfect_curves():
    found = curve_figures([watched(k, success=k % 4 > 1) for k in range(24)])
    assert found["drop_hits"]["value"] == 1.0
    assert found["false_drops"]["value"] == 0.0
    assert found["end_auc"]["value"] == 1.0
    assert found["spearman"]["successes"]["value"] == pytest.approx(1.0)
    assert found["order_of_policies"]["mp"]["value"] == pytest.approx(1.0)


def test_a_policy_of_few_episodes_is_left_out_of_the_order_of_policies():
    # Episodes 0 to 29 are of the usual policies; four of another would cost the interval.
    known = [watched(k, success=k % 2 > 0) for k in range(30)]
    few = [replace(watched(k, success=True), policy="rare") for k in range(30, 34)]
    without, beside = (curve_figures(own)["order_of_policies"] for own in (known, [*known, *few]))
    assert beside["mp"].pop("left_out") == {"rare": 4}
    assert without["mp"].pop("left_out") == {}
    assert beside["mp"] == without["mp"]
    assert beside["mp"]["low"] is not None
    alone = curve_figures([*known[:2], *few[:2]])["order_of_policies"]["mp"]
    assert (alone["left_out"], alone["low"]) == ({}, None)


def test_a_ramp_sees_no_drop():
    ramp = np.linspace(0, 1, 11)
    found = curve_figures([watched(k, success=k % 2 > 0, said=ramp) for k in range(20)])
    assert found["drop_hits"]["value"] == 0.0
    assert found["false_drops"]["value"] == 0.0
    assert found["end_auc"]["value"] == 0.5
    assert found["order_of_policies"]["ppl"]["value"] is None


def test_episodes_without_a_curve_count_in_worst_and_best():
    # Of 10 successes and 10 failures with a perfect curve, and of 5 more of each there is none.
    known = [watched(k, success=k % 2 > 0) for k in range(20)]
    lost = [replace(watched(k, success=k % 2 > 0), values=None) for k in range(20, 30)]
    found = curve_figures([*known, *lost])
    assert (found["episodes"], found["unscored"]) == (20, 10)
    reach = {
        name: tuple(found[name][key] for key in ("value", "worst", "best"))
        for name in ("drop_hits", "false_drops", "end_auc")
    }
    assert reach["drop_hits"] == pytest.approx((1.0, 10 / 15, 1.0))
    assert reach["false_drops"] == pytest.approx((0.0, 5 / 15, 0.0))
    # 10 of 15 successes end at 1 and 5 at 0; 10 of 15 failures end between and 5 at 1: of 225
    # pairs 10 x 10 are in order and 10 x 5 tie.
    assert reach["end_auc"] == pytest.approx((1.0, 125 / 225, 1.0))
    rho = found["spearman"]["successes"]
    assert (rho["value"], rho["worst"], rho["best"]) == pytest.approx((1.0, 1.0, 1.0))
    fewer = curve_figures([*known[:4], *lost])["spearman"]["successes"]
    assert (fewer["value"], fewer["worst"]) == pytest.approx((1.0, -1.0))  # 2 known, 5 not


def test_figures_without_any_curve_have_their_limits():
    found = curve_figures([replace(watched(k, success=k > 1), values=None) for k in range(4)])
    for figure in (found["drop_hits"], found["end_auc"]):
        assert (figure["value"], figure["worst"], figure["best"]) == (None, 0.0, 1.0)
    assert (found["false_drops"]["worst"], found["false_drops"]["best"]) == (1.0, 0.0)
