"""Filling moments without a value."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics.gaps import FILLS, fill_gaps
from metrics.curves import unit

NAN = math.nan
relaxed = settings(deadline=None, max_examples=100)
ways = st.sampled_from(FILLS)


@st.composite
def curves_with_gaps(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Return increasing times, unevenly spaced, and values of which some are NaN."""
    values = draw(st.lists(unit | st.just(NAN), min_size=1, max_size=20))
    waits = draw(st.lists(st.floats(0.01, 3), min_size=len(values), max_size=len(values)))
    return np.cumsum(waits), np.array(values)


def filled(how: str, values: list[float], times: list[float] | None = None) -> list[float]:
    at = range(len(values)) if times is None else times
    return fill_gaps(np.array(at, dtype=float), np.array(values), how).tolist()


def test_previous_repeats_the_last_known_value() -> None:
    found = filled("previous", [NAN, 0.2, NAN, NAN, 0.6, NAN])
    assert found == pytest.approx([NAN, 0.2, 0.2, 0.2, 0.6, 0.6], nan_ok=True)


def test_linear_joins_the_neighbours_by_time_not_by_count() -> None:
    # From 0.2 at 0 s to 0.6 at 4 s is 0.1 a second: 0.3 at 1 s, 0.5 at 3 s.
    assert filled("linear", [0.2, NAN, NAN, 0.6], [0, 1, 3, 4]) == pytest.approx(
        [0.2, 0.3, 0.5, 0.6]
    )


def test_linear_leaves_both_ends_open() -> None:
    found = filled("linear", [NAN, 0.2, NAN, 0.6, NAN])
    assert found == pytest.approx([NAN, 0.2, 0.4, 0.6, NAN], nan_ok=True)


@pytest.mark.parametrize("how", FILLS)
def test_a_curve_without_any_value_stays_so(how: str) -> None:
    assert np.isnan(filled(how, [NAN, NAN])).all()
    assert filled(how, []) == []


@relaxed
@given(curves_with_gaps(), ways)
def test_known_values_stay(case: tuple[np.ndarray, np.ndarray], how: str) -> None:
    times, values = case
    known = ~np.isnan(values)
    np.testing.assert_array_equal(fill_gaps(times, values, how)[known], values[known])


@relaxed
@given(curves_with_gaps(), ways)
def test_nothing_is_extrapolated_and_nothing_else_is_left(
    case: tuple[np.ndarray, np.ndarray], how: str
) -> None:
    times, values = case
    known = np.flatnonzero(~np.isnan(values))
    wanted = np.zeros(len(values), dtype=bool)
    if len(known):
        wanted[known[0] : known[-1] + 1 if how == "linear" else None] = True
    np.testing.assert_array_equal(~np.isnan(fill_gaps(times, values, how)), wanted)


@relaxed
@given(curves_with_gaps(), ways)
def test_a_filled_value_lies_between_its_neighbours(
    case: tuple[np.ndarray, np.ndarray], how: str
) -> None:
    times, values = case
    found = fill_gaps(times, values, how)
    known = np.flatnonzero(~np.isnan(values))
    for left, right in pairwise(known):
        low, high = sorted((values[left], values[right]))
        between = found[left : right + 1]
        assert low - 1e-15 <= between.min()
        assert between.max() <= high + 1e-15


def test_rounding_does_not_leave_the_range() -> None:
    # The gap is one float before the end of a fall to 0, where the line itself is at -1.1e-16.
    times = [0.3913804263046642, 1.9505166973348647, 1.9505166973348649]
    assert filled("linear", [0.8490644213934293, NAN, 0.0], times)[1] == 0


@relaxed
@given(curves_with_gaps(), ways)
def test_filling_twice_changes_nothing_more(case: tuple[np.ndarray, np.ndarray], how: str) -> None:
    times, values = case
    once = fill_gaps(times, values, how)
    np.testing.assert_array_equal(fill_gaps(times, once, how), once)
