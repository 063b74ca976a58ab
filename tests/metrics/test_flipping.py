"""Bets on the signs of paired differences, which may be looked at after every pair."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import UnknownNameError, UsageError
from assay.metrics.betting import bet
from assay.metrics.flipping import FlipSettings, flip, log_flips, stakes
from proof.anytime import NULLS, SYMMETRIC, flip_errors

relaxed = settings(deadline=None, max_examples=60)
sizes = st.lists(st.floats(0, 5), min_size=1, max_size=7).map(np.array)
streams = st.lists(st.floats(-1, 1), min_size=1, max_size=30).map(np.array)
HALF = FlipSettings(side="above", shares=(0.5,))

# Fisher (1935), "The Design of Experiments": Darwin's fifteen pairs of maize, crossed less selfed,
# in eighths of an inch.
MAIZE = np.array([49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48], dtype=float)


def signs(n: int) -> np.ndarray:
    """Return all patterns of n signs, of shape (2**n, n)."""
    return np.array(list(itertools.product([-1.0, 1.0], repeat=n)))


def test_wealth_by_hand() -> None:
    # Sizes against the largest so far: 1, 0.1 / 0.2 = 0.5, 1. With a share of a half, by signs
    # alone 1.5 * 0.5 * 1.5 = 1.125; by sizes 1.5 * (1 - 0.25) * 1.5 = 1.6875; their mean 1.40625.
    values = [0.2, -0.1, 0.4]
    assert flip(values, HALF).e_value == pytest.approx(1.40625)
    # Down: 0.5 * 1.5 * 0.5 = 0.375 and 0.5 * 1.25 * 0.5 = 0.3125.
    assert flip(values, replace(HALF, side="below")).e_value == pytest.approx(0.34375)
    # With both sides each gambler has half of the wealth, and the richer one speaks.
    assert flip(values, replace(HALF, side="both")).e_value == pytest.approx(1.40625 / 2)
    # The first value made 1.5, both ways, which is the most so far.
    found = flip([0.2, -0.1, 0.0], HALF)
    assert (found.n, found.ties, found.p_value) == (3, 1, pytest.approx(1 / 1.5))


def test_stakes_by_hand() -> None:
    found = stakes(np.array([0.0, -0.2, 0.05, 0.4, 0.1]), tie=0.05)
    assert found[:, 0].tolist() == [0, 1, 0, 1, 1]
    assert found[:, 1] == pytest.approx([0, 1, 0, 1, 0.25])


def test_a_small_difference_that_is_always_there_is_found_as_soon_as_a_large_one() -> None:
    # Wins alone decide after eight (tests/metrics/test_betting.py derives it), at any size.
    assert [flip([size] * 10).decided_at for size in (1.0, 0.115, 1e-6)] == [8, 8, 8]
    assert (flip([0.1] * 10).verdict, flip([-0.1] * 10).verdict) == ("above", "below")
    # Bets on the mean reckon with a loss of 1.
    assert bet([0.115] * 60).decided_at == 46


def test_darwins_maize() -> None:
    # Fisher counts 863 of 2**15 patterns of signs whose sum is as large or larger. All patterns are
    # as likely under the null, so the error of our verdicts can be counted too: of the first twelve
    # pairs, with a look after each.
    assert (signs(15) @ np.abs(MAIZE) >= MAIZE.sum()).sum() == 863
    logs = log_flips(signs(12) * np.abs(MAIZE[:12]))
    wrong = (logs >= np.array(FlipSettings().thresholds)).any(axis=(1, 2))
    assert 0 < wrong.mean() < 0.05


@relaxed
@given(sizes)
def test_wealth_is_one_on_average_over_all_signs(size: np.ndarray) -> None:
    logs = log_flips(signs(len(size)) * size)
    assert np.exp(logs).mean(axis=0) == pytest.approx(np.ones((len(size), 2)))


@relaxed
@given(sizes)
def test_whoever_stops_when_rich_has_one_on_average(size: np.ndarray) -> None:
    wealth = np.exp(log_flips(signs(len(size)) * size)[..., 0])
    rich = wealth >= 1.5
    first = np.where(rich.any(axis=1), np.argmax(rich, axis=1), len(size) - 1)
    assert wealth[np.arange(len(wealth)), first].mean() == pytest.approx(1.0)


@relaxed
@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=40))
def test_of_success_it_is_the_same_as_bets_on_the_mean(values: list[float]) -> None:
    found, other = flip(values), bet(values)
    assert found.e_value == pytest.approx(other.e_value)
    assert found.p_value == pytest.approx(other.p_value)
    assert (found.verdict, found.decided_at) == (other.verdict, other.decided_at)


@relaxed
@given(streams, st.sampled_from([0.25, 8.0, 1024.0]))
def test_the_unit_does_not_matter_and_the_sign_turns_it_round(
    values: np.ndarray, unit: float
) -> None:
    found, scaled, turned = flip(values), flip(values * unit), flip(-values)
    assert scaled.e_value == pytest.approx(found.e_value)
    assert turned.e_value == pytest.approx(found.e_value)
    round_ = {"above": "below", "below": "above", None: None}
    assert (turned.verdict, turned.decided_at) == (round_[found.verdict], found.decided_at)
    assert found.is_rejected == (found.p_value <= 0.05)


@relaxed
@given(streams, streams)
def test_the_past_does_not_know_the_future(values: np.ndarray, later: np.ndarray) -> None:
    logs = log_flips(np.concatenate([values, later]))
    assert logs[: len(values)] == pytest.approx(log_flips(values))


def test_the_same_mean_may_be_told_apart() -> None:
    # 0.05 ahead in 19 of 20 scenes and 0.95 behind in one: the mean is 0, and the signs lean.
    values = np.tile([*[0.05] * 19, -0.95], 3)
    assert values.mean() == pytest.approx(0.0)
    assert flip(values).verdict == "above"
    assert bet(values).verdict is None


def test_the_error_stays_under_alpha() -> None:
    # The campaign has 10,000 streams of 500 and all symmetric populations.
    assert len(SYMMETRIC) == 4
    assert max(flip_errors(NULLS[2], 400, horizon=150)) < 0.05


def test_no_value_is_no_evidence() -> None:
    found = flip([])
    assert (found.n, found.ties, found.e_value, found.p_value) == (0, 0, 1.0, 1.0)
    assert (found.verdict, found.is_rejected) == (None, False)
    ties = flip([0.0] * 9)
    assert (ties.ties, ties.e_value, ties.p_value) == (9, pytest.approx(0.5), 1.0)


def test_endless_evidence_stays_a_number() -> None:
    found = flip(np.ones(1200))
    assert 1e299 < found.e_value < math.inf
    assert json.loads(json.dumps(found.as_json(), allow_nan=False))["verdict"] == "above"


@pytest.mark.parametrize("values", [[0.0, math.nan], [-math.inf], [[0.1, 0.2]]])
def test_bad_values_are_refused(values: list[float]) -> None:
    with pytest.raises(UsageError, match="A stream"):
        flip(values)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"level": 1.0}, "between 0 and 1"),
        ({"shares": ()}, "at least one share"),
        ({"shares": (0.5, 1.0)}, "between 0 and 1"),
        ({"tie": -0.1}, "0 or more"),
        ({"tie": math.nan}, "0 or more"),
    ],
)
def test_bad_settings_are_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        FlipSettings(**wrong)


def test_an_unknown_side_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'above'"):
        FlipSettings(side="abov")
