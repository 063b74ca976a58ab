"""Phi* from subgoals that are made up."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.worlds.progress import done, potential, spans
from assay.worlds.tasks.base import Subgoal


def goal(name, until=""):
    """Return a subgoal of a state that maps names to distances; it holds at 0."""
    return Subgoal(name, lambda s: s[name] == 0.0, lambda s: s[name], until)


def state(*distances):
    return dict(zip("abcd", distances, strict=False))


CHAIN = (goal("a"), goal("b"), goal("c"), goal("d"))
PROVEN = (goal("a", until="b"), goal("b", until="c"), goal("c"), goal("d"))


@pytest.mark.parametrize(
    ("distances", "k"),
    [
        ((1, 1, 1, 1), 0),
        ((0, 1, 1, 1), 1),
        ((0, 0, 0, 0), 4),
        ((0, 1, 0, 0), 1),  # later ones that hold don't count
        ((1, 0, 0, 0), 0),  # the first was undone
    ],
)
def test_k_counts_up_to_the_first_that_does_not_hold(distances, k):
    assert done(CHAIN, state(*distances)) == k


@pytest.mark.parametrize(
    ("distances", "k"),
    [
        ((1, 0, 1, 1), 2),  # b holds and proves a
        ((1, 1, 0, 1), 3),  # c proves b, and b, proven, proves a
        ((1, 1, 1, 0), 0),  # d proves nothing
        ((0, 1, 1, 0), 1),
        ((1, 1, 0, 0), 4),
    ],
)
def test_a_later_subgoal_proves_an_earlier_one(distances, k):
    assert done(PROVEN, state(*distances)) == k


def test_spans_are_the_distances_at_the_start():
    assert spans(CHAIN, state(4, 3, 2, 1)) == (4, 3, 2, 1)


@pytest.mark.parametrize(
    ("distances", "phi"),
    [
        ((4, 3, 2, 1), 0.0),
        ((1, 3, 2, 1), 0.75 / 4),  # 3 of 4 covered
        ((0, 3, 2, 1), 1 / 4),
        ((0, 2.25, 2, 1), 1.25 / 4),
        ((0, 6, 2, 1), 1 / 4),  # further away than at the start
        ((0, 0, 0, 0.5), 3.5 / 4),
        ((0, 0, 0, 0), 1.0),
        ((3, 0, 0, 0), 0.25 / 4),  # undoing the first leaves only its own covered part
    ],
)
def test_phi_is_the_number_done_and_the_covered_part_of_the_next(distances, phi):
    whole = spans(CHAIN, state(4, 3, 2, 1))
    assert potential(CHAIN, whole, state(*distances)) == pytest.approx(phi, abs=1e-15)


def test_a_subgoal_that_held_at_the_start_and_was_undone_has_nothing_covered():
    whole = spans(CHAIN, state(1, 0, 1, 1))
    assert potential(CHAIN, whole, state(0, 0.5, 1, 1)) == 1 / 4


def test_no_way_left_is_not_done():
    """A block that is where it should be, but still in the hand, is short of 1."""
    held = (Subgoal("put", lambda s: False, lambda s: s["a"]),)
    phi = potential(held, (1.0,), state(0.0))
    assert phi == math.nextafter(1.0, 0.0)


@given(
    st.lists(st.floats(0, 10), min_size=4, max_size=4),
    st.lists(st.floats(0, 10), min_size=4, max_size=4),
    st.sampled_from([CHAIN, PROVEN]),
)
def test_phi_lies_between_k_and_the_next(start, now, subgoals):
    k = done(subgoals, state(*now))
    phi = potential(subgoals, spans(subgoals, state(*start)), state(*now))
    assert (phi == 1.0) == (k == 4)
    # s < 1; in floating point (k + s)/K may round up to the next step, never to 1.
    assert k / 4 <= phi <= (k + 1) / 4


@given(st.floats(0, 10), st.floats(0, 10), st.floats(0.1, 10))
def test_phi_rises_when_the_next_way_gets_shorter(one, other, whole):
    near, far = sorted((one, other))
    before = potential(CHAIN, (whole,) * 4, state(0, far, 1, 1))
    assert potential(CHAIN, (whole,) * 4, state(0, near, 1, 1)) >= before
