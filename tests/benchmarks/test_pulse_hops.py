"""The published arithmetic of pulse: states per phase, hops, bins, averages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks.pulse.hops import bins_of, hop, states_per_phase
from assay.benchmarks.pulse.shares import Averages
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
    right = np.concatenate([np.arange(100) < count for row in rows for count in row])
    cells = np.repeat(np.arange(right.size // 100), 100)
    bins = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    return Averages(np.arange(right.size) % 100, cells, bins), right


def test_the_published_averages():
    # Real, Sim, UMI and Human in the small, the medium and the large bin.
    means, right = averages((66, 89, 87, 76), (79, 89, 88, 84), (78, 90, 88, 83))
    # .795, .85 and .8475 are printed as .80, .85 and .85, their mean .8308 as .83.
    bins = [means.of_bin(right, place)[0] for place in range(3)]
    assert bins == pytest.approx([0.795, 0.85, 0.8475])
    assert means.overall(right)[0] == pytest.approx(0.83, abs=0.005)
    noise, right = averages((70, 84, 78, 68))
    assert noise.of_bin(right, 0)[0] == pytest.approx(0.75)
