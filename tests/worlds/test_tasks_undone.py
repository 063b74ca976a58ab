"""Blocks that are put back: Phi* falls to what still holds."""

from functools import lru_cache

import mujoco
import numpy as np
import pytest

from assay.worlds.policies._scripted import ScriptedActor
from assay.worlds.state import GRIPPER
from assay.worlds.tasks.base import Aim
from assay.worlds.tasks.place_in_basket import PlaceInBasket
from assay.worlds.tasks.rank_blocks import ORDER, PADS, RankBlocks
from assay.worlds.tasks.stack_blocks import StackBlocks
from assay.worlds.world import World


@lru_cache
def finished(kind):
    """Return a world in which the expert has done the task and taken its hand away."""
    world = World(kind())
    actor = ScriptedActor(world.task, Aim())
    while not actor.finished:
        world.step(actor.act(world.observe())[0])
    return world, world.save()


def after(kind, name, x, y, z):
    """Return the world with the task done, and then a thing put elsewhere, at rest."""
    world, snapshot = finished(kind)
    world.restore(snapshot)
    assert world.success()
    joint = world.data.joint(name)
    joint.qpos[:] = (x, y, z, 1.0, 0.0, 0.0, 0.0)
    joint.qvel[:] = 0.0
    mujoco.mj_forward(world.model, world.data)
    world.state.refresh()
    return world


def spot(kind, name):
    """Return where a thing or fixture is when the task is done."""
    world, snapshot = finished(kind)
    world.restore(snapshot)
    return world.state.position(name)


def test_a_block_taken_out_of_the_basket_is_all_to_do_again():
    x, y, _z = spot(PlaceInBasket, "basket")
    # 0.30 m away it is neither near the basket (0.14 m) nor in the hand, which is over the basket:
    # no subgoal holds, k = 0, and Phi* < 1/4.
    world = after(PlaceInBasket, "block", x, y - 0.3 * np.sign(y), 0.025)
    assert world.subgoals_done() == 0
    assert world.progress() < 0.25


def test_a_block_beside_the_basket_has_been_carried_there():
    x, y, _z = spot(PlaceInBasket, "basket")
    # 0.11 m from the centre: outside (0.06 m), near (0.14 m), so reach, grasp and carry count. Of
    # the last stretch 0.11 - 0.06 = 0.05 m across and half of 0.006 m up to the basket's floor are
    # left. Most is 0.14 - 0.06 across, half of 0.10 - 0.031 down and 0.02 for the hand.
    world = after(PlaceInBasket, "block", x + 0.11, y, 0.025)
    assert world.subgoals_done() == 3
    left = (0.05 + 0.003) / (0.08 + 0.0345 + 0.02)
    assert world.progress() == pytest.approx((3 + 1 - left) / 4, abs=1e-6)


def test_a_block_on_the_wall_of_the_basket_is_not_inside():
    x, y, _z = spot(PlaceInBasket, "basket")
    assert after(PlaceInBasket, "block", x + 0.05, y, 0.075).subgoals_done() == 3


def test_the_wrong_block_in_the_basket_does_not_count():
    x, y, z = spot(PlaceInBasket, "block")
    world = after(PlaceInBasket, "block", x, y - 0.3 * np.sign(y), 0.025)
    world.data.joint("other").qpos[:3] = (x, y, z)
    mujoco.mj_forward(world.model, world.data)
    world.state.refresh()
    assert world.subgoals_done() == 0


def test_a_block_that_falls_beside_the_other_is_no_longer_stacked():
    x, y, z = spot(StackBlocks, "upper")
    # 0.055 m from the lower block's centre: not on it (0.02 m), but near (0.085 m).
    assert after(StackBlocks, "upper", x + 0.055, y, 0.025).subgoals_done() == 3
    # In the air over the lower block, 0.03 m above its place: not flush (0.01 m).
    assert after(StackBlocks, "upper", x, y, z + 0.03).subgoals_done() == 3
    # 0.2 m away: neither near nor in the hand.
    assert after(StackBlocks, "upper", x, y - 0.2 * np.sign(y), 0.025).subgoals_done() == 0


@pytest.mark.parametrize(("number", "left"), [(0, 0), (1, 4), (2, 8)])
def test_a_block_off_its_pad_undoes_its_four_subgoals_and_all_later_ones(number, left):
    # Reach, grasp, carry and put make four subgoals a block. All later blocks lie right, but
    # subgoals count from the first to the first that does not hold.
    x, y, _z = spot(RankBlocks, PADS[number])
    world = after(RankBlocks, ORDER[number], x - 0.15, y, 0.025)
    assert world.subgoals_done() == left
    assert left / 12 <= world.progress() < (left + 1) / 12


def test_left_is_what_the_front_camera_sees_left():
    world, snapshot = finished(RankBlocks)
    world.restore(snapshot)
    camera = world.data.camera("front")
    # The first column of the camera's rotation points to the right of its picture.
    right = camera.xmat.reshape(3, 3)[:, 0]
    shown = [float(right @ (world.state.position(name) - camera.xpos)) for name in ORDER]
    assert shown == sorted(shown)
    assert np.diff(shown) == pytest.approx([0.11, 0.11], abs=0.02)


def test_a_block_that_is_still_in_the_hand_is_not_put():
    world = World(StackBlocks())
    actor = ScriptedActor(world.task, Aim())
    while actor.move.name != "let go of upper":
        world.step(actor.act(world.observe())[0])
        assert not (world.state.touching(GRIPPER, "upper") and world.success())
