"""Every diagnostic: the contract, worked values, and why it was rejected."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import plugins
from assay.errors import InputError
from assay.metrics.diagnostics.base import Context, Diagnostic
from metrics.curves import curves

PACKAGE = "assay.metrics.diagnostics"
PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"
every = pytest.mark.parametrize("name", plugins.names(PACKAGE))


def measure(
    name: str, curve: list[float], epsilon: float = 0.01, experts: list[list[float]] | None = None
) -> float:
    diagnostic = plugins.find(PACKAGE, name)()
    others = tuple(np.array(expert, dtype=float) for expert in experts or [])
    values = np.array(curve, dtype=float)
    values.flags.writeable = False  # other metrics read the same curve
    return diagnostic(values, Context(epsilon, others))


@every
def test_it_says_what_it_is(name: str) -> None:
    found = plugins.find(PACKAGE, name)
    assert isinstance(found(), Diagnostic)
    for text in (found.title, found.unit, found.flaw, plugins.describe(PACKAGE, name)):
        assert text
        assert "\n" not in text


@every
def test_its_row_in_the_documentation_says_the_same(name: str) -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith(f"| `{name}` |")]
    assert len(rows) == 1
    assert rows[0].endswith(f"| {plugins.find(PACKAGE, name).flaw} |")


@every
@settings(deadline=None, max_examples=20)
@given(curve=curves, experts=st.lists(curves, max_size=2))
def test_it_gives_a_number_or_nan(name: str, curve: list[float], experts: list) -> None:
    assert not math.isinf(measure(name, curve, experts=experts))


@every
@pytest.mark.parametrize("length", range(1, 8))
def test_a_short_curve_is_no_error(name: str, length: int) -> None:
    assert isinstance(measure(name, [0.5] * length), float)


def test_one_observation() -> None:
    # No step (ead), no change of speed (pj), no five observations (cs), no expert (grdtw).
    for name in ("ead", "pj", "cs", "grdtw"):
        assert math.isnan(measure(name, [0.5]))
    assert measure("pti", [0.5]) == 0.5
    assert measure("rr", [0.5]) == 0
    assert measure("ppe", [0.5], epsilon=0.01) == pytest.approx(100)


@pytest.mark.parametrize(
    ("expert", "said"),
    [
        ([0.5, math.nan], r"Expert 1, frame 1: .*found nan"),
        ([0.5, 0.7, 1.1], r"Expert 1, frame 2: .*found 1\.1"),
        ([-0.1], r"Expert 1, frame 0: .*found -0\.1"),
        ([], r"Expert 1 must be one curve, not shape \(0,\)"),
        ([[0.5, 0.7]], r"Expert 1 must be one curve, not shape \(1, 2\)"),
    ],
)
def test_an_expert_is_a_complete_curve(expert: list, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Context(0.01, (np.array([0.0, 1.0]), np.array(expert)))


@pytest.mark.parametrize(
    ("curve", "rr", "pti"), [([0, 1, 0, 0, 0], 1, 0.2), ([0, 1, 0, 1, 1], 1, 0.6)]
)
def test_rr_sees_no_difference_where_regret_does(curve: list[float], rr: float, pti: float) -> None:
    assert measure("rr", curve) == rr
    assert measure("pti", curve) == pytest.approx(pti)


def test_ead_changes_with_the_sampling_rate() -> None:
    # Steps of 1/7 exceed 1/8, steps of 1/8 don't.
    assert measure("ead", [k / 7 for k in range(8)], epsilon=1 / 8) == 1
    assert measure("ead", [k / 8 for k in range(9)], epsilon=1 / 8) == 0


def test_pj_punishes_a_sharp_success() -> None:
    # Zeros, then 1: one change of speed of size 1 among T - 2 = 4.
    assert measure("pj", [0, 0, 0, 0, 0, 0, 1]) == 0.25
    assert measure("pti", [0, 0, 0, 0, 0, 0, 1]) == pytest.approx(1 / 7)


def test_pj_leaves_out_the_first_change_of_speed() -> None:
    # Steps 1 0 0 0: the only change, between the first two, has index 0.
    assert measure("pj", [0, 1, 1, 1, 1]) == 0
    assert math.isnan(measure("pj", [0, 1, 0]))
    assert measure("pj", [0, 1, 0, 0.5]) == 1.5  # T = 3: |0.5 - (-1)| / 1


def test_ppe_is_largest_for_doing_nothing() -> None:
    assert measure("ppe", [0.4, 0.4, 0.4], epsilon=0.01) == pytest.approx(100)
    assert measure("ppe", [0, 1], epsilon=0.01) == pytest.approx(1 / 1.01)
    assert math.isnan(measure("ppe", [0.4, 0.4], epsilon=0))


def test_cs_changes_when_the_episode_is_extended() -> None:
    # The last five of (0 0 0 0 1) have mean .2 and variance .16; four more ones leave none.
    assert measure("cs", [0, 0, 0, 0, 1]) == pytest.approx(0.16)
    assert measure("cs", [0, 0, 0, 0, 1, 1, 1, 1, 1]) == 0
    assert math.isnan(measure("cs", [0, 0, 0, 1]))
    assert plugins.find(PACKAGE, "cs")(window=1)(np.array([0, 0, 1.0]), Context(0.01)) == 0.25


def test_grdtw_takes_the_nearest_expert() -> None:
    # Against (1, 1, 1) every one of at least three pairs costs 1: 1 - 3/3 = 0.
    assert measure("grdtw", [0, 0, 0], experts=[[1, 1, 1]]) == 0
    assert measure("grdtw", [0, 0, 0], experts=[[1, 1, 1], [0, 0]]) == 1
    # (0, .5, 1) with (0, 1): the middle costs .5 either way; 1 - .5/3.
    assert measure("grdtw", [0, 0.5, 1], experts=[[0, 1]]) == pytest.approx(1 - 0.5 / 3)
    assert math.isnan(measure("grdtw", [0, 1]))


def slow_dtw(a: list[float], b: list[float]) -> float:
    @cache
    def cost(i: int, j: int) -> float:
        if i < 0 or j < 0:
            return 0.0 if i == j else math.inf
        return abs(a[i] - b[j]) + min(cost(i - 1, j), cost(i, j - 1), cost(i - 1, j - 1))

    return cost(len(a) - 1, len(b) - 1)


@settings(deadline=None, max_examples=80)
@given(curves, curves)
def test_grdtw_equals_the_recursion_and_lies_in_0_to_1(a: list[float], b: list[float]) -> None:
    found = measure("grdtw", a, experts=[b])
    assert found == pytest.approx(1 - slow_dtw(a, b) / max(len(a), len(b)), abs=1e-12)
    assert -1e-12 <= found <= 1
    assert found == pytest.approx(measure("grdtw", b, experts=[a]), abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(curves, st.data())
def test_grdtw_does_not_see_timing(curve: list[float], data: st.DataObject) -> None:
    repeats = data.draw(st.lists(st.integers(1, 3), min_size=len(curve), max_size=len(curve)))
    slower = [value for value, count in zip(curve, repeats, strict=True) for _ in range(count)]
    assert measure("grdtw", slower, experts=[curve]) == 1


@settings(deadline=None, max_examples=60)
@given(curves)
def test_the_others_lie_in_their_ranges(curve: list[float]) -> None:
    assert 0 <= measure("pti", curve) <= 1
    assert 0 <= measure("rr", curve) <= len(curve)
    assert measure("ppe", curve) > 0
    for name, most in (("ead", 1.0), ("pj", 2.0), ("cs", 0.25)):
        value = measure(name, curve)
        assert math.isnan(value) or 0 <= value <= most + 1e-12
