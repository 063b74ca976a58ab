"""The parts of the Gymnasium adapter: success flags, rates, spaces."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import HarnessFault, UsageError
from assay.worlds.gym.flag import Flag, find_flag
from assay.worlds.gym.making import Maker
from assay.worlds.gym.numbers import numbers_of, width_of
from assay.worlds.gym.pictures import pictures_of
from assay.worlds.gym.reading import GymOptions, try_out
from gym_made import Line

finite = st.floats(-1e6, 1e6)


def told(flag: Flag, **info) -> bool | None:
    return flag.read(reward=0.0, terminated=False, info=info)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(True, True), (0, False), (1.0, True), (np.bool_(False), False), (np.array([1.0]), True)],
)
def test_what_is_true_or_false_needs_no_bound(value, expected):
    assert told(Flag("success"), success=value) is expected


@pytest.mark.parametrize("value", [0.3, np.nan, "yes", None, [1, 0], 2])
def test_what_is_neither_is_no_flag(value):
    with pytest.raises(HarnessFault, match="neither true nor false"):
        told(Flag("success"), success=value)


def test_a_key_that_is_not_there_tells_nothing():
    assert told(Flag("success"), left=3) is None


@given(finite, finite)
def test_a_bound_is_reached_from_the_bound_on(value, least):
    flag = Flag.of(f"left >= {least!r}")
    assert flag == Flag("left", least)
    assert told(flag, left=value) is (value >= least)


def test_the_first_known_key_is_taken():
    assert find_flag("", [{}, {"is_success": 0, "success": 0}], "it") == Flag("success")
    assert find_flag("", [{"is_success": 0}, {}], "it") == Flag("is_success")


@given(st.integers(1, 240), st.integers(1, 60))
def test_a_rate_that_divides_the_steps_gives_whole_strides(fps, stride):
    reading = try_out(Maker(Line, films=False), GymOptions(hz=fps * stride), fps)
    assert (reading.stride, reading.fps) == (stride, fps)


def test_numbers_of_nested_spaces_are_joined():
    space = spaces.Dict({"a": spaces.Box(0, 9, (2,)), "b": spaces.Discrete(3)})
    # In the order of the keys; a choice inside of a larger space is one number for each choice.
    assert width_of(space) == 5
    assert numbers_of(space, {"a": np.array([4.0, 5.0]), "b": 1}).tolist() == [4, 5, 0, 1, 0]
    assert numbers_of(spaces.Discrete(3), 2).tolist() == [2]
    assert width_of(spaces.Sequence(spaces.Discrete(2))) is None


@pytest.mark.parametrize(
    "drawn", [None, np.zeros((4, 4), np.uint8), np.zeros((4, 0, 3), np.uint8), [[1]]]
)
def test_what_is_no_picture_is_refused(drawn):
    with pytest.raises(HarnessFault, match="no picture for the view 'render'"):
        pictures_of(drawn)


def test_one_picture_takes_any_name():
    picture = np.zeros((4, 6, 3), np.uint8)
    assert list(pictures_of(picture, ("front",))) == ["front"]


def test_actions_that_can_not_be_recorded_are_refused():
    class Rambling(Line):
        def __init__(self, render_mode=None):
            super().__init__(render_mode)
            self.action_space = spaces.Sequence(spaces.Discrete(2))

    with pytest.raises(UsageError, match="can't be recorded"):
        try_out(Maker(Rambling), GymOptions())
