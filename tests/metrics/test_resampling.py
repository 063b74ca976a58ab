"""Units, blocks, and how far a mean without spread may lie from what was seen."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics import resampling as module
from assay.metrics.intervals import mean_interval
from assay.metrics.resampling import Units, bootstrap_t, spread, unseen
from assay.metrics.strata import lay_out, numbered

relaxed = settings(deadline=None, max_examples=30)
QUICK = {"level": 0.95, "resamples": 400, "seed": 0}


def units(values: list[float], blocks: list[int] | None = None) -> Units:
    """Return one unit a value, all of one weight."""
    n = len(values)
    home = np.zeros(n, dtype=np.int64) if blocks is None else np.array(blocks)
    return Units.of(np.array(values), np.full(n, 1 / n), np.arange(n), home)


def test_standard_error_by_hand() -> None:
    # 1, 2, 3, 4: s^2 = 5 / 3, se^2 = 5 / 12 with 3 degrees of freedom.
    assert spread(units([1, 2, 3, 4])) == pytest.approx((5 / 12, 3))
    # In blocks (1, 2), (3, 4) of weight 1/2: s^2 = 1/2 each, se^2 = 2 * (1/4) * (1/2) / 2 = 1/8,
    # with 1 + 1 degrees of freedom.
    assert spread(units([1, 2, 3, 4], [0, 0, 1, 1])) == pytest.approx((1 / 8, 2))


def test_freedom_of_two_arms_is_satterthwaites() -> None:
    # Welch (1938): (u + v)^2 / (u^2 / (n - 1) + v^2 / (m - 1)), here u = 5 / 12 and v = 4 / 3.
    u, v = 5 / 12, 4 / 3
    wanted = (u + v) ** 2 / (u * u / 3 + v * v / 2)
    assert spread(units([1, 2, 3, 4]), units([2, 4, 6])) == pytest.approx((u + v, wanted))


def test_a_cluster_counts_by_its_sum() -> None:
    # Clusters (1, 1), (3, 3), (5, 5): as good as the values 1, 3, 5, se^2 = 4 / 3.
    values, groups = np.array([1, 1, 3, 3, 5, 5.0]), np.array([0, 0, 1, 1, 2, 2])
    found = Units.of(values, np.full(6, 1 / 6), groups, np.zeros(6, dtype=np.int64))
    assert spread(found) == pytest.approx((4 / 3, 2))
    assert found.total == pytest.approx(3)


@relaxed
@given(st.lists(st.floats(0, 1).map(lambda x: round(x, 3)), min_size=5, max_size=20))
def test_each_arm_is_as_long_as_students(values: list[float]) -> None:
    found = bootstrap_t([units(values)], (0.0, 1.0), **QUICK)
    mean, variance = float(np.mean(values)), np.var(values, ddof=1) / len(values)
    from scipy.special import stdtrit

    reach = float(stdtrit(len(values) - 1, 0.975)) * math.sqrt(variance)
    assert found.low <= max(0.0, mean - reach) + 1e-9
    assert found.high >= min(1.0, mean + reach) - 1e-9


def test_a_skewed_sample_gets_the_arm_that_means_get_elsewhere() -> None:
    # The long arm is the bootstrap's, as in `intervals`; 4,000 resamples are good to some percent.
    values = [0.0] * 12 + [0.1, 0.3, 0.6, 0.9]
    found = bootstrap_t([units(values)], (0.0, 1.0), level=0.95, resamples=4000, seed=0)
    _, _, high, _ = mean_interval(np.array(values), resamples=4000)
    mean = np.mean(values)
    assert found.high - mean == pytest.approx(high - mean, rel=0.1)


def test_more_units_than_one_batch_of_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).random(10).tolist()
    whole = bootstrap_t([units(values)], (-9.0, 9.0), **QUICK)
    monkeypatch.setattr(module, "_DRAWS_AT_ONCE", 7)
    parts = bootstrap_t([units(values)], (-9.0, 9.0), **QUICK)
    assert (parts.low, parts.high) == (
        pytest.approx(whole.low, abs=0.1),
        pytest.approx(whole.high, abs=0.1),
    )


def test_one_block_without_spread_is_the_exact_bound() -> None:
    # 1 - .05^(1/5) = .45072, of a reach of 1/2.
    assert unseen(np.array([0.5]), np.array([5]), 0.95) == pytest.approx(0.22536, abs=1e-5)


def test_two_blocks_share_what_may_be_unseen() -> None:
    # Two blocks of 10 with one reach: the same p in both, (1 - p)^20 = .05, p = .13911.
    assert unseen(np.array([0.5, 0.5]), np.array([10, 10]), 0.95) == pytest.approx(
        0.13911, abs=1e-5
    )
    # A block of 10,000 can hide nothing worth it: all goes to the other, .1 * (1 - .05^(1/10)).
    found = unseen(np.array([0.1, 0.1]), np.array([10, 10_000]), 0.95)
    assert found == pytest.approx(0.1 * 0.25887, abs=1e-4)


@relaxed
@given(
    st.lists(
        st.tuples(st.floats(0.01, 1), st.integers(1, 30), st.floats(0, 1)), min_size=1, max_size=4
    )
)
def test_no_admissible_shares_move_the_mean_further(rows: list[tuple[float, int, float]]) -> None:
    reaches, sizes, split = (np.array(column) for column in zip(*rows, strict=True))
    # Any way to split the log of .05 over the blocks gives shares that are just admissible.
    split = (split + 1e-9) / (split + 1e-9).sum()
    shares = 1 - np.exp(split * math.log(0.05) / sizes)
    most = unseen(reaches, sizes.astype(np.int64), 0.95)
    assert float(np.sum(shares * reaches)) <= most + 1e-9
    assert most <= reaches.sum() + 1e-9


def blocks_of(strata: list[int], clusters: list[int]) -> list[int]:
    (found,) = lay_out([(np.array(strata), np.array(clusters))])
    return found.tolist()


def test_a_stratum_is_a_block() -> None:
    assert blocks_of([0, 0, 1, 1], [0, 1, 2, 3]) == [0, 0, 1, 1]


def test_clusters_across_strata_make_one_block() -> None:
    assert blocks_of([0, 0, 1, 1], [0, 1, 0, 1]) == [0, 0, 0, 0]


def test_a_lone_unit_joins_the_smallest_of_the_others() -> None:
    assert blocks_of([0, 0, 0, 1, 2, 2], [0, 1, 2, 3, 4, 5]) == [0, 0, 0, 1, 1, 1]


def test_lone_units_join_each_other() -> None:
    assert blocks_of([0, 0, 1, 2], [0, 1, 2, 3]) == [0, 0, 1, 1]


def test_labels_of_any_kind_are_numbered() -> None:
    assert numbered(["b", "a", "b"], 3).tolist() == [1, 0, 1]
    assert numbered(np.array([7, 5, 5]), 3).tolist() == [1, 0, 0]
