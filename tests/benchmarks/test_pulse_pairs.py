"""Phases and pairs: what is kept, what is dropped and why."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks.pulse.pairs import ORDERS, REASONS, pairs_of
from assay.benchmarks.pulse.phases import (
    OSCILLATING,
    RETAINED,
    STATIC,
    kinds_of_steps,
    turning_points,
)
from assay.benchmarks.pulse.thresholds import LEAST_CHANGE, LEAST_HOP, LEAST_SECONDS, SLACK
from assay.benchmarks.pulse.truth import Truth


def truth(phi, step_s=0.2):
    """Return the truth of a potential that is sampled every `step_s` seconds."""
    times = step_s * np.arange(len(phi))
    values = np.asarray(phi, dtype=float)
    return Truth("potential", times, values, kinds_of_steps(times, values))


def orders(pairs):
    """Return how many pairs there are of each order."""
    return {name: int((pairs.order == k).sum()) for k, name in enumerate(ORDERS)}


def test_turning_points():
    # It rises to .6, trembles by less than the slack, falls to .2 and rises again.
    phi = np.array([0.0, 0.3, 0.29, 0.6, 0.4, 0.2, 0.21, 0.5])
    assert turning_points(phi) == [0, 3, 5, 7]
    assert turning_points(np.array([0.3, 0.1, 0.0])) == [0, 2]
    assert turning_points(np.array([0.5])) == [0]


def test_still_stretches_and_wobbles_are_marked():
    still = [0.0, 0.2, 0.4, *[0.5] * 7, 0.7, 0.9]  # 6 steps of 0.2 s without a change: 1.2 s
    kinds = truth(still).kinds
    assert kinds[3:9].tolist() == [STATIC] * 6
    assert kinds[[0, 1, 9, 10]].tolist() == [RETAINED] * 4
    wobble = [0.0, 0.4, 0.8, 0.78, 0.9, 1.0]  # back by .02 in 0.2 s, between two rises
    assert truth(wobble).kinds.tolist() == [0, 0, OSCILLATING, 0, 0]


def test_a_short_pause_is_no_still_stretch():
    pause = [0.0, 0.3, 0.6, 0.6, 0.6, 0.6, 1.0]  # 3 steps of 0.2 s: shorter than a second
    assert set(truth(pause).kinds.tolist()) == {RETAINED}


def test_a_loss_gives_anti_time_pairs_as_it_happened():
    # States 0, .5, 1, .5 at 1 s: five pairs change; 0 -> .5 (twice), 0 -> 1, .5 -> 1 are gains,
    # 1 -> .5 is a loss, and .5 -> .5 over the top is no change.
    pairs, counts = pairs_of(truth([0.0, 0.5, 1.0, 0.5], step_s=1.0))
    assert orders(pairs) == {"forward": 4, "reversed": 4, "anti-time": 1}
    assert counts["kept"] == 5
    assert counts["ambiguous"] == 1
    lost = pairs.order == ORDERS.index("anti-time")
    assert (pairs.before[lost] < pairs.after[lost]).all()
    assert pairs.hop[lost].tolist() == [-0.5]


def test_no_pair_reaches_over_a_still_stretch():
    still = [0.0, 0.2, 0.4, *[0.5] * 7, 0.7, 0.9]
    pairs, counts = pairs_of(truth(still))
    sides = [(min(a, b), max(a, b)) for a, b in zip(pairs.before, pairs.after, strict=True)]
    assert sides
    assert all(last <= 3 or first >= 9 for first, last in sides)
    assert counts["near-static"] > 0


curves = st.lists(st.floats(0, 1), min_size=2, max_size=25)


@given(curves)
def test_every_pair_of_states_is_kept_or_has_a_reason(phi):
    pairs, counts = pairs_of(truth(phi))
    assert set(counts) <= {*REASONS, "kept"}
    assert sum(counts.values()) == len(phi) * (len(phi) - 1) // 2
    by_order = orders(pairs)
    assert by_order["forward"] == by_order["reversed"]
    assert by_order["forward"] + by_order["anti-time"] == counts["kept"]


@given(curves)
def test_every_pair_keeps_the_rules(phi):
    known = truth(phi)
    pairs, _ = pairs_of(known)
    for k in range(len(pairs.hop)):
        a, b = int(pairs.before[k]), int(pairs.after[k])
        change = known.phi[b] - known.phi[a]
        between = known.kinds[min(a, b) : max(a, b)]
        assert (between == RETAINED).all()
        assert abs(change) >= LEAST_CHANGE
        assert abs(pairs.hop[k]) >= LEAST_HOP
        assert np.sign(change) == np.sign(pairs.hop[k])
        assert pairs.distance_s[k] >= LEAST_SECONDS - 1e-6
        in_time = b > a
        assert ORDERS[pairs.order[k]] == (
            ("forward" if change > 0 else "anti-time") if in_time else "reversed"
        )


@given(curves)
def test_between_turns_it_runs_one_way_but_for_the_slack(phi):
    values = np.asarray(phi)
    turns = turning_points(values)
    assert turns[0] == 0
    assert turns[-1] == len(phi) - 1
    for start, end in pairwise(turns):
        run = values[start : end + 1] * (1 if values[end] >= values[start] else -1)
        assert (np.maximum.accumulate(run) - run).max() <= SLACK + 1e-12


def test_too_close_is_counted_first():
    _, counts = pairs_of(truth([0.0, 0.5, 1.0], step_s=0.1))
    assert counts["too close"] == 3
    assert counts["kept"] == 0


@pytest.mark.parametrize("phi", [[0.3] * 8, [0.0, 0.01, 0.02, 0.01]])
def test_nothing_to_tell_gives_no_pair(phi):
    pairs, counts = pairs_of(truth(phi))
    assert len(pairs.hop) == 0
    assert counts["kept"] == 0
