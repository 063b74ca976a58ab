"""Bets on the mean and on signs side by side: what each decides, and their error together."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.metrics.betting import BettingSettings, bet, log_gains, log_mean
from assay.metrics.deciding import Decider, decide, joined
from assay.metrics.flipping import flip, log_flips
from assay.metrics.stopping import AdviceSettings, advise
from proof.anytime import NULLS, watch_errors

relaxed = settings(deadline=None, max_examples=60)
sizes = st.lists(st.floats(0, 1), min_size=1, max_size=7).map(np.array)
streams = st.lists(st.floats(-1, 1), min_size=5, max_size=30).map(np.array)
USUAL = BettingSettings()


def test_both_halves_by_hand() -> None:
    # A lead of 0.5 with a share of a half. On the mean: 0.5 lies at 0.75 of -1..1, the null at 0.5,
    # so 1 + 0.5 * (0.75 / 0.5 - 1) = 1.25. On signs: 1.5 by either score. Together 1.375; each of
    # the two gamblers has half of the wealth.
    one = replace(USUAL, shares=(0.5,))
    assert decide([0.5], one).e_value == pytest.approx(1.375 / 2)
    # Then a deficit of 0.25, half of the largest: the mean 1.25 * (1 - 0.125); by signs alone
    # 1.5 * 0.5, by sizes 1.5 * 0.75, their mean 0.9375.
    found = decide([0.5, -0.25], one)
    assert found.e_value == pytest.approx((1.25 * 0.875 + 0.9375) / 4)
    assert found.p_value == 1.0
    assert (found.verdict, found.by, found.decided_at) == (None, None, None)


def test_a_small_lead_that_is_always_there_is_decided_by_signs() -> None:
    # Wins alone make 74.1 of 1 after eight (tests/metrics/test_betting.py), by signs at any size.
    # The half on the mean has next to nothing by then, and together they need 40: nine pairs.
    found = decide([0.115] * 60)
    assert (found.verdict, found.by, found.decided_at) == ("above", "signs", 9)
    # The mean is ruled out by its half at 80, later than the 46 that all of the error takes.
    assert (bet([0.115] * 60).decided_at, found.mean.decided_at) == (46, 53)
    assert decide([-0.115] * 60).verdict == "below"


def test_rare_large_leads_are_decided_by_the_mean() -> None:
    # Seven small deficits first: the half on signs needs as many wins to come back, and the half on
    # the mean hardly notices: under the arcsine law E (1 - 0.02 c)^7 (1 + c)^8 = 65.5, and 0.4 for
    # E (1 - c)^7 (1 + c)^8, so that both together have 33.0 of 40. The ninth win makes 122.7 of the
    # former, which is more than the 80 that it needs alone.
    values = [-0.02] * 7 + [1.0] * 10
    assert 2 * bet(values[:15]).e_value == pytest.approx(65.5, abs=0.05)
    assert 2 * decide(values[:15]).e_value == pytest.approx(33.0, abs=0.05)
    assert 2 * bet(values[:16]).e_value == pytest.approx(122.7, abs=0.05)
    found = decide(values)
    assert (found.verdict, found.by, found.decided_at) == ("above", "mean", 16)
    assert found.mean.decided_at == 16


def test_the_same_mean_may_be_told_apart_by_signs_alone() -> None:
    # 0.05 ahead in 19 of 20 scenes and 0.95 behind in one: the mean is 0.
    found = decide(np.tile([*[0.05] * 19, -0.95], 3))
    assert (found.verdict, found.by, found.mean.verdict) == ("above", "signs", None)
    assert found.mean.kept_low < 0 < found.mean.kept_high


@relaxed
@given(sizes)
def test_wealth_is_one_on_average_over_all_signs(size: np.ndarray) -> None:
    values = np.array(list(itertools.product([-1.0, 1.0], repeat=len(size)))) * size
    null, shares = USUAL.scaled(0.0), np.array(USUAL.shares)
    gains = log_gains(USUAL.scaled(values.ravel()), null, shares)[:, :, 0]
    mean = log_mean(np.cumsum(gains.reshape(*values.shape, *gains.shape[1:]), axis=1))
    both = np.exp(joined(mean, log_flips(values)))
    assert both.mean(axis=0) == pytest.approx(np.ones((len(size), 2)))
    # The library decides where this wealth does.
    rich = (joined(mean, log_flips(values)) >= np.array(USUAL.thresholds)).any(axis=(1, 2))
    assert [decide(row).verdict is not None for row in values[:4]] == rich[:4].tolist()


@relaxed
@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=40))
def test_of_success_it_decides_as_each_kind_of_bets_alone(values: list[float]) -> None:
    found, other = decide(values), bet(values)
    assert found.e_value == pytest.approx(other.e_value)
    assert (found.verdict, found.decided_at) == (other.verdict, other.decided_at)
    assert (found.verdict, found.decided_at) == (flip(values).verdict, flip(values).decided_at)


@relaxed
@given(streams, st.integers(1, 29))
def test_values_in_parts_are_the_same_as_at_once(values: np.ndarray, cut: int) -> None:
    decider = Decider()
    decider.update(values[:cut])
    found = decider.update(values[cut:])
    assert found == decide(values)
    # Half of the error is the mean's own; without signs it has all of it.
    assert found.mean == bet(values, replace(USUAL, level=0.975))
    assert decider.level == pytest.approx(0.975)
    alone = decide(values, signs=False)
    assert alone.mean == bet(values)
    assert (alone.verdict, alone.decided_at) == (alone.mean.verdict, alone.mean.decided_at)
    assert alone.e_value == pytest.approx(alone.mean.e_value)
    assert alone.by == (None if alone.verdict is None else "mean")
    assert (found.verdict is not None) == (found.p_value <= 0.05)


def test_the_error_stays_under_alpha() -> None:
    # The campaign has 10,000 streams of 500 and all populations.
    found, by_mean = watch_errors(NULLS[0], 300, horizon=120)
    assert 0 < by_mean <= found < 0.05
    # Signs lean where a mean of 0 has rare routs: no error of theirs, and none of the mean.
    found, by_mean = watch_errors(NULLS[5], 100, horizon=120)
    assert (found, by_mean) == (1.0, pytest.approx(0.0, abs=0.025))


def test_advice_where_every_future_is_the_same() -> None:
    # Nine small leads are a verdict by signs, as above: five are there, so four are missing.
    found = advise([0.115] * 5, signs=True)
    assert (found.more, found.more_low, found.more_high, found.chance) == (4, 4, 4, 1.0)
    assert advise([0.115] * 9, signs=True).verdict == "above"
    assert advise([0.115] * 5).more == 41  # 46 by the mean alone
    near = AdviceSettings(margin=0.3)
    assert advise(np.tile([0.02, -0.02], 40), ahead=near, signs=True).verdict == "alike"


@relaxed
@given(streams)
def test_advice_goes_on_from_the_wealth_at_hand(values: np.ndarray) -> None:
    ahead = AdviceSettings(horizon=40, futures=20)
    found = advise(values, ahead=ahead, signs=True)
    assert (found.action == "stop") == (decide(values).verdict is not None)
    assert found == advise(values, ahead=ahead, signs=True)


def test_endless_evidence_stays_a_number() -> None:
    assert 1e299 < decide(np.ones(1200)).e_value < math.inf


def test_what_is_refused() -> None:
    with pytest.raises(UsageError, match="a null of 0 and with both sides"):
        Decider(replace(USUAL, null=0.1))
    with pytest.raises(UsageError, match="a null of 0 and with both sides"):
        decide([0.1], replace(USUAL, side="above"))
    decider = Decider()
    with pytest.raises(UsageError, match="A stream"):
        decider.update([0.5, 1.5])
    assert decider.decision.mean.n == 0  # nothing was taken in
