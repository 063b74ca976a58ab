"""Exact tests of two shares."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.errors import UsageError
from assay.metrics import exact_tests as module
from assay.metrics.exact_tests import barnard, boschloo, mcnemar, stratified

relaxed = settings(deadline=None, max_examples=40)
sizes = st.integers(1, 12)

# Cured of all, injected at once and after 1.5 hours, at five levels of penicillin.
RABBITS = [
    np.array(row) for row in ([0, 3, 6, 5, 2], [6, 6, 6, 6, 2], [0, 0, 2, 6, 5], [5, 6, 6, 6, 5])
]


def test_boschloo_of_two_against_none_by_hand() -> None:
    # 2 of 2 against 0 of 2. Given a total of 2 Fisher's p is 2 / 6; only this table and its mirror
    # have it. Their chance is 2 pi^2 (1 - pi)^2, at most 2 / 16.
    assert boschloo(2, 2, 0, 2).p == pytest.approx(0.125)
    assert barnard(2, 2, 0, 2).p == pytest.approx(0.125)


def test_published_example_of_unconditional_tests() -> None:
    # Mehta and Senchaudhuri (2003), "Conditional versus unconditional exact tests for comparing two
    # binomials": 7 of 15 against 12 of 15, one-sided p 0.0341 (Fisher's: 0.0641), as it stands in
    # the documentation of scipy.stats.barnard_exact too. Arms of one size make the two-sided p
    # twice that.
    for test in (boschloo, barnard):
        assert test(7, 15, 12, 15).p == pytest.approx(2 * 0.0341, abs=1e-4)


@pytest.mark.parametrize("table", [(12, 50, 25, 50), (2, 9, 8, 11), (1, 34, 7, 34)])
def test_barnard_agrees_with_scipy(table: tuple[int, int, int, int]) -> None:
    x, n, y, m = table
    wanted = stats.barnard_exact([[x, y], [n - x, m - y]], n=128).pvalue
    assert barnard(*table).p == pytest.approx(wanted, rel=1e-5)


def test_boschloo_agrees_with_scipy_in_arms_of_one_size() -> None:
    # scipy doubles the smaller one-sided p, which is the same when both arms have one size.
    wanted = stats.boschloo_exact([[12, 25], [38, 25]], n=64).pvalue
    assert boschloo(12, 50, 25, 50).p == pytest.approx(wanted, rel=1e-5)


@relaxed
@given(sizes, sizes, st.data())
def test_boschloo_is_never_above_fisher_and_treats_both_alike(
    n: int, m: int, data: st.DataObject
) -> None:
    x, y = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    p = boschloo(x, n, y, m).p
    assert 0 < p <= stats.fisher_exact([[x, y], [n - x, m - y]]).pvalue + 1e-9
    assert boschloo(y, m, x, n).p == pytest.approx(p)
    assert boschloo(n - x, n, m - y, m).p == pytest.approx(p)


@pytest.mark.parametrize("test", [boschloo, barnard])
@pytest.mark.parametrize("share", [0.05, 0.3, 0.5])
def test_the_level_is_kept_whatever_the_share(test, share: float) -> None:
    # All tables of 9 and 7 episodes: those with p <= .05 come up in at most 5 % of studies.
    chance = np.outer(stats.binom.pmf(range(10), 9, share), stats.binom.pmf(range(8), 7, share))
    alarms = sum(chance[x, y] for x in range(10) for y in range(8) if test(x, 9, y, 7).p <= 0.05)
    assert alarms <= 0.05


def test_huge_arms_get_the_score_test(monkeypatch: pytest.MonkeyPatch) -> None:
    # z = (.45 - .47) / sqrt(.46 * .54 * 2 / 10000) = -2.8375: p = .00455.
    found = boschloo(4500, 10_000, 4700, 10_000)
    assert (found.p, found.method) == (pytest.approx(0.00455, abs=1e-5), "score")
    exact = boschloo(45, 100, 61, 100)
    monkeypatch.setattr(module, "_MOST_TABLES", 1)
    near = boschloo(45, 100, 61, 100)
    assert (exact.method, near.method) == ("boschloo", "score")
    assert near.p == pytest.approx(exact.p, abs=0.005)


def test_nobody_succeeds() -> None:
    assert boschloo(0, 5, 0, 8).p == barnard(5, 5, 8, 8).p == 1.0


def test_mcnemar_published_example() -> None:
    # Fagerland, Lydersen and Laake (2013), "The McNemar test for binary matched-pairs data": airway
    # hyper-responsiveness, 1 and 7 discordant pairs: 2 (1 + 8) / 2^8 = 0.0703.
    assert mcnemar(1, 7).p == mcnemar(7, 1).p == 18 / 256


@relaxed
@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_sign_test(only_a: int, only_b: int) -> None:
    total = only_a + only_b
    wanted = stats.binomtest(only_a, total).pvalue if total else 1.0
    assert mcnemar(only_a, only_b).p == pytest.approx(wanted)


def test_stratified_published_example() -> None:
    # Agresti (1990), pages 231 to 237, penicillin in rabbits: 16 cured of those injected at once.
    # R's mantelhaen.test(exact = TRUE) prints p = 0.03994.
    assert stratified(*RABBITS).p == pytest.approx(0.03994, abs=1e-5)


@relaxed
@given(sizes, sizes, st.data())
def test_one_stratum_is_fishers_test(n: int, m: int, data: st.DataObject) -> None:
    x, y = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    found = stratified(*(np.array([k]) for k in (x, n, y, m))).p
    assert found == pytest.approx(stats.fisher_exact([[x, y], [n - x, m - y]]).pvalue)


def test_a_stratum_in_which_all_do_alike_changes_nothing() -> None:
    idle = [np.append(column, k) for column, k in zip(RABBITS, (4, 4, 3, 3), strict=True)]
    assert stratified(*idle).p == pytest.approx(stratified(*RABBITS).p)


@pytest.mark.parametrize("table", [(0, 0, 1, 2), (3, 2, 1, 2), (-1, 2, 1, 2)])
def test_impossible_tables_are_refused(table: tuple[int, int, int, int]) -> None:
    with pytest.raises(UsageError, match="Two shares need"):
        boschloo(*table)
    with pytest.raises(UsageError, match="Two shares need"):
        stratified(*(np.array([k]) for k in table))


def test_negative_pairs_are_refused() -> None:
    with pytest.raises(UsageError, match="fewer than 0"):
        mcnemar(-1, 3)


def test_the_largest_chance_is_found_between_the_first_steps() -> None:
    # A fine grid over pi finds nothing larger.
    found = boschloo(3, 40, 9, 23).p
    inside = module._fisher_region(3, 40, 9, 23).astype(float)
    fine = module._size(inside, np.sin(np.linspace(0, math.pi / 2, 20_001)) ** 2)
    assert found == pytest.approx(fine.max(), rel=1e-6)
