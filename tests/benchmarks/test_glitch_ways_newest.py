"""What the newest ways to make things jump, vanish and appear do to pictures."""

import numpy as np
import pytest

import glitch_clips_made as clips
from assay.benchmarks.glitches.injecting.injectors._things import (
    bears,
    in_fixture,
    left_alone,
    new_colour,
)
from assay.benchmarks.glitches.injecting.injectors.hallucination_uncovered import _covers
from assay.benchmarks.glitches.injecting.orders import TASKS, injectors
from assay.worlds.look import COLOURS
from glitch_clips_made import made, stacking

FOUND = injectors()


def named(one, verb):
    """The thing that a description is about."""
    take = stacking().attempt
    return next(n for n in take.things if f"The {take.words(n)} {verb}" in one.description)


def changed(one, number):
    """How many grey levels each pixel of a frame has changed, (H, W)."""
    return np.abs(one.frames[number].astype(int) - stacking().frames[number]).max(axis=-1)


@pytest.mark.parametrize("level", range(3))
def test_a_thing_is_half_here_and_half_there_and_then_there_alone(level):
    take, one = stacking().attempt, made("teleport-blended", level)
    name = named(one, "melts over")
    # 0.27 s are 4 frames: a quarter of it has gone over in the first of them, all in the fourth.
    mask = take.mask(one.start + 3, name)
    bare = take.without(one.start + 3, take.geoms_of(name))
    assert np.abs(one.frames[one.start + 3].astype(int) - bare)[mask].max() < 60  # a shadow at most
    whole = changed(one, one.start + 3)[mask].mean()
    assert 0.15 < changed(one, one.start)[mask].mean() / whole < 0.35
    assert 0.4 < changed(one, one.start + 1)[mask].mean() / whole < 0.6


@pytest.mark.parametrize("level", range(3))
def test_what_has_melted_over_lies_apart_from_where_it_was(level):
    take, one = stacking().attempt, made("teleport-blended", level)
    name, number = named(one, "melts over"), (one.start + one.stop) // 2
    bare = take.without(number, take.geoms_of(name)).astype(int)
    own = take.model.geom_rgba[take.geoms_of(name)[0], :3]
    there = (np.abs(one.frames[number] - bare) > 20).any(axis=-1)
    there &= one.frames[number].argmax(axis=-1) == own.argmax()  # not its shadow
    mask = take.mask(number, name)
    assert not (there & mask).any()
    gap = np.argwhere(there).mean(axis=0) - np.argwhere(mask).mean(axis=0)
    assert np.hypot(*gap) > 0.1 * clips.SIZE
    assert (one.stop == len(stacking())) == (level == 2)


@pytest.mark.parametrize("level", range(3))
def test_a_thing_goes_out_so_often_and_is_whole_in_between(level):
    take, one = stacking().attempt, made("disappearance-flickering", level)
    name = named(one, "is gone and back")
    gone = []
    for number in range(one.start, one.stop):
        same = np.array_equal(one.frames[number], stacking().frames[number])
        bare = take.without(number, take.geoms_of(name))
        assert same or np.array_equal(one.frames[number], bare)
        gone.append(not same)
    assert gone[0]
    assert gone[-1]
    turns = np.flatnonzero(np.diff(np.array(gone, dtype=int), prepend=0, append=0))
    spells, pauses = turns[1::2] - turns[::2], turns[2::2] - turns[1:-1:2]
    assert len(spells) == level + 2
    # 0.13 s to 0.27 s are 2 to 4 frames, 0.13 s to 0.2 s are 2 or 3.
    assert {2, 3, 4} >= set(spells[: -1 if level == 2 else None])
    assert {2, 3} >= set(pauses)
    assert (one.stop == len(stacking())) == (level == 2)


def test_what_bears_another_thing_does_not_go_out():
    take = stacking().attempt
    assert bears(take, "lower", len(take) - 3, len(take))
    assert not bears(take, "lower", 0, 3)
    assert not bears(take, "upper", len(take) - 3, len(take))
    flickering = FOUND["disappearance-flickering"]
    for chance in range(8):
        one = flickering.inject(stacking(), 2, np.random.default_rng(chance))
        assert named(one, "is gone and back") != "lower"


def test_a_place_is_uncovered_when_it_was_seen_and_then_well_covered():
    hidden = np.array([0, 0, 0, 0.5, 0.9, 1.0, 0.98, 0.6, 0.3, 0, 0, 0.5, 0, 1.0, 1.0])
    # Well covered last in frame 6, clear again in 9; 0.5 is too little; the end never clears.
    assert next(_covers(hidden, 3)) == (6, 9)
    assert [start for start, _ in _covers(hidden, 3)] == [6, 14]
    assert not list(_covers(hidden[:11], 4))


@pytest.mark.parametrize("level", range(3))
def test_what_is_made_up_comes_out_from_behind_the_robot(level):
    take, one = stacking().attempt, made("hallucination-uncovered", level)
    colour = one.description.split()[1]
    assert colour not in {take.words(name).split()[0] for name in take.things}
    sizes = [(changed(one, number) > 20).sum() for number in range(one.start, one.stop)]
    assert sizes[0] < 0.5 * max(sizes)
    # It lies still: what is seen of it once is where it is seen last.
    last = changed(one, one.stop - 1) > 20
    early = changed(one, one.start) > 20
    assert (early & (last | take.mask(one.stop - 1, "robot"))).sum() > 0.5 * early.sum()
    assert (one.stop == len(stacking())) == (level == 2)


def test_a_new_colour_is_nobodys():
    take = stacking().attempt
    rng = np.random.default_rng(0)
    found = {new_colour(take, rng, "brown") for _ in range(60)}
    taken = {take.words(name).split()[0] for name in take.things}
    assert found == set(COLOURS) - taken - {"brown"}


def test_a_place_in_the_basket_is_in_a_fixture():
    take = clips.attempt("place-in-basket").attempt
    basket = take.trace.positions["basket"][0]
    beside = basket + np.array([0.3, 0.0, 0.0])
    assert in_fixture(take, 0, basket, 0.0)
    assert not in_fixture(take, 0, beside, 0.0)
    assert in_fixture(take, 0, beside, 0.3)


def test_what_is_left_alone_is_touched_no_more():
    name, start, stop = left_alone(stacking(), np.random.default_rng(1), 0.3, 0.6)
    assert stop == len(stacking())
    assert 0.3 * stop - 1 < start < 0.6 * stop
    assert not stacking().attempt.trace.touched[name][start:].any()


@pytest.mark.parametrize("name", ["teleport-blended", "disappearance-flickering"])
def test_any_task_with_a_thing_will_do(name):
    for task in map(clips.stage().task, TASKS["test"]):
        assert FOUND[name].suits(task) == bool(task.things)
