"""One number for a curve: how it ended, and whether it rose with time."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.metrics.tails import last_part, value_order


def test_the_last_part_is_the_last_three_of_ten():
    # ceil(0.3 * 10) = 3: the mean of 0.7, 0.8, 0.9
    assert last_part(np.arange(10) / 10) == pytest.approx(0.8)


@pytest.mark.parametrize(("count", "last"), [(1, 1), (2, 1), (3, 1), (4, 2), (7, 3), (11, 4)])
def test_the_count_is_rounded_up_and_at_least_one(count, last):
    # ceil of 0.3, 0.6, 0.9, 1.2, 2.1, 3.3
    values = np.zeros(count)
    values[-last:] = 1.0
    assert last_part(values) == 1.0
    assert last == count or last_part(np.roll(values, -1)) < 1.0


def test_what_is_unscored_at_the_end_is_no_zero():
    assert math.isnan(last_part(np.array([0.1, 0.2, np.nan])))
    assert last_part(np.array([np.nan, np.nan, 0.5])) == 0.5
    assert math.isnan(last_part(np.array([])))


@pytest.mark.parametrize("share", [0.0, -0.1, 1.1, math.nan])
def test_a_share_outside_is_refused(share):
    with pytest.raises(UsageError, match="must be a share above 0 and at most 1"):
        last_part(np.ones(3), share)


def test_value_order_by_hand():
    # ranks 1, 3, 2 against 0, 1, 2: covariance sum 1, each sum of squares 2, so 1 / 2
    assert value_order(np.array([0.0, 0.9, 0.4])) == pytest.approx(0.5)
    assert value_order(np.array([0.1, 0.2, 0.9])) == pytest.approx(1.0)


def test_value_order_of_ties_takes_the_mean_rank():
    # ranks 1, 2.5, 2.5 against 0, 1, 2: 1.5 / sqrt(1.5 * 2)
    assert value_order(np.array([0.0, 0.5, 0.5])) == pytest.approx(1.5 / math.sqrt(3.0))


@pytest.mark.parametrize("values", [[], [0.5], [0.5, 0.5], [0.1, np.nan, 0.3]])
def test_without_an_order_there_is_no_number(values):
    assert math.isnan(value_order(np.array(values, dtype=float)))


@given(st.lists(st.integers(0, 10_000), min_size=2, max_size=20, unique=True))
def test_turning_time_around_turns_the_sign(numbers):
    values = np.array(numbers) / 10_000
    assert value_order(values) == pytest.approx(-value_order(values[::-1]))
    assert -1 - 1e-9 <= value_order(values) <= 1 + 1e-9
