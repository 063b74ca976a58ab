"""Means from few labels and many scores of a judge, beside labels alone."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.errors import UnknownNameError, UsageError
from assay.metrics.assisted import AssistedSettings, Labelled, assist
from assay.metrics.correlation import associate
from assay.metrics.intervals import mean_interval
from assay.metrics.two_phase import Stratum, as_they_are, draw_again, regress
from proof.assisted_coverage import JUDGES, coverage

relaxed = settings(deadline=None, max_examples=50)
NORMAL = AssistedSettings(method="normal")
QUICK = AssistedSettings(resamples=200)
OPEN = AssistedSettings(low=-math.inf, high=math.inf, method="normal")

# Six labels, their scores, and the scores of six others.
Y = np.array([0.0, 0.0, 1.0, 1.0, 0.5, 0.5])
F = np.array([0.0, 0.5, 0.5, 1.0, 0.0, 1.0])
G = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.5])

# Lohr, "Sampling: design and analysis", example 4.7 of the third edition (data set deadtrees of the
# R package SDAResources): dead trees counted on photographs of all 100 plots, 11.3 on average, and
# in the field on 25 of them.
PHOTO = np.array(
    [10, 12, 7, 13, 13, 6, 17, 16, 15, 10, 14, 12, 10, 5, 12, 10, 10, 9, 6, 11, 7, 9, 11, 10, 10]
)
FIELD = np.array(
    [15, 14, 9, 14, 8, 5, 18, 15, 13, 15, 11, 15, 12, 8, 13, 9, 11, 12, 9, 12, 13, 11, 10, 9, 8]
)


def noisy(n: int, others: int, noise: float = 0.15, seed: int = 0) -> Labelled:
    """Return labels in 0..1 and a judge that sees them through noise."""
    rng = np.random.default_rng(seed)
    y = rng.random(n + others)
    f = y + noise * rng.standard_normal(n + others)
    return Labelled(y[:n], f[:n], f[n:])


@st.composite
def samples(draw: st.DrawFn) -> Labelled:
    n, others = draw(st.integers(6, 15)), draw(st.integers(2, 30))
    return noisy(n, others, draw(st.floats(0.05, 2)), draw(st.integers(0, 99)))


def test_by_hand() -> None:
    # Means of y and f are .5; sums of squares around them: yy 1, ff 1, yf .5, so b = .5 and
    # lambda = .5 * 6 / 12 = .25. The others' mean is .75: .5 + .25 * (.75 - .5) = .5625.
    # Around the line 1 - .25 = .75 is left, over 4 degrees of freedom .1875. All twelve scores
    # have variance 2.0625 / 11 = .1875. Variance .1875 / 6 + .25 * .1875 / 12 = .1875^2.
    found = assist(Labelled(Y, F, G), NORMAL)
    assert (found.mean.value, found.power, found.others) == (0.5625, pytest.approx(0.25), 6)
    half = 1.959964 * 0.1875
    ends = (found.mean.low, found.mean.high)
    assert ends == (pytest.approx(0.5625 - half), pytest.approx(0.5625 + half))
    # Alone: 1 / 5 is the variance of y, and sqrt(.2 / 6) = .182574 its error.
    assert (found.alone.value, found.alone.n) == (0.5, 6)
    assert found.alone.low == pytest.approx(0.5 - 1.959964 * 0.182574, abs=1e-6)
    # r^2 = .5^2 / (1 * 1), so that the labels count 6 / (1 - .25 * 6 / 12).
    assert found.effective.value == pytest.approx(6 / 0.875)
    assert found.width_ratio == pytest.approx(0.1875 / 0.182574, abs=1e-5)


def test_published_regression_estimate() -> None:
    # Lohr's line is 5.059292 + 0.613274 photo, which at 11.3 gives 11.99 dead trees a plot. The 75
    # plots without a field count have 1130 - 265 = 865 dead trees on their photographs.
    found = assist(Labelled(FIELD, PHOTO, np.full(75, 865 / 75)), OPEN)
    assert found.power == pytest.approx(0.613274 * 75 / 100, abs=1e-6)
    assert found.mean.value == pytest.approx(5.059292 + 0.613274 * 11.3, abs=1e-5)
    assert found.mean.value == pytest.approx(11.99, abs=0.005)
    # Her standard error, 0.41, is sqrt(0.75 * s2_e / 25) with s2_e over n - 1; over n - 2 as here
    # it is 0.4168. The plots are all there are to her; here they are a sample of more, and the
    # error of the counts on 100 photographs comes on top: b^2 s2_f / 100, and s2_e / 25 in full.
    plots = [Stratum(FIELD, PHOTO, np.full(75, 865 / 75), 1.0)]
    variance = float(regress(plots, as_they_are(plots)).variance[0])
    scores = np.concatenate([PHOTO, np.full(75, 865 / 75)])
    wanted = 0.416758**2 / 0.75 + 0.613274**2 * scores.var(ddof=1) / 100
    assert variance == pytest.approx(wanted, rel=1e-5)


def test_the_estimate_is_that_of_prediction_powered_inference() -> None:
    data = noisy(12, 40)
    found = assist(data, NORMAL)
    rectified = data.labels - found.power * data.judged
    assert found.mean.value == pytest.approx(
        found.power * data.others.mean() + rectified.mean(), abs=1e-12
    )


@relaxed
@given(samples(), st.floats(0.01, 100), st.floats(-50, 50), st.booleans())
def test_the_scale_of_the_judge_does_not_matter(
    data: Labelled, scale: float, shift: float, is_turned: bool
) -> None:
    scale = -scale if is_turned else scale
    moved = replace(data, judged=scale * data.judged + shift, others=scale * data.others + shift)
    found, other = assist(data, QUICK), assist(moved, QUICK)
    assert other.mean.value == pytest.approx(found.mean.value, abs=1e-9)
    assert other.power * scale == pytest.approx(found.power, abs=1e-9)
    if not is_turned:
        ends = (other.mean.low, other.mean.high)
        assert ends == pytest.approx((found.mean.low, found.mean.high), abs=1e-8)


@relaxed
@given(samples())
def test_the_interval_holds_its_mean_and_stays_in_range(data: Labelled) -> None:
    found = assist(data, QUICK)
    for figure in (found.mean, found.alone):
        assert 0 <= figure.low <= figure.value <= figure.high <= 1
    assert found == assist(data, QUICK)
    assert found.effective.value >= found.mean.n
    json.dumps(found.as_json(), allow_nan=False)


@relaxed
@given(samples())
def test_the_correlation_is_the_usual_one(data: Labelled) -> None:
    found, usual = assist(data, NORMAL).correlation, associate(data.judged, data.labels).pearson
    assert found.value == pytest.approx(usual.value)
    assert (found.low, found.high) == pytest.approx((usual.low, usual.high))


@relaxed
@given(samples())
def test_one_task_is_no_task(data: Labelled) -> None:
    tasks = replace(
        data, strata=["lift"] * len(data.labels), other_strata=["lift"] * len(data.others)
    )
    assert assist(tasks, QUICK) == assist(data, QUICK)


def test_labels_alone_are_treated_as_everywhere() -> None:
    data = noisy(15, 5)
    found = assist(data, AssistedSettings(seed=4)).alone
    mean, low, high, method = mean_interval(data.labels, seed=4)
    assert (found.value, found.method) == (pytest.approx(mean), method)
    # Two bootstraps of 2,000: each end is good to about 3 % of the half width.
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.1 * (high - low))


def test_with_many_labels_the_bootstrap_is_normal() -> None:
    data = noisy(1000, 3000)
    bootstrap, normal = assist(data).mean, assist(data, NORMAL).mean
    width = normal.high - normal.low
    assert (bootstrap.low, bootstrap.high) == pytest.approx(
        (normal.low, normal.high), abs=width / 10
    )


def test_a_sample_larger_than_one_batch_of_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.metrics import two_phase

    part = Stratum(Y, F, G, 1.0)
    monkeypatch.setattr(two_phase, "_DRAWS_AT_ONCE", 13)
    sums = draw_again([part], 400, seed=0)[0].sums
    # Means of six draws of centred values: 0, with an error of sd / sqrt(6 * 400) = .0083; four.
    assert sums[:, :2].mean(axis=0) / 6 == pytest.approx([0, 0], abs=0.034)


def test_a_judge_that_never_changes_is_not_used() -> None:
    found = assist(Labelled(Y, np.full(6, 0.3), np.full(9, 0.3)))
    assert found.power == 0
    assert (found.mean.low, found.mean.high) == (found.alone.low, found.alone.high)
    assert (found.is_informative, found.effective.value) == (False, None)
    assert "the judge never changes" in found.warnings[0]


def test_a_judge_that_only_guesses_is_told() -> None:
    rng = np.random.default_rng(0)
    found = assist(Labelled(rng.random(30), rng.random(30), rng.random(300)))
    assert not found.is_informative
    assert "not told apart from 0" in found.warnings[0]
    assert found.effective.low == 30  # the range begins at no gain


def test_an_informative_judge_gets_no_warning() -> None:
    found = assist(noisy(30, 300))
    assert (found.is_informative, found.warnings) == (True, ())
    assert found.width_ratio < 0.7
    assert 30 < found.effective.low < found.effective.value < found.effective.high < 330


def test_a_judge_turned_round_is_used_and_told() -> None:
    data = noisy(30, 300)
    found = assist(replace(data, judged=-data.judged, others=-data.others))
    assert found.power < 0
    assert found.width_ratio < 0.7
    assert "goes against the labels" in found.warnings[0]


def test_labels_that_chance_did_not_pick_are_told() -> None:
    data = noisy(40, 300)
    worst = np.argsort(data.labels)[:20]
    found = assist(replace(data, labels=data.labels[worst], judged=data.judged[worst]))
    assert any("not picked by chance" in warning for warning in found.warnings)


def test_a_judge_that_is_never_off_still_leaves_doubt() -> None:
    # n = 20 and alpha / 2 = .025: p = 1 - .025^(1/20) = .16843 may be off the line, by 1 at most.
    # The mean of the scores itself has z(.9875) = 2.2414 errors of b sd / sqrt(220).
    rng = np.random.default_rng(0)
    scores = rng.uniform(0.3, 0.7, 220)
    found = assist(Labelled(scores[:20], scores[:20], scores[20:]))
    reach = 0.16843 + 2.2414 * scores.std(ddof=1) / math.sqrt(220)
    assert found.mean.value == pytest.approx(scores.mean())
    assert found.mean.method == "exact bound"
    assert found.mean.high - found.mean.value == pytest.approx(reach, abs=1e-4)
    assert found.effective.value == pytest.approx(220)
    assert (found.is_informative, found.warnings) == (True, ())
    assert found.unseen == pytest.approx(1 - 0.05 ** (1 / 20))


def test_equal_labels_get_the_exact_bound() -> None:
    found = assist(Labelled(np.zeros(20), np.linspace(0, 1, 20), np.linspace(0, 1, 50)))
    assert (found.mean.value, found.mean.low, found.mean.method) == (0, 0, "exact bound")
    assert found.mean.high == pytest.approx(0.139, abs=5e-4)
    assert "the label never changes" in found.warnings[0]


@pytest.mark.parametrize("labels", [np.ones(8), np.linspace(0, 1, 8)])
def test_nothing_to_resample_in_an_open_range_has_no_interval(labels: np.ndarray) -> None:
    found = assist(Labelled(labels, np.linspace(0, 3, 8), np.linspace(0, 3, 20)), OPEN)
    assert (found.mean.low, found.mean.high, found.width_ratio) == (None, None, None)
    assert found.mean.why.endswith("no interval in an open range")


def test_few_labels_are_marked() -> None:
    found = assist(Labelled(Y[:4], F[:4], G))
    assert (found.mean.low, found.mean.why) == (None, "fewer than 5 labels: no interval")
    assert not found.is_informative
    two = assist(Labelled(Y[1:3], F[:2], G))
    assert two.correlation.why == "fewer than 3 labels"


def test_the_mean_stays_in_range() -> None:
    # The line leads beyond 1 where the others are scored far higher than the labelled.
    found = assist(Labelled(Y, F, np.full(100, 4.0)))
    assert found.mean.value == found.mean.high == 1


def test_tasks_by_hand() -> None:
    # "lift": labels 0, 1 on scores 0, 1; others .5, .5, 1, 1 with mean .75.
    # "push": labels 0, 0, 1, 1 on scores 0, 1, 0, 1: no slope; others 0, 0 with mean 0.
    # Both have 6 of 12 episodes. b weighs a task's covariances by 1 / (n (n - 1)): lift yf .5 and
    # ff .5 by 1/2, push yf 0 and ff 1 by 1/12, so b = (1/4) / (1/4 + 1/12) = 3/4.
    # lift: .5 + 3/4 * 4/6 * (.75 - .5) = .625; push: .5 + 3/4 * 2/6 * (0 - .5) = .375; mean .5.
    found = assist(
        Labelled(
            labels=np.array([0.0, 1.0, 0.0, 0.0, 1.0, 1.0]),
            judged=np.array([0.0, 1.0, 0.0, 1.0, 0.0, 1.0]),
            others=np.array([0.5, 0.5, 1.0, 1.0, 0.0, 0.0]),
            strata=["lift"] * 2 + ["push"] * 4,
            other_strata=["lift"] * 4 + ["push"] * 2,
        ),
        NORMAL,
    )
    assert found.mean.value == pytest.approx(0.5)
    assert found.power == pytest.approx(0.75 * (0.5 * 4 / 6 + 0.5 * 2 / 6))
    assert found.alone.value == pytest.approx(0.5)


def test_tasks_take_their_difference_out_of_the_error() -> None:
    rng = np.random.default_rng(0)
    tasks = np.arange(240) % 2
    y = 0.1 + 0.7 * tasks + 0.1 * rng.random(240)
    f = y + 0.05 * rng.standard_normal(240)
    data = Labelled(y[:40], f[:40], f[40:])
    whole, split = assist(data), assist(replace(data, strata=tasks[:40], other_strata=tasks[40:]))
    assert split.alone.high - split.alone.low < 0.3 * (whole.alone.high - whole.alone.low)
    # Within a task the judge tells less than between them.
    assert split.correlation.value < whole.correlation.value


@pytest.mark.parametrize("which", [0, 2, 3])
def test_coverage_at_twenty_labels(which: int) -> None:
    # Good, useless and biased. 0.95 less three Monte-Carlo errors of 120 studies (0.0199).
    with_judge, _, alone, *_ = coverage(JUDGES[which], 20, 100, 120)
    assert with_judge.held / 120 > 0.89
    if which == 0:
        assert with_judge.width < 0.6 * alone.width


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"judged": F[:5]}, "lists of one length"),
        ({"labels": np.array([0, 0, 1, 1, 0.5, math.nan])}, "must be finite"),
        ({"others": np.array([math.inf])}, "must be finite"),
        ({"labels": np.array([0, 0, 1, 1, 0.5, 1.5])}, r"outside 0\.\.1"),
        ({"others": np.array([])}, "at least 2 labelled episodes and 1 other, not 6 and 0"),
        ({"labels": Y[:1], "judged": F[:1]}, "not 1 and 6"),
        ({"strata": ["a"] * 6}, "or for none"),
        ({"strata": ["a"] * 5, "other_strata": ["a"] * 6}, "Every episode needs one task"),
        ({"strata": ["a"] * 5 + ["b"], "other_strata": ["a"] * 3 + ["b"] * 3}, "Task 'b' needs"),
    ],
)
def test_bad_data_are_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        assist(replace(Labelled(Y, F, G), **wrong))


@pytest.mark.parametrize("wrong", [{"low": 1.0}, {"level": 0.0}, {"resamples": 0}])
def test_bad_settings_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        AssistedSettings(**wrong)


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'bootstrap-t'"):
        AssistedSettings(method="bootstrap")


@relaxed
@given(samples())
def test_another_seed_gives_another_interval(data: Labelled) -> None:
    assume(float(np.ptp(data.labels)) > 0.1)
    found, other = assist(data, QUICK).mean, assist(data, replace(QUICK, seed=1)).mean
    assert found.value == other.value
    assert (found.low, found.high) != (other.low, other.high)
