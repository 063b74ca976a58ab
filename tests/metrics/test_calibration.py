"""Calibration by tenths: values worked out by hand, and what must hold for any."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.calibration import TENTHS, mean_tenths, sum_tenths

SHARES = st.floats(0.0, 1.0)


def test_the_tenths_of_five_moments():
    # 0.02 and 0.06 lie in the first tenth: told 0.04; truth 0.1 and 0.3: mean 0.2, sd 0.1.
    # 0.30 opens the fourth tenth; nobody knows the truth of 0.35. 1.0 belongs to the last.
    told = np.array([0.02, 0.06, 0.30, 0.35, 1.0])
    truth = np.array([0.1, 0.3, 0.5, np.nan, 0.9])
    found = mean_tenths(sum_tenths(told, truth))
    assert [one.n for one in found] == [2, 1, 1]
    assert [one.told for one in found] == pytest.approx([0.04, 0.30, 1.0])
    assert [one.truth for one in found] == pytest.approx([0.2, 0.5, 0.9])
    assert [one.sd for one in found] == pytest.approx([0.1, 0.0, 0.0], abs=1e-7)


def test_without_any_known_moment_there_is_no_tenth():
    assert mean_tenths(sum_tenths(np.array([0.5]), np.array([np.nan]))) == ()
    assert sum_tenths(np.zeros(0), np.zeros(0)).shape == (TENTHS, 4)


@given(st.lists(st.tuples(SHARES, SHARES), min_size=2, max_size=40), st.integers(1, 39))
def test_episodes_may_be_summed_apart(rows, cut):
    told, truth = np.array(rows).T
    whole = sum_tenths(told, truth)
    parts = sum_tenths(told[:cut], truth[:cut]) + sum_tenths(told[cut:], truth[cut:])
    assert parts == pytest.approx(whole)
    found = mean_tenths(whole)
    assert sum(one.n for one in found) == len(rows)
    # the mean over all moments is the mean of the tenths, each as heavy as it is full
    assert np.average([one.truth for one in found], weights=[one.n for one in found]) == (
        pytest.approx(np.mean(truth))
    )
