"""The published arithmetic of pulse: states per phase, hops, bins, averages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks.pulse.hops import bin_name, hop, states_per_phase
from assay.benchmarks.pulse.shares import unweighted
from assay.errors import UsageError

SETTINGS = ("Real", "Sim", "UMI", "Human")


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
    assert bin_name(hop(before, after)) == name


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_hop_has_the_sign_of_the_change_and_stays_in_range(before, after):
    found = hop(before, after)
    assert -1.0 <= found <= 1.0
    assert (found > 0) == (after > before)
    assert (found < 0) == (after < before)


def test_the_published_averages():
    small, medium, large = (
        dict(zip(SETTINGS, row, strict=True))
        for row in ((0.66, 0.89, 0.87, 0.76), (0.79, 0.89, 0.88, 0.84), (0.78, 0.90, 0.88, 0.83))
    )
    bins, overall = unweighted({"small": small, "medium": medium, "large": large})
    # .795, .85 and .8475 are printed as .80, .85 and .85, their mean .8308 as .83.
    assert bins == pytest.approx({"small": 0.795, "medium": 0.85, "large": 0.8475})
    assert overall == pytest.approx(0.83, abs=0.005)
    noise, _ = unweighted({"small": dict(zip(SETTINGS, (0.70, 0.84, 0.78, 0.68), strict=True))})
    assert noise["small"] == pytest.approx(0.75)
