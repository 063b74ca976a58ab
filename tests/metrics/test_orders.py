"""Orders that data leave open: by hand, as published, and against all orders spelt out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.metrics import orders as module
from assay.metrics.orders import (
    drawn_signs,
    pair_signs,
    rho_range,
    settled_signs,
    tau_range,
    unseen_error2,
)

relaxed = settings(deadline=None, max_examples=40)
sides = st.integers(3, 4).flatmap(
    lambda n: st.tuples(
        *[st.lists(st.integers(0, 6), min_size=n, max_size=n).map(np.array)] * 2,
        *[st.integers(0, 4)] * 2,
    )
)


def settled(means: np.ndarray, gap: int) -> np.ndarray:
    """Return the order of the pairs that are more than `gap` apart."""
    i, j = np.triu_indices(len(means), 1)
    return np.where(np.abs(means[i] - means[j]) > gap, np.sign(means[i] - means[j]), 0)


def test_neighbours_that_are_open_can_not_all_be_swapped() -> None:
    # Of a b c d only neighbours are open, on one side. Swapping a with b and b with c would put c
    # above a, which is settled: at most ab and cd are swapped, tau is (4 - 2) / 6 or more. Counted
    # one by one the three open pairs would give (3 - 3) / 6.
    side, other = np.array([0, 1, 1, 0, 1, 0]), np.ones(6, dtype=int)
    assert tau_range(side, other) == (pytest.approx(1 / 3), 1.0)


def test_too_many_policies_are_counted_pair_by_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_LISTED", 3)
    side, other = np.array([0, 1, 1, 0, 1, 0]), np.ones(6, dtype=int)
    assert tau_range(side, other) == (0.0, 1.0)
    monkeypatch.undo()
    monkeypatch.setattr(module, "_MOST_COMPARED", 1)
    assert tau_range(side, other) == (0.0, 1.0)


def test_ranks_are_bounded_where_orders_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of four only ab and cd are open on one side: the ranks 3 2 1 0 may be 2 3 0 1, four steps of
    # 1, rho = 1 - 6 * 4 / 60 = .6. Ranks by themselves say the same here.
    side, other = np.array([0, 1, 1, 1, 1, 0]), np.ones(6, dtype=int)
    assert rho_range(side, other) == pytest.approx((0.6, 1.0))
    monkeypatch.setattr(module, "_MOST_LISTED", 3)
    assert rho_range(side, other) == pytest.approx((0.6, 1.0))
    # Reversed and settled: no rank is free, 1 - 6 * (9 + 1 + 1 + 9) / 60 = -1.
    assert rho_range(-other, other) == pytest.approx((-1.0, -1.0))
    assert rho_range(0 * other, other) == pytest.approx((-1.0, 1.0))


def test_resamples_settle_a_pair_when_hardly_any_has_it_turned() -> None:
    values, drawn = np.array([1.0, 2.0, 2.0]), np.tile([1.0, 2.0, 2.5], (200, 1))
    drawn[:5, 0] = 3.0  # 2.5 % turned: alpha / 2 at 5 %
    assert drawn_signs(values, drawn, 0.05).tolist() == [-1, -1, 0]
    drawn[5, 0] = 3.0
    assert drawn_signs(values, drawn, 0.05).tolist() == [0, 0, 0]


@relaxed
@given(sides)
def test_the_range_is_that_of_all_orders_spelt_out(drawn) -> None:
    x, y, gap_x, gap_y = drawn
    first, second = settled(x, gap_x), settled(y, gap_y)
    every = [pair_signs(np.array(p)).tolist() for p in itertools.permutations(range(len(x)))]
    allowed = [
        [order for order in every if all(s in (0, t) for s, t in zip(side, order, strict=True))]
        for side in (first.tolist(), second.tolist())
    ]
    taus = [
        sum(s * t for s, t in zip(a, b, strict=True)) / len(a)
        for a in allowed[0]
        for b in allowed[1]
    ]
    assert tau_range(first, second) == pytest.approx((min(taus), max(taus)))
    low, high = rho_range(first, second)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MOST_LISTED", 2)
        wide = rho_range(first, second)
    assert wide[0] - 1e-6 <= low <= high <= wide[1] + 1e-6
    # Ties included, the orders at hand lie inside.
    if np.ptp(x) and np.ptp(y):
        low, high = tau_range(first, second)
        assert low - 1e-6 <= stats.kendalltau(x, y).statistic <= high + 1e-6


def test_welchs_quantile_by_hand() -> None:
    # Squared errors .25 and 1 of 16 and 11 values have 1.25^2 / (.0625 / 15 + 1 / 10) = 15 degrees
    # of freedom, for which tables give t = 2.131: a difference counts from 2.131 * 1.118 = 2.383.
    errors2, sizes = np.array([0.25, 1.0]), np.array([16, 11])
    for apart, wanted in ((2.385, 1), (-2.385, -1), (2.381, 0)):
        assert settled_signs(np.array([apart, 0.0]), errors2, sizes, 0.05).tolist() == [wanted]


def test_welchs_test_is_that_of_scipy() -> None:
    # Student (1908), the hours of sleep gained under two drugs; R's t.test(extra ~ group, sleep)
    # prints t = -1.8608, df = 17.776, p = 0.07939.
    first = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
    second = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
    assert stats.ttest_ind(first, second, equal_var=False).pvalue == pytest.approx(
        0.07939, abs=1e-5
    )
    means = np.array([first.mean(), second.mean()])
    errors2 = np.array([first.var(ddof=1), second.var(ddof=1)]) / 10
    sizes = np.array([10, 10])
    assert settled_signs(means, errors2, sizes, 0.0795).tolist() == [-1]
    assert settled_signs(means, errors2, sizes, 0.0793).tolist() == [0]


def test_unseen_values_by_hand() -> None:
    # Five values of .2 in 0..1: at worst others are .8 away; .75 * .64 / (6 * 7).
    assert unseen_error2(np.full(5, 0.2), (0.0, 1.0)) == pytest.approx(0.48 / 42)
