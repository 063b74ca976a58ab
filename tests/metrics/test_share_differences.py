"""Differences of shares, paired and unpaired."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from assay.errors import UsageError
from assay.metrics.share_differences import paired_share_difference, unpaired_share_difference

relaxed = settings(deadline=None, max_examples=30)
counts = st.integers(0, 12)


def outcomes(successes: int, n: int) -> np.ndarray:
    return np.repeat([1, 0], [successes, n - successes])


def pairs(both: int, only_a: int, only_b: int, neither: int) -> tuple[np.ndarray, np.ndarray]:
    table = [both, only_a, only_b, neither]
    return np.repeat([1, 1, 0, 0], table), np.repeat([1, 0, 1, 0], table)


def test_tango_published_example() -> None:
    # Fagerland, Lydersen and Laake (2017), "Statistical Analysis of Contingency Tables", chapter 8:
    # complete response before and after consolidation therapy. Their package contingencytables
    # prints -0.0621 (-0.1240 to -0.0054).
    found = paired_share_difference(*pairs(59, 6, 16, 80))
    assert found.value == pytest.approx(-10 / 161)
    assert (found.low, found.high) == pytest.approx((-0.1240, -0.0054), abs=5e-5)
    assert (found.method, found.test) == ("tango", "exact mcnemar")


def test_tango_ends_solve_its_equation() -> None:
    # At D the most likely share for b alone solves 2 n q^2 + B q + C = 0 with B = (2 n - r + s) D
    # - r - s and C = -s D (1 - D), by setting the slope of r log(q + D) + s log q
    # + (n - r - s) log(1 - 2 q - D) to 0. Here the slope itself is looked at.
    r, s, n = 1, 7, 21
    found = paired_share_difference(*pairs(1, r, s, 12))
    for end in (found.low, found.high):

        def slope(q: float, d: float = end) -> float:
            return r / (q + d) + s / q - 2 * (n - r - s) / (1 - 2 * q - d)

        q = brentq(slope, max(0.0, -end) + 1e-12, (1 - end) / 2 - 1e-12)
        assert (r - s - n * end) ** 2 == pytest.approx(1.959964**2 * n * (2 * q + end * (1 - end)))


def test_no_different_pair_by_hand() -> None:
    # r = s = 0: at D > 0 the most likely q is 0, so that n^2 D^2 = z^2 n D (1 - D) and
    # D = z^2 / (n + z^2) = 3.8415 / 13.8415, Wilson's end.
    found = paired_share_difference(*pairs(4, 0, 0, 6))
    assert (found.low, found.high) == pytest.approx((-0.27753, 0.27753), abs=1e-5)
    assert found.p == 1.0


@pytest.mark.parametrize(
    ("x", "n", "y", "m", "low", "high"),
    [
        (56, 70, 48, 80, 0.0528, 0.3382),
        (9, 10, 3, 10, 0.1700, 0.8406),
        (6, 7, 2, 7, 0.0342, 0.8534),
        (5, 56, 0, 29, -0.0326, 0.1933),
        (0, 10, 0, 20, -0.1658, 0.2844),
        (0, 10, 0, 10, -0.2879, 0.2879),
        (10, 10, 0, 20, 0.7156, 1.0),
    ],
)
def test_miettinen_nurminen_published_examples(x, n, y, m, low, high) -> None:
    # Newcombe (1998), "Interval estimation for the difference between independent proportions:
    # comparison of eleven methods", table II.
    found = unpaired_share_difference(outcomes(x, n), outcomes(y, m))
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)
    assert (found.method, found.test) == ("miettinen-nurminen", "boschloo")


def test_all_against_none_by_hand() -> None:
    # 10 of 10 against 0 of 10: at D the shares are (1 + D) / 2 and (1 - D) / 2, so that
    # (1 - D)^2 = z^2 (1 - D^2) / 20 * 20 / 19, and D = (1 - c) / (1 + c) with c = z^2 / 19.
    found = unpaired_share_difference(outcomes(10, 10), outcomes(0, 10))
    assert found.low == pytest.approx((1 - 3.84146 / 19) / (1 + 3.84146 / 19), abs=1e-5)
    assert found.high == 1.0


def test_two_tasks_of_one_kind_are_like_one() -> None:
    # Both tasks have 8 of 10 against 5 of 10; the variance of two halves is that of one whole,
    # but for n - 1.
    a, b = np.tile(outcomes(8, 10), 2), np.tile(outcomes(5, 10), 2)
    tasks = np.repeat(["x", "y"], 10)
    whole = unpaired_share_difference(a, b)
    parts = unpaired_share_difference(a, b, strata=(tasks, tasks))
    assert parts.value == pytest.approx(whole.value)
    assert (parts.low, parts.high) == pytest.approx((whole.low, whole.high), abs=0.01)
    assert parts.test == "exact stratified"


def test_tasks_count_the_same_or_by_size() -> None:
    # x: 4 of 4 against 2 of 4; y: 6 of 12 against 6 of 12. Equal: .25; by size: .5 * 8 / 32.
    a = np.concatenate([outcomes(4, 4), outcomes(6, 12)])
    b = np.concatenate([outcomes(2, 4), outcomes(6, 12)])
    tasks = np.repeat(["x", "y"], [4, 12])
    both = (tasks, tasks)
    assert unpaired_share_difference(a, b, strata=both).value == pytest.approx(0.25)
    by_size = unpaired_share_difference(a, b, strata=both, weights="size")
    assert by_size.value == pytest.approx(0.125)


@relaxed
@given(counts, counts, counts, counts)
def test_paired_intervals_hold_the_value(both: int, only_a: int, only_b: int, rest: int) -> None:
    a, b = pairs(both, only_a, only_b, rest + 5)
    found, turned = paired_share_difference(a, b), paired_share_difference(b, a)
    assert -1 <= found.low <= found.value <= found.high <= 1
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))
    assert turned.p == found.p
    assert json.loads(json.dumps(found.as_json(), allow_nan=False))["paired"] is True


@relaxed
@given(st.integers(5, 30), st.integers(5, 30), st.data())
def test_unpaired_intervals_hold_the_value(n: int, m: int, data: st.DataObject) -> None:
    x, y = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    a, b = outcomes(x, n), outcomes(y, m)
    found, turned = unpaired_share_difference(a, b), unpaired_share_difference(b, a)
    assert -1 <= found.low <= found.value <= found.high <= 1
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low), abs=1e-9)
    assert turned.p == pytest.approx(found.p)


def test_few_episodes_have_a_test_but_no_interval() -> None:
    paired = paired_share_difference(*pairs(0, 4, 0, 0))
    assert (paired.value, paired.low, paired.p) == (1.0, None, 0.125)
    assert paired.why == "fewer than 5 scenes: no interval"
    free = unpaired_share_difference(outcomes(4, 4), outcomes(0, 9))
    assert (free.value, free.low) == (1.0, None)
    assert free.why == "a policy has fewer than 5 episodes: no interval"


@pytest.mark.parametrize("bad", [[], [0, 2], [0.5, 1], [[0, 1]]])
def test_what_is_not_an_outcome_is_refused(bad: list[float]) -> None:
    with pytest.raises(UsageError, match="A share needs"):
        paired_share_difference(bad, bad)
    with pytest.raises(UsageError, match="A share needs"):
        unpaired_share_difference([0, 1], bad)


def test_pairs_of_unequal_length_are_refused() -> None:
    with pytest.raises(UsageError, match="there are 2 and 3"):
        paired_share_difference([0, 1], [0, 1, 1])
