from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assay.records import Curve
from assay.reports._markup import safe_json
from assay.reports._shards import curve_data, spark


def curve(values, times=None, status=None):
    values = np.asarray(values, dtype=float)
    times = np.arange(len(values)) / 5 if times is None else np.asarray(times, dtype=float)
    default = np.where(np.isnan(values), "unparsed", "ok")
    return Curve(times, values, default if status is None else np.asarray(status))


def test_a_uniform_clock_takes_three_numbers():
    assert curve_data(curve([0, 0.5, 1]), None) == {"t": [0.0, 0.2, 3], "v": [0, 5000, 10000]}


def test_another_clock_is_kept_in_milliseconds():
    assert curve_data(curve([0, 1, 1], times=[0, 0.1004, 0.5]), None)["ms"] == [0, 100, 500]


def test_moments_that_are_not_ok_are_null_and_named():
    data = curve_data(curve([0.1, np.nan, np.nan, 0.4]), None)
    assert data["v"] == [1000, None, None, 4000]
    assert data["bad"] == [[1, 2, "unparsed"]]


def test_neighbours_with_other_faults_are_runs_of_their_own():
    data = curve_data(curve([np.nan, np.nan, 0.4], status=["refused", "unparsed", "ok"]), None)
    assert data["bad"] == [[0, 0, "refused"], [1, 1, "unparsed"]]


# Steps: .004 (still), .3, nan, nan, .004 (still): moments 0-1 and 4-5.
def test_still_steps_are_found_before_rounding_and_never_across_a_gap():
    data = curve_data(curve([0.1, 0.104, 0.404, np.nan, 0.4, 0.404]), 0.01)
    assert data["still"] == [0, 1, 4, 5]


def test_one_moment_has_no_steps():
    assert curve_data(curve([0.5]), 0.01) == {"t": [0.0, 0.0, 1], "v": [5000]}


def test_spark_has_a_dot_for_a_gap_and_none_for_no_curve():
    assert spark(curve([0, 1, np.nan, 1])) == "0_._"
    assert spark(None) == ""


@given(arrays(float, st.integers(1, 60), elements=st.floats(0, 1)), st.floats(0.01, 2))
def test_what_is_stored_is_what_was_judged(values, step):
    data = curve_data(curve(values, times=np.arange(len(values)) * step), 0.01)
    start, dt, count = data["t"]
    assert np.allclose(start + dt * np.arange(count), np.arange(len(values)) * step, atol=1e-3)
    assert np.allclose(np.array(data["v"]) / 1e4, values, atol=5.1e-5)
    still = sum(
        b - a for a, b in zip(data.get("still", [])[::2], data.get("still", [])[1::2], strict=True)
    )
    assert still == int((np.abs(np.diff(values)) < 0.01).sum())


@given(st.text())
def test_json_in_a_script_is_ascii_and_opens_no_tag(text):
    written = safe_json({"x": text})
    assert written.isascii()
    assert "<" not in written
    assert json.loads(written) == {"x": text}
