"""Bets against a mean that may be looked at after every value, and advice on when to stop."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.errors import UnknownNameError, UsageError
from assay.metrics.betting import BettingSettings, Bettor, bet, log_gains, log_mean, trace
from assay.metrics.stopping import AdviceSettings, advise
from proof.anytime import APART, NULLS, errors, waits, wealth

relaxed = settings(deadline=None, max_examples=60)
streams = st.lists(st.floats(-1, 1), min_size=5, max_size=30).map(np.array)
COIN = BettingSettings(low=0.0, high=1.0, null=0.5, side="above", shares=(0.5,))
ONE_FUTURE = AdviceSettings(horizon=40, futures=30)


def test_a_fixed_bet_multiplies_wealth() -> None:
    # Half of what may be lost at even odds: a win makes 1.5 of 1, a loss 0.5.
    assert bet([1, 0, 1], COIN).e_value == pytest.approx(1.5 * 0.5 * 1.5)
    assert bet([1, 0, 1], replace(COIN, side="below")).e_value == pytest.approx(0.5 * 1.5 * 0.5)
    # With both sides each gambler has half of the wealth, and the richer one speaks.
    assert bet([1, 0, 1], replace(COIN, side="both")).e_value == pytest.approx(1.125 / 2)


def test_a_bet_at_uneven_odds() -> None:
    # Null 0.2: a win pays 1 / 0.2 = 5 for what is staked. Half of 1 staked: 0.5 + 0.5 * 5 = 3.
    # On the other side a loss pays 1 / 0.8: 0.5 + 0.5 * 1.25 = 1.125.
    at = replace(COIN, null=0.2)
    assert bet([1], at).e_value == pytest.approx(3.0)
    assert bet([0], replace(at, side="below")).e_value == pytest.approx(1.125)


def test_the_range_is_taken_to_shares() -> None:
    # 0.2 lies at 0.6 of -1..1, the null 0 at 0.5: 0.5 + 0.5 * 0.6 / 0.5 = 1.1.
    assert bet([0.2], replace(COIN, low=-1.0, null=0.0)).e_value == pytest.approx(1.1)


def test_shares_are_spread_by_the_arcsine_law() -> None:
    # E c = 1/2, E c^2 = 3/8, E c^3 = 5/16 under that law. Three wins at even odds:
    # E (1 + c)^3 = 1 + 3/2 + 9/8 + 5/16 = 3.9375; a win and a loss: E (1 - c^2) = 5/8.
    one_sided = replace(BettingSettings(), side="above")
    assert bet([1, 1, 1], one_sided).e_value == pytest.approx(3.9375)
    assert bet([1, -1], one_sided).e_value == pytest.approx(0.625)
    assert bet([1, 1, 1]).e_value == pytest.approx(3.9375 / 2)


def test_wins_alone_decide_after_eight() -> None:
    # E (1 + c)^7 = 39.84 is short of 2 / 0.05 = 40; the eighth win is enough.
    found = bet([1.0] * 10)
    assert (found.verdict, found.decided_at, found.is_rejected) == ("above", 8, True)
    assert bet([1.0] * 7).e_value == pytest.approx(39.839 / 2, abs=1e-3)
    assert bet([-1.0] * 10).verdict == "below"
    # From one side 1 / 0.05 = 20 is enough: E (1 + c)^6 = 21.68, E (1 + c)^5 = 11.99.
    assert bet([1.0] * 10, BettingSettings(side="above")).decided_at == 6
    assert bet([1.0] * 10, BettingSettings(side="below")).verdict is None


def test_published_average_sample_number() -> None:
    # Lindeman, Stark and Yates (2012), "BRAVO": a winner with a share s = 0.6 and a risk limit of
    # 0.1 takes about (ln 10 + ln(1.2) / 2) / (0.6 ln 1.2 + 0.4 ln 0.8) = 118.9 ballots. Their test
    # is a fixed bet: a vote for the winner multiplies by 2 s = 1.2, one against by 0.8.
    bravo = BettingSettings(0.0, 1.0, 0.5, side="above", level=0.9, shares=(0.2,))
    votes = (np.random.default_rng(0).random((1000, 1200)) < 0.6).astype(float)
    logs = wealth(votes, bravo)[:, :, 0]
    first = np.argmax(logs >= bravo.thresholds[0], axis=0) + 1
    asked = (math.log(10) + math.log(1.2) / 2) / (0.6 * math.log(1.2) + 0.4 * math.log(0.8))
    assert asked == pytest.approx(118.9, abs=0.05)
    # The standard deviation is about 113, so 1,000 elections are good to 3.6; three of that.
    assert first.mean() == pytest.approx(asked, abs=10.8)
    stream = Bettor(bravo)
    assert stream.update(votes[0]).decided_at == first[0]


@relaxed
@given(st.lists(st.floats(0.02, 0.98), min_size=2, max_size=3, unique=True), st.data())
def test_under_the_null_wealth_is_one_on_average(points: list[float], data: st.DataObject) -> None:
    """All streams of three values, each as likely as it is: the bets are fair, exactly."""
    chances = np.array([data.draw(st.floats(0.1, 1)) for _ in points])
    chances /= chances.sum()
    mean = float(chances @ np.array(points))
    assume(0.01 < mean < 0.99)
    shares = np.array(BettingSettings().shares)
    gains = log_gains(np.array(points), np.array([mean]), shares)[:, :, 0]
    total = np.zeros(2)
    for places in itertools.product(range(len(points)), repeat=3):
        picked = list(places)
        total += np.prod(chances[picked]) * np.exp(log_mean(gains[picked].sum(axis=0)))
    assert total == pytest.approx([1.0, 1.0])


@relaxed
@given(streams, st.sampled_from(["both", "above", "below"]), st.floats(-0.7, 0.7))
def test_ends_are_ruled_out_and_hold_the_mean(values: np.ndarray, side: str, null: float) -> None:
    chosen = BettingSettings(null=null, side=side, points=41)
    found = bet(values, chosen)
    assert -1 <= found.low <= found.mean + 1e-12
    assert found.mean - 1e-12 <= found.high <= 1
    for end, row in ((found.low, 0), (found.high, 1)):
        if abs(end) < 1:
            at = chosen.scaled(end)
            logs = log_gains(chosen.scaled(values), at, np.array(chosen.shares))[:, :, 0]
            # Finer than the means it is made of, and still ruled out.
            assert log_mean(logs.sum(axis=0))[row] >= chosen.thresholds[row] - 1e-6
    if side == "above":
        assert found.high == 1


@relaxed
@given(streams, st.integers(1, 29))
def test_values_in_parts_are_the_same_as_at_once(values: np.ndarray, cut: int) -> None:
    bettor = Bettor()
    bettor.update(values[:cut])
    assert bettor.update(values[cut:]) == bet(values)
    found, last = trace(values), bet(values)
    assert (found.low[-1], found.high[-1]) == (last.low, last.high)
    assert (found.kept_low[-1], found.kept_high[-1]) == (last.kept_low, last.kept_high)
    assert math.exp(found.log_e[-1]) == pytest.approx(last.e_value)
    assert math.exp(-max(0.0, found.log_e.max())) == pytest.approx(last.p_value)


@relaxed
@given(streams, st.randoms(use_true_random=False))
def test_the_order_does_not_matter_to_the_moment(values: np.ndarray, random) -> None:
    shuffled = values.tolist()
    random.shuffle(shuffled)
    found, other = bet(values), bet(shuffled)
    assert other.e_value == pytest.approx(found.e_value)
    assert (other.low, other.high) == pytest.approx((found.low, found.high), abs=1e-9)


@relaxed
@given(streams)
def test_turning_the_values_round_turns_the_interval_round(values: np.ndarray) -> None:
    found, other = bet(values), bet(-values)
    assert (other.low, other.high) == pytest.approx((-found.high, -found.low), abs=1e-9)
    assert other.e_value == pytest.approx(found.e_value)
    turned = {"above": "below", "below": "above", None: None}
    assert (other.verdict, other.decided_at) == (turned[found.verdict], found.decided_at)


@relaxed
@given(st.floats(-0.8, 0.8), st.integers(0, 3))
def test_a_verdict_is_an_interval_without_the_null(shift: float, seed: int) -> None:
    values = np.clip(shift + 0.4 * np.random.default_rng(seed).standard_normal(60), -1, 1)
    found = bet(values)
    assert found.kept_low <= found.kept_high
    assert (found.verdict == "above") == (found.kept_low >= 0)
    assert (found.verdict == "below") == (found.kept_high <= 0)
    assert found.is_rejected == (found.p_value <= 0.05)


def test_more_means_make_the_interval_a_little_shorter() -> None:
    values = np.random.default_rng(0).uniform(-0.3, 0.7, 80)
    usual, fine = (bet(values, BettingSettings(points=points)) for points in (201, 2001))
    # The means are 0.01 apart; the end is good to a tenth of that, and on the safe side.
    assert usual.low <= fine.low <= usual.low + 0.001
    assert fine.high <= usual.high <= fine.high + 0.001


def test_few_values_have_no_interval_but_a_fair_e_value() -> None:
    found = bet([1, 1, 1, 1])
    assert (found.low, found.high, found.kept_low, found.method) == (None, None, None, "")
    assert found.why == "fewer than 5 values: no interval"
    assert found.e_value > 1
    assert bet([1, 1, 1, 1, 0]).method == "betting"


def test_no_value_is_no_evidence() -> None:
    found = bet([])
    assert (found.n, found.mean, found.e_value, found.p_value) == (0, None, 1.0, 1.0)
    assert (found.why, found.is_rejected) == ("no value yet", False)
    assert len(trace([]).low) == 0


def test_a_stream_that_turns_is_told() -> None:
    found = bet([1.0] * 60 + [-1.0] * 300)
    assert (found.verdict, found.decided_at) == ("above", 8)
    assert (found.kept_low, found.kept_high) == (None, None)
    assert found.why.startswith("no mean fits all moments")
    assert found.low <= found.mean <= found.high


def test_endless_evidence_stays_a_number() -> None:
    found = bet(np.ones(1200))
    assert math.isfinite(found.e_value)
    assert found.e_value > 1e299
    assert json.loads(json.dumps(found.as_json(), allow_nan=False))["verdict"] == "above"


def test_json_says_why() -> None:
    assert bet([0.5]).as_json()["why"] == "fewer than 5 values: no interval"
    assert "why" not in bet([0.5] * 5).as_json()


def test_the_error_stays_under_alpha_where_a_t_test_does_not() -> None:
    # Win, loss and 80 % ties, looked at after each of 150 values. The campaign has 10,000 streams
    # of 500 and more populations; the t-test was measured there at about 0.4.
    both, above, below, usual = errors(NULLS[1], 500, horizon=150)
    assert max(both, above, below) < 0.05
    assert usual > 0.2


def test_the_campaign_counts_what_the_library_decides() -> None:
    values = APART[0].draw(np.random.default_rng(5), (10, 150))
    counted = waits(wealth(values, APART[0].settings)).tolist()
    assert [bet(row).decided_at or 151 for row in values] == counted


@pytest.mark.parametrize("values", [[0.0, 1.5], [0.0, math.nan], [-math.inf], [[0.1, 0.2]]])
def test_bad_values_are_refused(values: list[float]) -> None:
    with pytest.raises(UsageError, match="A stream"):
        bet(values)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"null": 1.0}, "low < null < high"),
        ({"low": -math.inf}, "all finite"),
        ({"null": math.nan}, "low < null < high"),
        ({"level": 1.0}, "between 0 and 1"),
        ({"points": 2}, "at least 3 means"),
        ({"shares": ()}, "at least one share"),
        ({"shares": (0.5, 1.0)}, "between 0 and 1"),
    ],
)
def test_bad_settings_are_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        BettingSettings(**wrong)


def test_an_unknown_side_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'above'"):
        BettingSettings(side="abov")


def test_what_is_decided_is_stopped() -> None:
    found = advise([1.0] * 8)
    assert (found.action, found.verdict, found.more) == ("stop", "above", None)
    assert advise([-1.0] * 8).verdict == "below"


def test_advice_where_every_future_is_the_same() -> None:
    # Wins alone decide after eight: five are there, so three are missing, in any future.
    found = advise([1.0] * 5)
    assert (found.action, found.more, found.more_low, found.more_high) == ("continue", 3, 3, 3)
    assert (found.chance, found.why) == (1.0, None)


def test_ties_alone_never_decide() -> None:
    found = advise(np.zeros(30), ahead=AdviceSettings(horizon=200, futures=20))
    assert (found.action, found.more, found.chance) == ("continue", None, 0.0)
    assert found.why.startswith("0 % of the futures")


def test_a_difference_below_the_margin_is_alike() -> None:
    values = np.tile([0.02, -0.02], 100)
    assert advise(values, ahead=AdviceSettings(margin=0.1)).verdict == "alike"
    small = AdviceSettings(margin=0.001, horizon=50, futures=20)
    assert advise(values, ahead=small).action == "continue"


def test_a_clearer_difference_takes_fewer() -> None:
    noise = 0.4 * np.random.default_rng(0).uniform(-1, 1, 15)
    near, far = (advise(noise - noise.mean() + shift) for shift in (0.08, 0.2))
    assert far.more < near.more
    assert near.more_low < near.more


def test_few_values_give_no_guess() -> None:
    found = advise([0.5, 0.5])
    assert (found.action, found.more, found.chance) == ("continue", None, None)
    assert "fewer than 5 values" in found.why


@relaxed
@given(streams, st.integers(0, 3))
def test_advice_is_in_order(values: np.ndarray, seed: int) -> None:
    ahead = replace(ONE_FUTURE, seed=seed)
    found = advise(values, ahead=ahead)
    assert (found.action == "stop") == (found.verdict is not None)
    assert found == advise(values, ahead=ahead)
    numbers = [found.more_low, found.more, found.more_high]
    given_ = [number for number in numbers if number is not None]
    assert given_ == sorted(given_)
    assert all(1 <= number <= ahead.horizon for number in given_)
    assert (found.why is not None) == (None in [*numbers, found.chance])
    json.dumps(found.as_json(), allow_nan=False)


@pytest.mark.parametrize("wrong", [{"horizon": 0}, {"futures": 0}, {"margin": 0.0}])
def test_bad_looks_ahead_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        AdviceSettings(**wrong)
