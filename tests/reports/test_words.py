from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.reports import words
from reports.cells import E

shares = st.floats(0, 1)


def test_number_shows_value_and_interval_on_a_scale_of_100():
    assert words.number(E(0.6234, 0.551, 0.69)) == "62.3 [55.1, 69.0]"


def test_number_without_interval_is_marked():
    assert words.number(E(0.5, n=3)) == "50.0 †"
    assert words.few_note() == "† no interval: fewer than 5 episodes with a value."


# .0016 to .0022 reads "0.2" at both ends; .00161 to .00164 needs a third decimal.
def test_a_narrow_interval_gets_the_decimals_that_show_it():
    assert words.number(E(0.0018, 0.0016, 0.0022)) == "0.18 [0.16, 0.22]"
    assert words.number(E(0.00162, 0.00161, 0.00164)) == "0.162 [0.161, 0.164]"
    assert words.number(E(0.5, 0.5, 0.5)) == "50.0 [50.0, 50.0]"
    assert words.number(E(0.0008, n=4)) == "0.08 †"


def test_the_spread_over_episodes():
    assert words.spread(E(0.5, 0.4, 0.6, sd=0.041)) == "sd 4.1"
    assert words.spread(E(0.0005, 0.0004, 0.0006, sd=0.0002)) == "sd 0.02"
    assert words.spread(E(0.5, n=1)) == "sd n/a"


def test_some_names_stand_for_many():
    assert words.some(["a", "b", "c"]) == "a, b and c"
    assert words.some([str(i) for i in range(16)]) == "0, 1, 2, 3 and 12 others"


@pytest.mark.parametrize("missing", [None, E(None, why="no scored episode")])
def test_a_missing_number_is_not_a_zero(missing):
    assert words.number(missing) == "n/a"
    assert words.amount(missing) == "n/a"


def test_reason_is_empty_exactly_when_there_is_a_value():
    assert words.reason(E(0.0, 0.0, 0.1)) == ""
    assert words.reason(E(None, why="no scored episode")) == "no scored episode"
    assert words.reason(None, "no success labels") == "no success labels"


def test_amount_keeps_the_scale_of_a_diagnostic():
    assert words.amount(E(12.34, 11.0, 13.5)) == "12.3 [11, 13.5]"
    # No end is finer than the largest of the three: -0.00742 beside 0.641 would say too much.
    assert words.amount(E(0.359, -0.00742, 0.641)) == "0.359 [-0.007, 0.641]"
    assert words.amount(E(-0.0001, -0.608, 0.544)) == "0 [-0.608, 0.544]"
    assert words.amount(E(0.0, 0.0, 0.0)) == "0 [0, 0]"
    assert words.amount(E(0.00123, 0.0011, 0.0014)) == "0.00123 [0.0011, 0.0014]"
    assert words.amount(E(1234.5, -12.3, 2500.0)) == "1.23e+03 [-12, 2.5e+03]"


def test_details_say_all_that_is_known():
    told = words.details("MP", E(0.5, 0.4, 0.6, worst=0.4, best=0.7, sd=0.1))
    assert told == "MP 50.0 [40.0, 60.0], n = 20, worst to best 40.0 to 70.0, sd 10.0, by hand"


# [.1, .2] and [.5, .6] lie .5 - .2 = .3 apart, whichever comes first; [.1, .3] and [.2, .4] meet.
def test_gap_between_intervals():
    low, high = E(0.15, 0.1, 0.2), E(0.55, 0.5, 0.6)
    assert words.gap(low, high) == pytest.approx(0.3)
    assert words.gap(high, low) == pytest.approx(0.3)
    assert words.gap(E(0.2, 0.1, 0.3), E(0.3, 0.2, 0.4)) == 0
    assert words.gap(low, E(0.9, n=3)) == 0


def test_bands_meet_when_they_share_a_point():
    low, high = {"low": 0.1, "high": 0.3}, {"low": 0.3, "high": 0.4}
    assert words.bands_meet(low, high)
    assert not words.bands_meet(low, {"low": 0.31, "high": 0.4})
    assert not words.bands_meet(low, {"low": None, "high": None})
    assert not words.bands_meet(None, high)


@pytest.mark.parametrize(
    ("names", "told"), [([], ""), (["a"], "a"), (["a", "b", "c"], "a, b and c")]
)
def test_listing(names, told):
    assert words.listing(names) == told


def test_counted_knows_one_from_many():
    assert [words.counted(1, "policy"), words.counted(2, "policy")] == ["1 policy", "2 policies"]
    assert words.counted(0, "task") == "0 tasks"


@given(shares, shares)
def test_points_keep_the_order_and_stay_within_half_a_tenth(a, b):
    low, high = sorted((a, b))
    assert float(words.points(low)) <= float(words.points(high))
    assert abs(float(words.points(a)) - 100 * a) <= 0.05 + 1e-9


@given(st.floats(-1e-9, 1e-9))
def test_points_never_show_a_negative_zero(value):
    assert words.points(value) == "0.0"
