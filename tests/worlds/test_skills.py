"""How the scripts turn the hand to a block."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.worlds.tasks._skills import _line_up, beside, grip_yaw, shifted


def about(axis, angle):
    """Return the rotation matrix of a turn about one of the axes 0, 1, 2."""
    c, s = np.cos(angle), np.sin(angle)
    matrix = np.eye(3)
    first, second = (axis + 1) % 3, (axis + 2) % 3
    matrix[[first, first, second, second], [first, second, first, second]] = c, -s, s, c
    return matrix


class Turned:
    """A state in which a block and the tool are turned."""

    def __init__(self, block, tool=0.0):
        self.block, self.tool = block, tool

    def matrix(self, name):
        return self.block

    def yaw(self, name):
        return self.tool


@pytest.mark.parametrize(
    ("degrees", "expected"), [(0, 0), (30, 30), (60, -30), (100, 10), (-170, 10), (180, 0)]
)
def test_the_fingers_meet_two_faces_by_the_least_turn(degrees, expected):
    # Four faces: turns that differ by 90 degrees grip alike, and the nearest to 0 is taken.
    state = Turned(about(2, np.radians(degrees)))
    assert np.degrees(grip_yaw(state, "block")) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("axis", [0, 1])
def test_a_block_that_lies_on_its_side_is_gripped_like_one_that_stands(axis):
    lying = about(2, np.radians(20)) @ about(axis, np.pi / 2)
    assert np.degrees(grip_yaw(Turned(lying), "block")) == pytest.approx(20, abs=1e-9)


@given(st.floats(-np.pi, np.pi), st.floats(-np.pi / 4, np.pi / 4), st.floats(-np.pi, np.pi))
def test_lining_up_keeps_the_wrist_in_range(block, tool, along):
    found = _line_up(Turned(about(2, block), tool), "block", along)
    assert abs(found) <= np.radians(60) + 1e-9
    # Held fast, the block turns with the tool, and then differs from `along` by quarter turns.
    off = (block + found - tool - along) / (np.pi / 2)
    assert off == pytest.approx(round(off), abs=1e-6)


def test_shifted_moves_along_the_table_whatever_the_hand_does():
    spot = shifted(lambda state: (0.5, 0.1, 0.075), x=0.06, y=-0.02)
    assert spot(Turned(np.eye(3), np.pi / 2)) == pytest.approx((0.56, 0.08, 0.075))


def test_beside_moves_across_the_fingers():
    # The tool is turned by 90 degrees: across its fingers is along y.
    spot = beside(lambda state: (0.5, 0.1, 0.075), 0.06, drop=0.05)
    assert spot(Turned(np.eye(3), np.pi / 2)) == pytest.approx((0.5, 0.16, 0.025))
