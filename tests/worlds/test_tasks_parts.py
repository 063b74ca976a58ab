"""Buttons, knobs, drawers, lids: what is done counts, and what was told not to be done."""

from functools import lru_cache

import mujoco
import numpy as np
import pytest

from assay.worlds.tasks._buttons import STAY, TRIP
from assay.worlds.tasks.clear_table import CLEARED, ClearTable
from assay.worlds.tasks.close_drawer import CloseDrawer
from assay.worlds.tasks.cover_box import CoverBox
from assay.worlds.tasks.press_button import PressButton
from assay.worlds.tasks.put_in_drawer import DEEP, PutInDrawer
from assay.worlds.tasks.ring_on_post import RingOnPost
from assay.worlds.tasks.stack_three import StackThree
from assay.worlds.tasks.turn_knob import TurnKnob
from assay.worlds.world import World


@lru_cache
def world_of(kind):
    return World(kind())


def scene(kind, slides=None, put=None):
    """Return the scene of seed 3 with joints of fixtures moved and things put elsewhere, at rest.

    `put` names for each thing what it is put at, and how far from that in its frame [m].
    """
    world = world_of(kind)
    world.reset(3)
    for joint, moved in (slides or {}).items():
        world.data.joint(joint).qpos[0] = moved
    mujoco.mj_forward(world.model, world.data)
    for name, (at, shift) in (put or {}).items():
        spot = world.state.position(at) + world.state.matrix(at) @ shift
        world.data.joint(name).qpos[:] = (*spot, *world.state.rotation(at))
    world.data.qvel[:] = 0.0
    mujoco.mj_forward(world.model, world.data)
    world.state.refresh()
    return world


def wait(world, steps=20):
    for _ in range(steps):
        world.step(np.array([*world.robot.home, 1.0]))
    return world.state


@pytest.mark.parametrize(("depth", "end"), [(TRIP - 0.002, 0.0), (TRIP + 0.001, STAY)])
def test_a_button_springs_back_or_stays(depth, end):
    state = wait(scene(PressButton, {"red-button": depth}))
    assert state.slide("red-button") == pytest.approx(end, abs=1e-4)


def test_a_button_that_is_down_counts_unless_the_other_is_down_too():
    assert scene(PressButton, {"red-button": STAY}).success()
    both = scene(PressButton, {"red-button": STAY, "blue-button": STAY})
    # All but the last of six subgoals hold, and nothing of that one: 5/6.
    assert both.subgoals_done() == 5
    assert both.progress() == pytest.approx(5 / 6)


@pytest.mark.parametrize(
    ("degrees", "done", "progress"),
    [
        (40, 0, None),  # less than half-way, and the hand is at home
        (60, 3, (3 + 60 / 80) / 5),  # half-way proves grasp and reach
        (85, 5, 1.0),
        (-85, 0, None),  # the wrong way
    ],
)
def test_a_knob_that_is_turned_needs_no_hand_to_count(degrees, done, progress):
    world = scene(TurnKnob, {"red-knob": np.radians(degrees)})
    assert world.subgoals_done() == done
    if progress is not None:
        assert world.progress() == pytest.approx(progress)
    assert wait(world).slide("red-knob") == pytest.approx(np.radians(degrees), abs=0.01)


def test_both_drawers_are_open_and_only_one_is_to_be_shut():
    world = scene(CloseDrawer)
    assert all(world.state.slide(f"{c}-drawer") >= 0.10 for c in ("red", "blue"))
    assert not scene(CloseDrawer, {"blue-drawer": 0.0}).success()
    assert scene(CloseDrawer, {"red-drawer": 0.0}).success()


# Beside the middle of its floor, a block's centre is 0.018 + 0.025 m high in the drawer.
IN_DRAWER = (-DEEP, 0.0, 0.043)


def test_a_drawer_is_to_be_shut_with_the_block_in_it():
    assert scene(PutInDrawer).subgoals_done() == 0  # shut already, but empty
    inside = {"block": ("red-drawer", IN_DRAWER)}
    assert scene(PutInDrawer, {"red-drawer": 0.0}, inside).success()
    # Opened, the eight subgoals before closing still hold; half of the way is left of the ninth.
    assert scene(PutInDrawer, {"red-drawer": 0.12}, inside).subgoals_done() == 8
    wrong = {"block": ("blue-drawer", IN_DRAWER)}
    assert scene(PutInDrawer, put=wrong).subgoals_done() == 0


def test_a_table_is_not_cleared_with_what_should_stay():
    spots = ((-0.04, -0.04, 0.03), (0.04, -0.04, 0.03), (0.0, 0.04, 0.035))
    cleared = {n: ("basket", spot) for n, spot in zip(CLEARED, spots, strict=True)}
    assert scene(ClearTable, put=cleared).success()
    all_in = scene(ClearTable, put={**cleared, "cup": ("basket", (0.0, 0.0, 0.05))})
    # Twelve of thirteen subgoals: the last is that the yellow can stays.
    assert all_in.subgoals_done() == 12
    assert all_in.progress() == pytest.approx(12 / 13)


def test_a_tower_in_another_order_is_none():
    right = {"middle": ("bottom", (0, 0, 0.05)), "top": ("bottom", (0, 0, 0.10))}
    assert scene(StackThree, put=right).success()
    swapped = {"top": ("bottom", (0, 0, 0.05)), "middle": ("bottom", (0, 0, 0.10))}
    # Near the lowest block the blue one counts as carried there, but it does not lie on it.
    assert scene(StackThree, put=swapped).subgoals_done() == 3


def test_a_lid_without_the_block_below_it_is_not_enough():
    lid = {"lid": ("box", (0.0, 0.0, 0.087))}
    assert scene(CoverBox, put=lid).subgoals_done() == 0
    assert scene(CoverBox, put={**lid, "block": ("box", (0.0, 0.0, 0.03))}).success()


def test_a_ring_lies_around_its_post_and_not_on_another():
    assert scene(RingOnPost, put={"ring": ("post", (0.005, 0.0, 0.015))}).success()
    assert scene(RingOnPost, put={"ring": ("spare", (0.0, 0.0, 0.015))}).subgoals_done() < 3
    assert scene(RingOnPost, put={"ring": ("post", (0.04, 0.0, 0.015))}).subgoals_done() == 3


def test_every_part_of_a_ring_has_its_colour():
    model = world_of(RingOnPost).model
    body = model.body("ring")
    first, count = int(body.geomadr[0]), int(body.geomnum[0])
    assert count == 8
    assert len({tuple(row) for row in model.geom_rgba[first : first + count]}) == 1
