"""Drops under perturbations, against the matched control, and never without it."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.metrics.differences import paired_difference
from assay.metrics.resampling import Units, bootstrap_t
from assay.metrics.robustness import Condition, Drop, DropSettings, drop_table, paired_drop

relaxed = settings(deadline=None, max_examples=40)
pairs = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=5, max_size=20).map(np.array)


def scenes(*values: float) -> dict[str, list[float]]:
    return {f"scene {k}": [value] for k, value in enumerate(values)}


def light(values: dict[str, list[float]], strength: float | None = 0.5) -> Condition:
    return Condition("light", strength, values)


def test_by_hand():
    # Scenes .8 .6 1 .6 .5 become .4 .6 .8 .2 .5: drops .4 0 .2 .4 0, mean .2; of a control of .7
    # that is 2/7.
    found = paired_drop(scenes(0.8, 0.6, 1, 0.6, 0.5), light(scenes(0.4, 0.6, 0.8, 0.2, 0.5)))
    assert (found.control.value, found.perturbed.value) == (pytest.approx(0.7), pytest.approx(0.5))
    assert (found.drop.value, found.relative.value) == (pytest.approx(0.2), pytest.approx(2 / 7))
    # A drop is a paired difference, and has its interval.
    pair = paired_difference(np.array([0.8, 0.6, 1, 0.6, 0.5]), np.array([0.4, 0.6, 0.8, 0.2, 0.5]))
    assert (found.drop.low, found.drop.high) == pytest.approx((pair.low, pair.high))
    assert (found.drop.method, pair.method, found.scenes) == ("bootstrap-t", "bootstrap-t", 5)
    # At least Student's: .2 -+ 2.776 * .2 / sqrt(5) = -.048 .. .448.
    assert found.drop.low <= 0.2 - 2.776 * 0.2 / math.sqrt(5) + 1e-3
    assert found.relative.low < 2 / 7 < found.relative.high <= 1
    assert found.caveat is None


def test_published_example_of_paired_differences():
    # Student (1908), the hours of sleep gained by ten patients under two drugs: the mean of the
    # differences is 1.58, sd 1.23; 1.58 +- 2.262 * 1.23 / sqrt(10) = .70 to 2.46.
    first = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
    second = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
    found = paired_drop(scenes(*second), light(scenes(*first)), DropSettings(low=-6, high=6))
    assert found.drop.value == pytest.approx(1.58)
    # One patient gained 4.6 more: the bootstrap, unlike Student, sees that the tail is above.
    assert 0.70 < found.drop.low < 1.1
    assert 2.46 < found.drop.high < 4.6


def test_only_scenes_of_both_sides_count():
    control = {"a": [1.0, 0.0], "b": [1.0], "c": [0.0]}
    found = paired_drop(control, light({"a": [0.0], "b": [0.5, 0.0, 1.0], "z": [1.0]}))
    # Scene a: .5 becomes 0; scene b: 1 becomes .5; c and z have no partner.
    assert (found.control.value, found.perturbed.value, found.drop.value) == (0.75, 0.25, 0.5)
    assert (found.scenes, found.only_control, found.only_perturbed) == (2, 1, 1)
    assert found.drop.why == found.relative.why == "fewer than 5 scenes: no interval"
    assert found.relative.value == pytest.approx(2 / 3)


def test_no_scene_in_common():
    found = paired_drop(scenes(0.5), light({"elsewhere": [0.5]}))
    assert {found.control.why, found.drop.why, found.relative.why} == {
        "no scene in common with the control"
    }
    assert (found.drop.value, found.control_at_floor, found.perturbed_at_floor) == (
        None,
        False,
        False,
    )


def test_a_policy_near_zero_cannot_drop():
    found = paired_drop(scenes(0.1, 0, 0, 0.1, 0), light(scenes(0, 0, 0, 0.1, 0)))
    assert found.control_at_floor
    assert found.caveat == "the control is at the floor: it can't drop"
    assert (found.relative.value, found.relative.why) == (None, "the control is at the floor")
    # The same drop of a good policy is no floor effect.
    good = paired_drop(scenes(0.9, 0.8, 0.8, 0.9, 0.8), light(scenes(0.8, 0.8, 0.8, 0.9, 0.8)))
    assert good.drop.value == pytest.approx(found.drop.value)
    assert good.caveat is None


def test_a_share_is_in_the_interval_when_its_residual_may_be_zero():
    rng = np.random.default_rng(0)
    before, after = rng.random((2, 10))
    found = paired_drop(scenes(*before), light(scenes(*after))).relative
    for end, step in ((found.low, 1e-3), (found.high, -1e-3)):
        for share, inside in ((end + step, True), (end - step, False)):
            rest = before - after - share * before
            units = Units(rest / 10, np.full(10, 0.1), np.zeros(10, dtype=int))
            ends = bootstrap_t([units], (-1, 1 - share), level=0.95, resamples=2000, seed=0)
            assert (ends.low <= 0 <= ends.high) is inside


def test_a_control_that_may_be_zero_has_no_relative_interval():
    # One scene of ten has all the success: drawn again, there may be none.
    found = paired_drop(scenes(1, *[0] * 9), light(scenes(0.5, *[0] * 9)), DropSettings(floor=0.05))
    assert found.relative.value == 0.5
    assert found.relative.why == "the control may be 0: no interval"


def test_a_collapse_leaves_nothing_to_lose():
    # Twenty scenes, all succeed and then none: relative drop 1. p = 1 - .05^(1/20) = .13911 of the
    # scenes may have kept something unseen: 1 - .13911.
    found = paired_drop(scenes(*[1.0] * 20), light(scenes(*[0.0] * 20)))
    assert (found.perturbed_at_floor, found.caveat) == (True, "nothing is left to lose")
    assert (found.relative.value, found.relative.high, found.relative.method) == (1, 1, "bound")
    assert found.relative.low == pytest.approx(1 - 0.13911, abs=1e-5)
    # Ten of them succeed before: the same share unseen is twice as much of the control.
    half = paired_drop(scenes(*[1.0, 0.0] * 10), light(scenes(*[0.0] * 20)))
    assert half.relative.low == pytest.approx(1 - 0.13911 / 0.5, abs=1e-4)
    assert (found.drop.value, found.drop.high) == (1, 1)


def test_where_down_is_good_a_rise_is_a_drop():
    # Regret .2 .1 .3 .2 .2 becomes .4 .3 .5 .4 .4: worse by .2; the room up to 1 was .8.
    settings = DropSettings(up_is_good=False)
    found = paired_drop(
        scenes(0.2, 0.1, 0.3, 0.2, 0.2), light(scenes(0.4, 0.3, 0.5, 0.4, 0.4)), settings
    )
    assert (found.drop.value, found.relative.value) == (pytest.approx(0.2), pytest.approx(0.25))
    assert paired_drop(scenes(*[0.95] * 5), light(scenes(*[1.0] * 5)), settings).control_at_floor


def test_a_table_keeps_its_order_and_every_row_is_whole():
    control = scenes(0.9, 0.8, 0.7, 0.9, 0.8, 0.6)
    wanted = [
        Condition("light", 1.0, scenes(0.5, 0.2, 0.3, 0.1, 0.4, 0.4)),
        Condition("light", 0.1, scenes(0.9, 0.8, 0.7, 0.8, 0.8, 0.6)),
        Condition("texture", None, scenes(0.7, 0.8, 0.7, 0.9, 0.4, 0.6)),
    ]
    rows = drop_table(control, wanted)
    assert [(row.axis, row.strength) for row in rows] == [
        ("light", 1.0),
        ("light", 0.1),
        ("texture", None),
    ]
    for row in rows:
        written = json.loads(json.dumps(row.as_json(), allow_nan=False))
        assert {"control", "perturbed", "drop", "relative", "caveat"} <= written.keys()
        assert all(written[name]["value"] is not None for name in ("control", "perturbed", "drop"))
    # Rows have no order: nobody sorts policies by their drop without meaning to.
    with pytest.raises(TypeError):
        sorted(rows)


@relaxed
@given(pairs)
def test_drops_are_differences_and_bounded(table):
    before, after = table.T
    found = paired_drop(scenes(*before), light(scenes(*after)), DropSettings(resamples=100))
    check(found)
    apart = found.control.value - found.perturbed.value
    assert found.drop.value == pytest.approx(apart, abs=1e-12)
    back = paired_drop(scenes(*after), light(scenes(*before)), DropSettings(resamples=100))
    assert back.drop.value == pytest.approx(-found.drop.value, abs=1e-12)
    if found.relative.value is not None:
        assert found.relative.value == pytest.approx(apart / found.control.value, abs=1e-9)
        assert not found.control_at_floor


@relaxed
@given(pairs)
def test_turning_the_scale_round_changes_nothing(table):
    before, after = table.T
    up = paired_drop(scenes(*before), light(scenes(*after)), DropSettings(resamples=100))
    down = paired_drop(
        scenes(*(1 - before)),
        light(scenes(*(1 - after))),
        DropSettings(resamples=100, up_is_good=False),
    )
    assert down.drop.value == pytest.approx(up.drop.value, abs=1e-9)
    if up.relative.value is not None and abs(up.control.value - 0.1) > 1e-9:
        assert down.relative.value == pytest.approx(up.relative.value, abs=1e-6)


def check(found: Drop) -> None:
    for figure, low in ((found.control, 0), (found.perturbed, 0), (found.drop, -1)):
        assert low <= figure.low <= figure.value <= figure.high <= 1
    if found.relative.low is not None:
        assert found.relative.low <= found.relative.value <= found.relative.high <= 1 + 1e-12


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: paired_drop(scenes(1.5), light(scenes(0.5))), r"'scene 0' needs .* 0\.\.1"),
        (lambda: paired_drop(scenes(0.5), light(scenes(math.nan))), "unscored"),
        (lambda: paired_drop({"scene 0": []}, light(scenes(0.5))), "a list of values"),
        (lambda: DropSettings(low=1, high=0), "from low to high"),
        (lambda: DropSettings(floor=0), "above 0"),
    ],
)
def test_bad_input_is_refused(call, match):
    with pytest.raises(UsageError, match=match):
        call()
