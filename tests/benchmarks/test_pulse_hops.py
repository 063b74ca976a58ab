"""The published arithmetic of pulse: states per phase, hops, bins, averages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks.pulse.hops import bins_of, hop, states_per_phase
from assay.benchmarks.pulse.shares import Averages, bounded
from assay.benchmarks.pulse.thresholds import BIN_NAMES
from assay.errors import UsageError


@pytest.mark.parametrize(
    ("frames", "phases", "states"),
    [
        (700, 4, 6),  # ceil(23 / 4)
        (300, 4, 3),  # ceil(10 / 4)
        (100, 5, 1),  # ceil(3 / 5)
        (20, 5, 1),  # shorter than a chunk: one state per phase all the same
    ],
)
def test_states_per_phase(frames, phases, states):
    assert states_per_phase(frames, phases) == states


def test_no_phases_are_refused():
    with pytest.raises(UsageError, match="at least one phase"):
        states_per_phase(100, 0)


@pytest.mark.parametrize(
    ("before", "after", "value", "name"),
    [
        (0.5, 0.75, 0.5, "medium"),
        (0.75, 0.5, -1 / 3, "small"),  # exactly a third: no float is, so bins have a tolerance
        (0.9, 1.0, 1.0, "large"),
        (0.2, 0.1, -0.5, "medium"),
        (0.0, 2 / 3, 2 / 3, "medium"),
        (0.4, 0.0, -1.0, "large"),
    ],
)
def test_hops_and_their_bins(before, after, value, name):
    assert hop(before, after) == pytest.approx(value)
    assert BIN_NAMES[bins_of(np.array([hop(before, after)]))[0]] == name


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_hop_has_the_sign_of_the_change_and_stays_in_range(before, after):
    found = hop(before, after)
    assert -1.0 <= found <= 1.0
    assert (found > 0) == (after > before)
    assert (found < 0) == (after < before)


def averages(*rows):
    """Return averages and answers: a row per bin, in it the right answers of 100 per setting."""
    right = np.concatenate([np.arange(100) < count for row in rows for count in row]) * 1.0
    cells = np.repeat(np.arange(right.size // 100), 100)
    bins = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    return Averages(np.arange(right.size) % 100, cells, bins), right


def test_the_published_averages():
    # Real, Sim, UMI and Human in the small, the medium and the large bin.
    means, right = averages((66, 89, 87, 76), (79, 89, 88, 84), (78, 90, 88, 83))
    # .795, .85 and .8475 are printed as .80, .85 and .85, their mean .8308 as .83.
    bins = [means.of_bin(right, place).values[0] for place in range(3)]
    assert bins == pytest.approx([0.795, 0.85, 0.8475])
    assert means.overall(right).values[0] == pytest.approx(0.83, abs=0.005)
    noise, right = averages((70, 84, 78, 68))
    assert noise.of_bin(right, 0).values[0] == pytest.approx(0.75)


def test_the_error_of_an_average_is_that_of_what_episodes_pull():
    # Four episodes with one pair each, three right: m = 3/4, each pulls (x - m) / 4, so the error
    # is sqrt(3 (1/4)^2 + (3/4)^2) / 4 = sqrt(3/4) / 4.
    one = Averages(np.arange(4), np.zeros(4, dtype=int), np.zeros(1, dtype=int))
    found = one.overall(np.array([1.0, 1.0, 1.0, 0.0]))
    assert found.values[0] == 0.75
    assert found.errors[0] == pytest.approx(np.sqrt(0.75) / 4)
    # The same pairs in one bin of two: the other, all right, pulls nothing, and each bin counts
    # half. The average is (3/4 + 1) / 2, and its error is half as large.
    two = Averages(np.tile(np.arange(4), 2), np.repeat([0, 1], 4), np.arange(2))
    found = two.overall(np.array([1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0]))
    assert found.values[0] == 0.875
    assert found.errors[0] == pytest.approx(np.sqrt(0.75) / 8)


def test_the_interval_reaches_further_to_the_side_of_the_many():
    # 95 of 100 episodes are right: resamples with fewer wrong ones have smaller errors, so t* is
    # long below zero and the interval reaches further down than up; the truth can't be above 1.
    means = Averages(np.arange(100), np.zeros(100, dtype=int), np.zeros(1, dtype=int))
    found = bounded(means.overall((np.arange(100) < 95) * 1.0), 100, 100, (0.0, 1.0))
    assert found.method == "bootstrap-t by episode"
    assert found.low < 0.95 < found.high <= 1.0
    assert 0.95 - found.low > found.high - 0.95


def test_cells_without_any_spread_have_the_bound_for_equal_values():
    # all right in one bin, all wrong in the other, 10 episodes: p = 1 - 0.05^(1/10) = 0.2589
    means = Averages(np.tile(np.arange(10), 2), np.repeat([0, 1], 10), np.arange(2))
    found = bounded(means.overall(np.repeat([1.0, 0.0], 10)), 20, 10, (0.0, 1.0))
    assert (found.value, found.method) == (0.5, "exact bound")
    assert found.low == pytest.approx(0.5 * (1 - 0.2589), abs=1e-4)
