"""What must hold for every curve."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.metrics.opd import opd
from assay.metrics.results import METRICS
from metrics.curves import curves, grid_curves, is_monotone, pack, unit
from metrics.reference import reference

relaxed = settings(deadline=None, max_examples=150)
epsilons = st.floats(0.0, 0.5)


@relaxed
@given(st.lists(curves, min_size=1, max_size=8), epsilons, st.integers(1, 7))
def test_equals_the_plain_loop(
    episodes: list[list[float]], epsilon: float, milestones: int
) -> None:
    table = opd(*pack(*episodes), epsilon=epsilon, milestones=milestones)
    for index, episode in enumerate(episodes):
        found = {name: table.column(name)[index] for name in METRICS}
        wanted = reference(episode, epsilon, milestones)
        assert found == pytest.approx(wanted, rel=0, abs=1e-12, nan_ok=True)


@relaxed
@given(curves, epsilons)
def test_all_metrics_lie_in_0_to_1(curve: list[float], epsilon: float) -> None:
    table = opd(*pack(curve), epsilon=epsilon)
    for name in METRICS:
        value = table.column(name)[0]
        assert 0 <= value <= 1 or (name == "str" and len(curve) == 1 and np.isnan(value))


@relaxed
@given(grid_curves)
def test_a_rising_curve_keeps_all_of_its_end_value_iff_it_is_monotone(curve: list[float]) -> None:
    assume(curve[-1] > curve[0])
    # Grid 1/50: a detour adds at least 2/50 to a variation of at most 1 without it.
    table = opd(*pack(curve), epsilon=0.01, delta=0)
    kept = table.ppl[0] / table.final[0]
    assert (abs(kept - 1) < 1e-9) == is_monotone(curve)


@relaxed
@given(grid_curves.map(sorted))
def test_delta_costs_a_monotone_curve_less_than_a_millionth(curve: list[float]) -> None:
    assume(curve[-1] > curve[0])
    table = opd(*pack(curve), epsilon=0.01)
    assert table.ppl[0] / table.final[0] == pytest.approx(1, abs=1e-6)


@relaxed
@given(unit, st.integers(2, 30), st.floats(1e-6, 1))
def test_a_constant_curve_goes_nowhere(level: float, length: int, epsilon: float) -> None:
    table = opd(*pack([level] * length), epsilon=epsilon)
    assert (table.ppl[0], table.cra[0], table.stagnation[0]) == (0, 0, 1)


@relaxed
@given(grid_curves)
def test_there_is_no_regret_iff_the_curve_is_monotone(curve: list[float]) -> None:
    assert (opd(*pack(curve), epsilon=0.01).cra[0] == 0) == is_monotone(curve)


@relaxed
@given(curves.map(sorted))
def test_a_monotone_curve_has_exactly_no_regret(curve: list[float]) -> None:
    assert opd(*pack(curve), epsilon=0.01).cra[0] == 0


@relaxed
@given(curves, st.lists(st.tuples(st.integers(0, 30), unit), max_size=5))
def test_inserted_states_do_not_lower_the_maximum(
    curve: list[float], insertions: list[tuple[int, float]]
) -> None:
    longer = list(curve)
    for place, value in insertions:
        longer.insert(min(place, len(longer)), value)
    table = opd(*pack(curve, longer), epsilon=0.01)
    assert table.mp[1] >= table.mp[0]
    assert table.mc[1] >= table.mc[0]


@st.composite
def curves_clear_of_milestones(draw: st.DrawFn) -> tuple[int, list[float], list[float]]:
    """Return K, a curve further than 0.24/K from 1/K, .., 1, and errors of at most 0.24/K."""
    milestones = draw(st.integers(1, 6))
    places = st.tuples(st.integers(0, milestones - 1), st.floats(0.25, 0.75))
    curve = [(k + s) / milestones for k, s in draw(st.lists(places, min_size=1, max_size=20))]
    sigma = 0.24 / milestones
    errors = draw(st.lists(st.floats(-sigma, sigma), min_size=len(curve), max_size=len(curve)))
    return milestones, curve, errors


@relaxed
@given(curves_clear_of_milestones())
def test_milestones_survive_errors_smaller_than_the_distance_to_them(
    case: tuple[int, list[float], list[float]],
) -> None:
    milestones, curve, errors = case
    wrong = np.clip(np.add(curve, errors), 0, 1).tolist()
    table = opd(*pack(curve, wrong), epsilon=0.01, milestones=milestones)
    assert table.mc[0] == table.mc[1]


@relaxed
@given(st.lists(curves, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_episodes_do_not_touch_each_other(episodes: list[list[float]], random: object) -> None:
    order = list(range(len(episodes)))
    random.shuffle(order)
    table = opd(*pack(*episodes), epsilon=0.01)
    shuffled = opd(*pack(*(episodes[i] for i in order)), epsilon=0.01)
    for name in METRICS:
        np.testing.assert_array_equal(table.column(name)[order], shuffled.column(name))
