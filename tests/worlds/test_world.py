"""A world: what it knows, and that it starts the same from the same seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.worlds.look import COLOURS
from assay.worlds.policies.expert import Expert
from assay.worlds.state import GRIPPER, TABLE
from assay.worlds.tasks.lift_block import LiftBlock
from assay.worlds.world import World


@pytest.fixture(scope="module")
def world():
    return World(LiftBlock())


def act(world, actor, steps):
    """Let `actor` act, and return every joint position and progress on the way."""
    seen = []
    for _ in range(steps):
        for action in actor.act(world.observe()):
            world.step(action)
        seen.append(np.array([*world.data.qpos, *world.data.qvel, world.progress()]))
    return np.array(seen)


def test_a_block_at_rest_presses_on_the_table_with_its_weight(world):
    world.reset(3)
    for _ in range(20):
        world.step(np.array([*world.robot.home, 1.0]))
    # 0.06 kg x 9.81 m/s2 = 0.5886 N.
    assert world.state.force("block", TABLE) == pytest.approx(0.5886, rel=1e-3)
    assert world.state.force(TABLE, "block") == world.state.force("block", TABLE)
    assert not world.state.touching("block", GRIPPER)


def test_things_stand_where_the_layout_put_them(world):
    world.reset(5)
    for thing in world.task.things:
        place = world.layout.places[thing.name]
        found = world.state.position(thing.name)
        np.testing.assert_allclose(found, [place.x, place.y, thing.size[0]], atol=1e-3)


def test_the_same_seed_gives_the_same_scene_and_another_another(world):
    world.reset(7)
    first = world.data.qpos.copy()
    world.reset(8)
    other = world.data.qpos.copy()
    world.reset(7)
    assert np.array_equal(world.data.qpos, first)
    assert not np.allclose(other, first)


def test_a_scene_is_named_by_world_task_seed_and_perturbation(world):
    world.reset(12)
    assert world.scene == "tabletop/lift-block/12/plain"


def test_time_starts_at_zero_and_a_step_is_a_twentieth_of_a_second(world):
    world.reset(0)
    assert world.state.time == 0.0
    world.step(np.array([*world.robot.home, 1.0]))
    assert world.state.time == pytest.approx(0.05)


def test_the_gripper_opens_by_its_share_of_the_action(world):
    world.reset(0)
    for _ in range(30):
        world.step(np.array([*world.robot.home, 0.25]))
    assert world.state.opening == pytest.approx(0.25, abs=0.02)


def test_held_needs_both_finger_tips(world):
    world.reset(1)
    actor = Expert().actor(world.task, 1)
    actor.reset("")
    assert not world.state.held("block")
    act(world, actor, 60)
    assert world.state.held("block")
    assert world.success()
    assert world.progress() == 1.0


@settings(max_examples=6)
@given(seed=st.integers(0, 400), before=st.integers(0, 50), after=st.integers(1, 12))
def test_restored_worlds_go_on_bit_by_bit(world, seed, before, after):
    actor = Expert().actor(world.task, seed)
    world.reset(seed)
    actor.reset("")
    act(world, actor, before)
    saved, memory = world.save(), actor.save()
    expected = act(world, actor, after)
    world.reset(seed + 1)
    world.restore(saved)
    actor.restore(memory)
    assert np.array_equal(act(world, actor, after), expected)


def test_what_is_seen_after_a_restore_is_what_was_seen_before(world):
    actor = Expert().actor(world.task, 2)
    world.reset(2)
    actor.reset("")
    act(world, actor, 40)
    saved, forces = world.save(), world.state.forces().copy()
    tool, phi = world.state.position("tool"), world.progress()
    act(world, actor, 10)
    world.restore(saved)
    assert np.array_equal(world.state.forces(), forces)
    assert np.array_equal(world.state.position("tool"), tool)
    assert world.progress() == phi


def test_a_moment_of_another_task_is_refused(world):
    saved = world.save()
    other = type(saved)("stack-blocks", saved.seed, saved.perturbations, saved.physics)
    with pytest.raises(UsageError, match="can't restore a moment of 'stack-blocks'"):
        world.restore(other)


def test_a_moment_of_a_world_with_other_things_is_refused(world):
    saved = world.save()
    other = type(saved)(saved.task, saved.seed, saved.perturbations, saved.physics[:-1])
    with pytest.raises(UsageError, match="its things or fixtures are others"):
        world.restore(other)


@pytest.mark.parametrize("field", ["qpos", "qvel", "qacc_warmstart"])
def test_a_world_that_diverged_says_so_and_can_be_restored(world, field, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    world.reset(1)
    saved = world.save()
    assert not world.diverged()
    if field == "qacc_warmstart":
        world.data.qfrc_applied[0] = np.nan
    else:
        getattr(world.data, field)[0] = np.nan
    world.step(np.array([*world.robot.home, 1.0]))
    assert world.diverged()
    world.restore(saved)
    assert not world.diverged()
    assert list(tmp_path.iterdir()) == []  # MuJoCo keeps no log of its own


def test_things_without_a_colour_take_one_that_nobody_speaks_of(world):
    drawn = set()
    for seed in range(12):
        world.reset(seed)
        shown = [tuple(world.model.geom(t.name).rgba[:3].tolist()) for t in world.task.things]
        assert len(set(shown)) == len(shown)
        assert shown[0] == pytest.approx(COLOURS["red"])
        drawn.add(shown[1])
    assert len(drawn) > 3  # by the seed


def test_views_without_a_renderer_say_so(world):
    world.reset(0)
    with pytest.raises(UsageError, match="nothing is drawn here"):
        world.observe().images["front"]
