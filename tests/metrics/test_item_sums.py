"""Intervals of numbers that are made of sums over items."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.metrics import item_sums as module
from assay.metrics.intervals import mean_interval
from assay.metrics.item_sums import chance_corrected, figure_of_sums, grouped

relaxed = settings(deadline=None, max_examples=30)


def mean(sums):
    """Return a mean from the sums of values and of ones, and its slopes."""
    value = sums[..., 0] / sums[..., 1]
    return value, np.stack([1 / sums[..., 1], -value / sums[..., 1]], axis=-1)


def parts_of(values) -> np.ndarray:
    return np.stack([np.asarray(values, dtype=float), np.ones(len(values))], axis=1)


def test_a_mean_is_a_number_of_sums():
    # Values 96 .. 105 as in the test of means: ends near 100.5 -+ 2.166, by Student's t.
    parts = parts_of(range(96, 106))
    found = figure_of_sums(parts, mean)
    assert found.value == 100.5
    assert found.high - found.low == pytest.approx(2 * 2.166, rel=0.2)
    assert figure_of_sums(parts, mean, low=100, high=101).low == 100


def test_the_published_mean_of_the_mice():
    # Efron and Tibshirani (1993), table 2.1: nine control mice lived 56.22 days on average. Here
    # the mean goes the way of any number of sums; drawn by the same rule as plain means, though
    # with other dice, it has their interval but for a small part of its width.
    mice = [52, 104, 146, 10, 51, 30, 40, 27, 46]
    found = figure_of_sums(parts_of(mice), mean, resamples=20_000)
    plain, low, high, _ = mean_interval(
        np.array(mice, dtype=float), low=-np.inf, high=np.inf, resamples=20_000
    )
    assert found.value == pytest.approx(plain) == pytest.approx(56.22, abs=5e-3)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.1 * (high - low))


@relaxed
@given(st.lists(st.floats(-5, 5), min_size=5, max_size=30), st.floats(-3, 3))
def test_the_value_lies_inside_and_moves_with_the_items(values, shift):
    found = figure_of_sums(parts_of(values), mean, resamples=200)
    moved = figure_of_sums(parts_of(np.array(values) + shift), mean, resamples=200)
    assert moved.value == pytest.approx(found.value + shift, abs=1e-9)
    if found.low is not None and moved.low is not None:
        assert found.low <= found.value <= found.high
        assert moved.low == pytest.approx(found.low + shift, abs=1e-6)


def test_items_of_one_episode_are_added_up():
    parts = parts_of([1, 2, 3, 4])
    assert grouped(parts, np.array([7, 7, 9, 7])).tolist() == [[7, 3], [3, 1]]
    assert grouped(parts, None) is not None
    with pytest.raises(UsageError, match="its episode"):
        grouped(parts, np.arange(3))


def test_an_undefined_number_has_no_value():
    found = figure_of_sums(np.ones((6, 1)), lambda sums: (sums[..., 0] * np.nan, sums))
    assert (found.value, found.why) == (None, "undefined for these items")


def test_full_agreement_has_a_bound():
    # Twenty items, none disagreed on: p = 1 - .05^(1/20) = .1391; expected .5: 1 - .1391 / .5.
    found = chance_corrected(
        np.ones((20, 2)), mean, observed=0.0, expected=0.5, level=0.95, resamples=9, seed=0
    )
    assert (found.value, found.high, found.method) == (1.0, 1.0, "bound")
    assert found.low == pytest.approx(0.72178, abs=1e-5)


def test_a_sample_larger_than_one_batch_of_draws(monkeypatch):
    parts = parts_of(np.arange(200.0) % 17)
    whole = figure_of_sums(parts, mean)
    monkeypatch.setattr(module, "_DRAWS_AT_ONCE", 7000)
    assert figure_of_sums(parts, mean) == whole
