"""Push to zone and open drawer: what is done counts, what is undone does not, slips are mended."""

from functools import lru_cache

import mujoco
import numpy as np
import pytest

from assay.metrics.opd import opd
from assay.worlds.policies._scripted import ScriptedActor
from assay.worlds.state import GRIPPER
from assay.worlds.tasks.base import Aim
from assay.worlds.tasks.open_drawer import OpenDrawer
from assay.worlds.tasks.push_to_zone import INSIDE, PUCK, ZONE, PushToZone
from assay.worlds.world import World

KINDS = (PushToZone, OpenDrawer)
SEEDS = (0, 7, 16)


@lru_cache
def world_of(kind):
    return World(kind())


def roll(kind, seed, aim):
    """Follow the script to its end or the time limit; return the world and Phi* at every step."""
    world = world_of(kind)
    world.reset(seed)
    actor = ScriptedActor(world.task, aim)
    curve = [world.progress()]
    while not actor.finished and world.state.time < world.task.limit_s:
        world.step(actor.act(world.observe())[0])
        curve.append(world.progress())
    return world, np.array(curve)


def forward(world):
    """Bring the state up to date after something was put elsewhere."""
    mujoco.mj_forward(world.model, world.data)
    world.state.refresh()


# --- the scripts


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_expert_succeeds_and_progress_only_grows(kind, seed):
    world, curve = roll(kind, seed, Aim())
    assert world.success()
    cra = opd(curve, np.array([0, len(curve)]), epsilon=1e-3).cra
    assert cra.max() < 0.02


@pytest.mark.parametrize("kind", KINDS)
def test_the_wrong_thing_is_no_success(kind):
    world, curve = roll(kind, 0, Aim(wrong="object"))
    # Neither puck nor drawer was come near: not even the first of five subgoals holds.
    assert curve.max() < 0.2
    moved = (
        np.linalg.norm((world.state.position("other") - world.state.position("zone"))[:2]) < INSIDE
        if kind is PushToZone
        else world.state.slide("blue-drawer") > 0.1
    )
    assert moved


@pytest.mark.parametrize("kind", KINDS)
def test_a_near_miss_ends_between_three_quarters_and_success(kind):
    world, curve = roll(kind, 0, Aim(miss=1.0))
    assert not world.success()
    assert 0.75 <= curve.max() < 1.0


# --- the puck


def put_puck(far, seed=3):
    """Return a fresh scene with the puck so far from the zone's centre, and how far it was [m]."""
    world = world_of(PushToZone)
    world.reset(seed)
    zone, puck = world.state.position("zone"), world.state.position("puck")
    way = (puck - zone)[:2]
    start = float(np.linalg.norm(way))
    world.data.joint("puck").qpos[:2] = zone[:2] + way * (far / start)
    forward(world)
    return world, start


def test_a_puck_over_the_edge_needs_no_hand_to_count():
    # 0.075 m is within 0.065 + 0.03, so the edge is reached; that proves touch and reach: k = 3.
    # Of the way to 0.065 - 0.03 from the centre, 0.04 m of start - 0.035 m are left.
    world, start = put_puck(0.075)
    left = (0.075 - (ZONE - PUCK)) / (start - (ZONE - PUCK))
    assert world.subgoals_done() == 3
    assert world.progress() == pytest.approx((3 + 1 - left) / 5)


def test_a_puck_in_the_zone_that_nobody_touches_is_all_there_is_to_do():
    world, _start = put_puck(0.03)
    assert world.success()
    assert world.progress() == 1.0


def test_a_puck_pushed_out_again_is_all_to_do_again():
    # 0.12 m is outside the edge, and the hand is at home, not behind the puck: k = 0 of 5.
    world, _start = put_puck(0.12)
    assert world.subgoals_done() == 0
    assert world.progress() < 0.2


def test_the_hand_must_leave_the_puck():
    world = world_of(PushToZone)
    world.reset(0)
    actor = ScriptedActor(world.task, Aim())
    while actor.move is None or actor.move.name != "back off":
        assert not world.success()
        world.step(actor.act(world.observe())[0])
    assert world.subgoals_done() == 4


def test_a_puck_that_is_shoved_aside_is_pushed_again():
    world = world_of(PushToZone)
    world.reset(0)
    actor = ScriptedActor(world.task, Aim())
    while actor.move is None or actor.move.name != "push" or world.progress() < 0.5:
        world.step(actor.act(world.observe())[0])
    before = world.progress()
    zone, puck = world.state.position("zone"), world.state.position("puck")
    across = np.array([puck[1] - zone[1], zone[0] - puck[0]])
    world.data.joint("puck").qpos[:2] += 0.06 * across / np.linalg.norm(across)
    forward(world)
    # The hand is now beside the puck, neither behind it nor at it: k falls from 2 to 0.
    assert world.progress() < 0.2 < before
    while not actor.finished:
        world.step(actor.act(world.observe())[0])
    assert world.success()


def test_other_things_are_off_the_way():
    for seed in range(200):
        places = PushToZone().arrange(np.random.default_rng(seed)).places
        zone, puck = (np.array([places[n].x, places[n].y]) for n in ("zone", "puck"))
        for name in ("other", "block"):
            thing = np.array([places[name].x, places[name].y])
            share = np.clip((thing - zone) @ (puck - zone) / np.sum((puck - zone) ** 2), 0.0, 1.3)
            gap = np.linalg.norm(thing - zone - share * (puck - zone))
            # Half the diagonal of a block and the puck's radius leave at least 0.01 m.
            assert gap > 0.025 * np.sqrt(2) + PUCK + 0.01


# --- the drawer


def slid(out, seed=3):
    """Return a fresh scene in which the drawer with the red handle is so far out [m]."""
    world = world_of(OpenDrawer)
    world.reset(seed)
    world.data.joint("red-drawer").qpos[0] = out
    forward(world)
    return world


@pytest.mark.parametrize(
    ("out", "done", "progress"),
    [
        (0.05, 3, 0.70),  # half-way proves grasp and reach; 0.05 of 0.10 m: (3 + 0.5) / 5
        (0.08, 3, 0.76),  # (3 + 0.8) / 5
        (0.10, 5, 1.00),  # wide open, let go and still
    ],
)
def test_a_drawer_that_is_out_needs_no_hand_to_count(out, done, progress):
    world = slid(out)
    assert world.subgoals_done() == done
    assert world.progress() == pytest.approx(progress)


def test_a_drawer_pushed_back_is_all_to_do_again():
    # Less than half-way out, and the hand is at home: k = 0 of 5.
    world = slid(0.045)
    assert world.subgoals_done() == 0
    assert world.progress() < 0.2


def test_a_drawer_stays_where_it_was_left():
    world = slid(0.08)
    action = np.array([*world.robot.home, 1.0])
    for _ in range(20):
        world.step(action)
    assert world.state.slide("red-drawer") == pytest.approx(0.08, abs=1e-3)


def test_the_handle_is_held_from_grasp_to_release():
    world = world_of(OpenDrawer)
    world.reset(1)
    actor = ScriptedActor(world.task, Aim())
    held = []
    while not actor.finished:
        world.step(actor.act(world.observe())[0])
        if actor.move is not None and actor.move.name == "pull":
            held.append(world.state.held("red-handle"))
    assert len(held) > 10
    assert all(held)
    assert not world.state.touching(GRIPPER, "red-handle")


def test_the_red_handle_is_on_either_side():
    sides = {
        np.sign(OpenDrawer().arrange(np.random.default_rng(seed)).parts["red-drawer"].y)
        for seed in range(20)
    }
    assert sides == {-1.0, 1.0}
