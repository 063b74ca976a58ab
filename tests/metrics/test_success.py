"""Success once, held and at the end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.metrics.success import success_flags


def flags(text: str) -> np.ndarray:
    return np.array([letter == "x" for letter in text])


@pytest.mark.parametrize(
    ("series", "once", "held", "end"),
    [
        ("..........", False, False, False),
        ("...x......", True, False, False),  # reached and lost
        (".........x", True, False, True),  # only in the last moment
        ("....xxxxxx", True, True, True),  # from 0.4 s to the end at 0.9 s: exactly 0.5 s
        (".....xxxxx", True, False, True),  # 0.1 s too late
        ("xxxxxx.xxx", True, False, True),  # a gap within the last half second
    ],
)
def test_ten_samples_a_second(series: str, once: bool, held: bool, end: bool) -> None:
    assert success_flags(np.arange(10) / 10, flags(series)) == (once, held, end)


def test_the_edge_of_the_held_stretch_is_in_it_on_every_clock() -> None:
    # In floats 2.3 - 0.5 and 18 * 0.1 are not the same number.
    for last in range(5, 200):
        times = np.arange(last + 1) * 0.1
        done = np.ones(last + 1, dtype=bool)
        done[last - 5] = False
        assert success_flags(times, done) == (True, False, True)


def test_a_longer_hold_can_be_asked_for() -> None:
    series = flags("....xxxxxx")
    assert success_flags(np.arange(10) / 10, series, held_s=0.6) == (True, False, True)
    assert success_flags(np.arange(10) / 10, series, held_s=0) == (True, True, True)


def test_an_episode_shorter_than_the_hold_must_hold_throughout() -> None:
    assert success_flags(np.array([0.0]), flags("x")) == (True, True, True)
    assert success_flags(np.array([0.0, 0.1]), flags(".x")) == (True, False, True)


@settings(deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=30), st.floats(0, 3))
def test_held_implies_end_implies_once(series: list[bool], held_s: float) -> None:
    once, held, end = success_flags(np.arange(len(series)) / 10, np.array(series), held_s)
    assert once >= end >= held


@pytest.mark.parametrize(("times", "series"), [([], ""), ([0.0, 1.0], "x")])
def test_flags_must_fit_the_clock(times: list[float], series: str) -> None:
    with pytest.raises(InputError, match="one flag per time and at least one"):
        success_flags(np.array(times), flags(series))
