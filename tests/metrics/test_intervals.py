"""Intervals of means and shares, and estimates with their unscored episodes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.metrics import intervals as module
from assay.metrics.intervals import estimate_mean, estimate_share, mean_interval, share_interval
from proof.coverage import POPULATIONS, Population, coverage, ours, percentile

relaxed = settings(deadline=None, max_examples=80)
samples = st.lists(st.floats(0, 1), min_size=5, max_size=25).map(np.array)
OPEN = {"low": -math.inf, "high": math.inf}


@pytest.mark.parametrize(("level", "low", "high"), [(0.0, 0.0, 0.139), (1.0, 0.861, 1.0)])
def test_equal_values_get_the_exact_bound(level: float, low: float, high: float) -> None:
    # n = 20: p = 1 - .05^(1/20) = .1391 may differ from what was seen without being noticed.
    found = mean_interval(np.full(20, level))
    assert found == (
        level,
        pytest.approx(low, abs=5e-4),
        pytest.approx(high, abs=5e-4),
        "exact bound",
    )


def test_the_exact_bound_reaches_to_both_sides() -> None:
    # n = 5: p = 1 - .05^(1/5) = 1 - .549280; 0.5 -+ 0.5 * .450720.
    _, low, high, _ = mean_interval(np.full(5, 0.5))
    assert (low, high) == (pytest.approx(0.27464, abs=1e-5), pytest.approx(0.72536, abs=1e-5))


def test_values_that_differ_by_rounding_count_as_equal() -> None:
    values = np.full(10, 0.1)
    values[3] += 1e-12
    assert mean_interval(values)[3] == "exact bound"


def test_below_five_values_there_is_no_interval() -> None:
    assert mean_interval(np.array([0.0, 1.0, 0.5, 0.5])) == (0.5, None, None, "")
    assert share_interval(1, 4) == (0.25, None, None, "")


def test_a_large_sample_gets_the_normal_interval() -> None:
    values = np.random.default_rng(3).random(4000)
    mean, low, high, method = mean_interval(values)
    half = 1.96 * values.std(ddof=1) / math.sqrt(4000)
    # The quantiles of 2,000 resamples are good to about 3 % of the half width.
    assert (mean - low, high - mean) == (pytest.approx(half, rel=0.1), pytest.approx(half, rel=0.1))
    assert method == "bootstrap-t"


def test_a_skewed_sample_gets_the_longer_arm_on_its_thin_side() -> None:
    mean, low, high, _ = mean_interval(np.array([0.0] * 12 + [0.1, 0.3, 0.6, 0.9]))
    assert high - mean > 1.5 * (mean - low)


@relaxed
@given(samples, st.integers(0, 5))
def test_the_interval_holds_the_mean_and_stays_in_range(values: np.ndarray, seed: int) -> None:
    mean, low, high, _ = mean_interval(values, resamples=200, seed=seed)
    assert 0 <= low <= mean <= high <= 1
    assert mean_interval(values, resamples=200, seed=seed) == (mean, low, high, _)


@relaxed
@given(samples)
def test_turning_the_scale_round_turns_the_interval_round(values: np.ndarray) -> None:
    assume(np.ptp(values) > 1e-6)
    _, low, high, _ = mean_interval(values, resamples=200)
    _, mirrored_low, mirrored_high, _ = mean_interval(1 - values, resamples=200)
    assert (mirrored_low, mirrored_high) == (pytest.approx(1 - high), pytest.approx(1 - low))


@relaxed
@given(samples, st.floats(0.1, 10), st.floats(-5, 5))
def test_the_unit_does_not_matter(values: np.ndarray, scale: float, shift: float) -> None:
    assume(np.ptp(values) > 1e-6)
    _, low, high, _ = mean_interval(values, resamples=200)
    moved = np.clip(scale * values + shift, shift, scale + shift)
    _, moved_low, moved_high, _ = mean_interval(moved, low=shift, high=scale + shift, resamples=200)
    wanted = (scale * low + shift, scale * high + shift)
    assert (moved_low, moved_high) == pytest.approx(wanted, abs=1e-6)


def test_another_seed_gives_another_interval() -> None:
    values = np.random.default_rng(0).random(12)
    assert mean_interval(values, seed=1) != mean_interval(values, seed=2)


def test_a_sample_larger_than_one_batch_of_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_DRAWS_AT_ONCE", 7)
    values = np.random.default_rng(0).random(10)
    mean, low, high, _ = mean_interval(values, resamples=400)
    half = 2.26 * values.std(ddof=1) / math.sqrt(10)  # Student's t, 9 degrees of freedom
    assert (mean - low, high - mean) == (pytest.approx(half, rel=0.4), pytest.approx(half, rel=0.4))


@pytest.mark.parametrize("values", [[], [[0.1, 0.2]], [0.1, math.nan], [0.5, 1.1]])
def test_bad_values_are_refused(values: list[float]) -> None:
    with pytest.raises(UsageError, match="A mean"):
        mean_interval(np.array(values))


def test_an_infinite_value_is_refused_in_an_open_range_too() -> None:
    with pytest.raises(UsageError, match=r"finite values in -inf\.\.inf"):
        mean_interval(np.array([1.0, math.inf]), **OPEN)


def test_an_open_range_gets_an_interval() -> None:
    # Ten values of 96 .. 105 have sd sqrt(82.5 / 9) = 3.028; Student's t with 9 degrees of freedom
    # puts the ends at 100.5 -+ 2.262 * 3.028 / sqrt(10) = 2.166. The bootstrap is a little wider.
    mean, low, high, method = mean_interval(np.arange(96.0, 106.0), **OPEN)
    assert (mean, method) == (100.5, "bootstrap-t")
    assert (mean - low, high - mean) == (pytest.approx(2.166, rel=0.2),) * 2


def test_an_open_range_clips_nothing() -> None:
    values = np.array([0.0] * 6 + [1.0] * 4)
    _, low, high, _ = mean_interval(values[:7], **OPEN)
    _, closed_low, closed_high, _ = mean_interval(values[:7])
    assert low < closed_low == 0
    assert high == closed_high


@pytest.mark.parametrize("value", [0.0, 5.0, -1e-12, 1e9])
@pytest.mark.parametrize("ends", [(-math.inf, math.inf), (-math.inf, 1e12), (-1.0, math.inf)])
def test_equal_values_in_an_open_range_have_no_bound(
    value: float, ends: tuple[float, float]
) -> None:
    values = np.full(10, value)
    values[3] *= 1 + 1e-12
    mean, *rest = mean_interval(values, low=ends[0], high=ends[1])
    assert mean == pytest.approx(value)
    assert rest == [None, None, ""]


@relaxed
@given(samples, st.floats(-300, 290).map(lambda power: 10.0**power))
def test_in_an_open_range_the_size_of_the_values_does_not_matter(
    values: np.ndarray, scale: float
) -> None:
    assume(np.ptp(values) > 1e-6)
    mean, low, high, _ = mean_interval(values, resamples=200, **OPEN)
    assert low <= mean <= high
    found = mean_interval(scale * values, resamples=200, **OPEN)[1:3]
    assert np.divide(found, scale) == pytest.approx((low, high), abs=1e-6)


def test_coverage_in_an_open_range() -> None:
    # Normal values have no ends. 0.95 less three Monte-Carlo errors of 300 studies (0.0126).
    normal = Population("normal", lambda rng, n: rng.normal(50, 20, n), 50)
    found, width = coverage(normal, lambda values: mean_interval(values, **OPEN)[1:3], 10, 300)
    assert found > 0.912
    # Student's interval is 2 * 2.262 * 20 / sqrt(10) = 28.6 wide.
    assert width < 1.3 * 28.6


def test_coverage_where_the_percentile_bootstrap_fails() -> None:
    # 80 % zeros, n = 20. The band is three Monte-Carlo errors (0.0126) below 0.966, the coverage
    # measured with 2,000 simulations; the percentile bootstrap was measured at 0.892.
    zeros = POPULATIONS[1]
    assert coverage(zeros, ours(is_share=False), 20, 300)[0] > 0.928
    assert coverage(zeros, percentile(20), 20, 300)[0] < 0.928


def test_wilson_published_example() -> None:
    # 8 of 10: the interval every textbook table gives.
    share, low, high, method = share_interval(8, 10)
    assert (share, method) == (0.8, "wilson")
    assert (low, high) == (pytest.approx(0.4902, abs=5e-5), pytest.approx(0.9433, abs=5e-5))


@relaxed
@given(st.integers(5, 2000), st.data())
def test_wilson_ends_solve_the_score_equation(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))
    share, low, high, _ = share_interval(successes, n)
    assert 0 <= low <= share <= high <= 1
    for end in (low, high):
        assert (share - end) ** 2 == pytest.approx(1.959964**2 * end * (1 - end) / n, abs=1e-7)


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (-1, 5), (6, 5)])
def test_impossible_shares_are_refused(successes: int, n: int) -> None:
    with pytest.raises(UsageError, match="A share needs"):
        share_interval(successes, n)


def test_unscored_episodes_open_the_range() -> None:
    # Six scored with mean .5; two unscored: (3 + 0) / 8 and (3 + 2) / 8.
    found = estimate_mean(np.array([0.25, 0.75] * 3), unscored=2)
    assert (found.value, found.n, found.worst, found.best) == (0.5, 6, 0.375, 0.625)
    assert found.why is None


def test_for_regret_the_worst_is_one() -> None:
    found = estimate_mean(np.array([0.25, 0.75] * 3), unscored=2, worst_value=1, best_value=0)
    assert (found.worst, found.best) == (0.625, 0.375)
    assert 0 <= found.low < 0.5 < found.high <= 1


def test_without_unscored_episodes_worst_and_best_are_the_value() -> None:
    found = estimate_mean(np.array([0.1, 0.2, 0.4, 0.3, 0.7]))
    assert found.worst == found.best == pytest.approx(found.value)


def test_nothing_scored_has_no_value_but_a_range() -> None:
    for found in (estimate_mean(np.array([]), unscored=3), estimate_share(0, 0, unscored=3)):
        assert (found.value, found.low, found.high, found.n) == (None, None, None, 0)
        assert (found.worst, found.best) == (0, 1)
        assert found.why == "no scored episode"


def test_an_empty_group_has_nothing() -> None:
    for found in (estimate_mean(np.array([])), estimate_share(0, 0)):
        assert (found.value, found.worst, found.best) == (None, None, None)


def test_few_episodes_are_marked() -> None:
    for found in (estimate_mean(np.full(4, 0.5)), estimate_share(2, 4)):
        assert (found.value, found.low, found.high) == (0.5, None, None)
        assert found.why == "fewer than 5 episodes: no interval"


def test_shares_count_unscored_episodes_as_failed_and_as_done() -> None:
    found = estimate_share(6, 10, unscored=10)
    assert (found.value, found.worst, found.best, found.method) == (0.6, 0.3, 0.8, "wilson")


def test_the_spread_is_given_when_asked_for() -> None:
    # Squares of (-.5, .5, 0, 0, 0) add up to .5; .5 / 4 = .125.
    values = np.array([0.0, 1.0, 0.5, 0.5, 0.5])
    assert estimate_mean(values, with_sd=True).sd == pytest.approx(math.sqrt(0.125))
    assert estimate_mean(values).sd is None
    assert estimate_mean(values[:1], with_sd=True).sd is None
