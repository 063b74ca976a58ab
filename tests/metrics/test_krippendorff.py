"""Krippendorff's alpha on three scales, with ratings missing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.metrics import krippendorff as module
from assay.metrics.kappa import fleiss_kappa
from assay.metrics.krippendorff import krippendorff_alpha
from slopes import by_small_steps

relaxed = settings(deadline=None, max_examples=40)
SCALES = ("nominal", "ordinal", "interval")
NO = math.nan
cells = st.sampled_from([1.0, 2.0, 3.0, 5.0, NO])
tables = (
    st.integers(2, 12)
    .flatmap(lambda n: st.lists(st.lists(cells, min_size=3, max_size=3), min_size=n, max_size=n))
    .map(np.array)
)

# Section C of Krippendorff (2011): 12 units by 4 observers; here one row an observer.
PUBLISHED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NO, NO, NO],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NO, 3],
        [NO, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NO],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NO],
    ]
).T


@pytest.mark.parametrize(
    ("scale", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_published_example(scale, alpha):
    found = krippendorff_alpha(PUBLISHED, scale)
    assert round(found.value, 3) == alpha
    # The twelfth unit has one rating only.
    assert (found.n, found.method) == (11, "bootstrap-t")
    assert found.low < alpha < found.high


def test_by_hand():
    # Units (1, 1), (1, 2), (2, 4): N = 6, ratings 1 1 1 2 2 4. Pairs within units, both ways:
    # nominal 2 + 2 = 4; across: 36 - (9 + 4 + 1) = 22; alpha = 1 - 5 * 4 / 22.
    table = np.array([[1.0, 1], [1, 2], [2, 4]])
    assert krippendorff_alpha(table, "nominal").value == pytest.approx(1 - 20 / 22)
    # Interval: within 2 * 1 + 2 * 4 = 10. Across, both ways: 1-2 six pairs of 1, 1-4 three of 9,
    # 2-4 two of 4: 2 * (6 + 27 + 8) = 82; alpha = 1 - 50 / 82.
    assert krippendorff_alpha(table, "interval").value == pytest.approx(1 - 50 / 82)
    # Ordinal: mean ranks 1.5, 4, 5.5: distances 2.5, 4, 1.5. Within 2 * (6.25 + 2.25) = 17. Across
    # 2 * (6 * 6.25 + 3 * 16 + 2 * 2.25) = 180; alpha = 1 - 85 / 180.
    assert krippendorff_alpha(table, "ordinal").value == pytest.approx(1 - 85 / 180)


@relaxed
@given(tables, st.sampled_from(SCALES))
def test_alpha_by_its_definition(table, scale):
    # Over all pairs one by one, as the definition says it.
    units = [row[~np.isnan(row)] for row in table]
    units = [row for row in units if len(row) > 1]
    found = krippendorff_alpha(table, scale, resamples=100)
    pooled = np.concatenate([*units, []])
    if len(np.unique(pooled)) < 2:
        assert found.value is None
        assert found.why in (
            "no unit was rated twice",
            "all ratings are alike: there is nothing to agree on",
        )
        return
    ranks = {c: (pooled < c).sum() + (pooled == c).sum() / 2 for c in pooled.tolist()}
    distance = {
        "nominal": lambda a, b: float(a != b),
        "interval": lambda a, b: a - b,
        "ordinal": lambda a, b: ranks[a] - ranks[b],
    }[scale]

    def pairs(values):
        return sum(distance(a, b) ** 2 for a in values.tolist() for b in values.tolist())

    within = sum(pairs(row) / (len(row) - 1) for row in units)
    assert found.value == pytest.approx(1 - (len(pooled) - 1) * within / pairs(pooled))
    assert found.n == len(units)
    if found.low is not None:
        assert -1 <= found.low <= found.value <= found.high <= 1


@relaxed
@given(tables, st.sampled_from(SCALES))
def test_slopes_are_those_of_small_steps(table, scale):
    kept = table[(~np.isnan(table)).sum(axis=1) > 1]
    assume(len(kept) and np.nanmax(kept) > np.nanmin(kept))
    made = module._SCALES[scale](kept)
    sums = made.parts.sum(axis=0)
    assert made.number(sums)[1] == by_small_steps(made.number, sums)


@relaxed
@given(tables, st.floats(0.1, 50), st.floats(-100, 100))
def test_what_each_scale_does_not_know(table, factor, shift):
    # Interval: unit and zero. Ordinal: any rising map. Nominal: any map to other names.
    moved = {
        "interval": factor * table + shift,
        "ordinal": np.exp(table),
        "nominal": np.choose(np.nan_to_num(table).astype(int), [NO, 7, 1, 9, NO, 4]),
    }
    for scale, other in moved.items():
        one, two = (krippendorff_alpha(each, scale, resamples=50) for each in (table, other))
        assert two.value == (None if one.value is None else pytest.approx(one.value, abs=1e-6))


def test_two_values_have_one_scale():
    # With two different ratings every distance is 0 or the same.
    table = np.random.default_rng(0).integers(0, 2, (20, 3)) * 4.0
    found = [krippendorff_alpha(table, scale) for scale in SCALES]
    assert [f.value for f in found[1:]] == pytest.approx([found[0].value] * 2)
    # The ranks of a resample are its own, and the ends still come out alike.
    assert [f.low for f in found[1:]] == pytest.approx([found[0].low] * 2)


def test_alpha_of_many_units_is_fleiss_kappa():
    # Without missing ratings the two differ only by N - 1 in place of N.
    rated = np.random.default_rng(1).integers(0, 3, (4000, 3))
    rated[:, 1] = np.where(rated[:, 1] == 2, rated[:, 0], rated[:, 1])
    counts = np.stack([(rated == k).sum(axis=1) for k in range(3)], axis=1)
    alpha = krippendorff_alpha(rated.astype(float), "nominal", resamples=50)
    assert alpha.value == pytest.approx(fleiss_kappa(counts, resamples=50).value, abs=1e-3)


def test_full_agreement_gets_a_bound():
    # As for kappa: 1 - .13911 / expected; 40 ratings half and half: 2 * 20 * 20 / (40 * 39).
    table = np.repeat([[1.0], [2.0]], 10, axis=0) * np.ones((1, 2))
    expected = 1 - 0.139108 / (800 / 1560)
    for scale in SCALES:
        found = krippendorff_alpha(table, scale)
        assert (found.value, found.high, found.method) == (1.0, 1.0, "bound")
        assert found.low == pytest.approx(expected, abs=1e-5)


def test_a_small_disagreement_is_one():
    table = np.tile([[0.0, 0.0], [1.0, 1.0]], (5, 1))
    table[0, 1] = 1e-6
    found = krippendorff_alpha(table, "interval")
    assert found.value < 1
    assert found.method != "bound"


def test_units_of_one_episode_are_drawn_together():
    often = krippendorff_alpha(
        np.repeat(PUBLISHED, 3, axis=0), "ordinal", episodes=np.repeat(np.arange(12), 3)
    )
    assert often.n == 11
    apart = krippendorff_alpha(np.repeat(PUBLISHED, 3, axis=0), "ordinal")
    assert apart.high - apart.low < 0.7 * (often.high - often.low)


def test_why_there_is_no_number_or_no_interval():
    assert krippendorff_alpha(np.full((6, 2), NO), "nominal").why == "no unit was rated twice"
    assert krippendorff_alpha(np.ones((6, 2)), "ordinal").why.startswith("all ratings are alike")
    few = krippendorff_alpha(PUBLISHED[4:8], "interval")
    assert few.value is not None
    assert few.why == "fewer than 5 items: no interval"


@pytest.mark.parametrize(
    ("table", "scale", "match"),
    [
        (PUBLISHED, "ratio", "nominal, ordinal or interval"),
        (np.array([1.0, 2.0]), "nominal", "a table"),
        (np.array([[1.0, math.inf]]), "interval", "finite"),
    ],
)
def test_bad_ratings_are_refused(table, scale, match):
    with pytest.raises(UsageError, match=match):
        krippendorff_alpha(table, scale)
