"""Every policy in the folder keeps the contract, and each flaw shows in the exact progress."""

import pickle
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import plugins
from assay.errors import UsageError
from assay.metrics.opd import opd
from assay.worlds.policies._mistaken import suits
from assay.worlds.policies._reaching import joint_ranges
from assay.worlds.policies.base import Actor, Restorable
from assay.worlds.robots.panda import Panda
from assay.worlds.tasks.lift_block import HEIGHT, LiftBlock
from assay.worlds.tasks.press_button import PressButton
from assay.worlds.tasks.rank_blocks import ORDER, PADS, RankBlocks
from assay.worlds.tasks.stack_blocks import StackBlocks
from assay.worlds.world import CONTROL_HZ, World
from policies_supplied import policy_of
from policy_stub import SERVED

TASK = LiftBlock()
# Mistakes that this task has not: a task that has them.
TASK_OF = {
    "wrong-target": StackBlocks(),
    "wrong-order": RankBlocks(),
    "ignored-constraint": PressButton(),
}
POLICIES = [
    name
    for name in plugins.names("assay.worlds.policies")
    if name in TASK_OF
    or (name not in SERVED and suits(plugins.find("assay.worlds.policies", name), TASK))
]
FLAWED = [n for n in POLICIES if hasattr(plugins.find("assay.worlds.policies", n), "strength")]
# Nothing in them is left to chance.
CERTAIN = {"expert", "near-miss", "frozen", "cloned", "replayed"}
STEPS = 80  # 4 s, of which the expert needs 3.1


def task_of(name):
    return TASK_OF.get(name, TASK)


@lru_cache
def shared_world(task=TASK):
    return World(task)


@pytest.fixture
def world():
    return shared_world()


def policy(name, **options):
    return policy_of(name, TASK.name, **options)


def roll(world, actor, steps=STEPS, seed=0):
    """Return the actions of shape (steps, A) and Phi* of shape (steps + 1,)."""
    world.reset(seed)
    actor.reset(world.task.instruction)
    actions, progress = [], [world.progress()]
    for _ in range(steps):
        [action] = actor.act(world.observe())
        world.step(action)
        actions.append(action)
        progress.append(world.progress())
    return np.array(actions), np.array(progress)


@lru_cache
def rolled(name, seed=0, steps=STEPS, task=None):
    """Return what a policy of default strength does, worked out once."""
    task = task or task_of(name)
    return roll(shared_world(task), policy(name).actor(task, seed), steps, seed)


def metrics(progress):
    values = progress[:: CONTROL_HZ // 10]
    return opd(values, np.array([0, len(values)]), epsilon=0.001)


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_makes_actors_that_can_be_put_back(name):
    actor = policy(name).actor(task_of(name), 0)
    assert isinstance(actor, Actor)
    assert isinstance(actor, Restorable)
    assert actor.finished is False


@pytest.mark.parametrize("name", POLICIES)
def test_every_action_is_one_the_robot_can_take(name):
    actions, _progress = rolled(name)
    ranges = joint_ranges(Panda())
    assert actions.shape == (STEPS, 8)
    assert np.isfinite(actions).all()
    assert (actions[:, :7] >= ranges[:, 0]).all()
    assert (actions[:, :7] <= ranges[:, 1]).all()
    assert (actions[:, 7] >= 0).all()
    assert (actions[:, 7] <= 1).all()


@pytest.mark.parametrize("name", POLICIES)
def test_the_same_seed_gives_the_same_actions(name):
    task = task_of(name)
    again, _progress = roll(shared_world(task), policy(name).actor(task, 0))
    assert np.array_equal(again, rolled(name)[0])


@pytest.mark.parametrize("name", sorted(set(POLICIES) - CERTAIN))
def test_another_seed_gives_other_chances_in_the_same_scene(name):
    first, task = rolled(name)[0], task_of(name)
    world = shared_world(task)
    others = (roll(world, policy(name).actor(task, seed))[0] for seed in range(1, 6))
    assert any(not np.array_equal(first, other) for other in others)


@pytest.mark.parametrize("name", FLAWED)
def test_a_flaw_of_strength_0_is_the_expert(name):
    task = task_of(name)
    actions, _progress = roll(shared_world(task), policy(name, strength=0.0).actor(task, 0))
    assert np.array_equal(actions, rolled("expert", task=task)[0])


@pytest.mark.parametrize("name", FLAWED)
@pytest.mark.parametrize("strength", [-0.1, 1.5, float("nan")])
def test_a_strength_outside_0_to_1_is_refused_kindly(name, strength):
    with pytest.raises(UsageError, match=r"strength of \w+ must lie between 0 .* and 1, not "):
        policy(name, strength=strength)


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_says_in_one_line_what_it_does(name):
    assert plugins.describe("assay.worlds.policies", name).endswith(".")


@settings(max_examples=20)
@given(name=st.sampled_from(POLICIES), at=st.integers(0, 60))
def test_a_restored_actor_goes_on_bit_by_bit(name, at):
    task, ahead = task_of(name), 10
    world = shared_world(task)
    actor = policy(name).actor(task, 0)
    roll(world, actor, at)
    moment, memory = world.save(), pickle.dumps(actor.save())
    first = [act_once(world, actor) for _ in range(ahead)]
    world.restore(moment)
    other = policy(name).actor(task, 0)
    other.restore(pickle.loads(memory))
    second = [act_once(world, other) for _ in range(ahead)]
    assert np.array_equal(first, second)


def act_once(world, actor):
    [action] = actor.act(world.observe())
    world.step(action)
    return action


def test_a_reset_begins_the_same_attempt_anew(world):
    actor = policy("backtracker").actor(TASK, 0)
    first, _progress = roll(world, actor)
    assert np.array_equal(roll(world, actor)[0], first)


def test_frozen_stays_at_home():
    actions, progress = rolled("frozen")
    assert np.array_equal(actions, np.tile([*Panda().home, 1.0], (STEPS, 1)))
    # The block is as far away at the end as at the start, so no step is larger than epsilon.
    assert metrics(progress).stagnation == 1.0


def test_hesitant_holds_its_action_for_its_share_of_the_time(world):
    # The script takes the expert 57 steps, so that within 50 every hold is a pause.
    runs = [roll(world, policy("hesitant").actor(TASK, seed), 50)[0] for seed in range(5)]
    held = np.concatenate([(np.diff(actions, axis=0) == 0).all(axis=1) for actions in runs])
    # 12.5 s in stretches of 1 s: a share of 0.6, give or take sqrt(.6 * .4 / 12.5) = 0.14, twice
    assert 0.32 < held.mean() < 0.88


def test_jittery_goes_back_and_forth_yet_gets_there(world):
    _actions, progress = roll(world, policy("jittery").actor(TASK, 0), 120)
    found, calm = metrics(progress), metrics(rolled("expert")[1])
    assert found.mp == 1.0
    assert found.tv > 1.05 * calm.tv


def test_jitter_is_as_large_as_its_strength_says(world):
    # With an expert that stays at home, what is left is the noise.
    actor = policy("jittery", strength=1.0).actor(TASK, 0)
    actor.expert.act = lambda _observation: np.array([[*Panda().home, 1.0]])
    actions = np.concatenate([actor.act(world.observe()) for _ in range(400)])
    noise = actions[10:, :7] - np.array(Panda().home)  # it has grown to its full size by then
    # 0.06 rad by definition; waves that beat against each other take long to average out.
    assert np.sqrt(np.mean(noise**2)) == pytest.approx(0.06, rel=0.1)


def test_dropper_loses_what_it_holds_and_picks_it_up_again(world):
    _actions, progress = roll(world, policy("dropper", strength=1.0).actor(TASK, 1), 160)
    grasped = progress >= 2 / 3  # two of three subgoals: reached and held
    first = int(np.argmax(grasped))
    lost = first + int(np.argmin(grasped[first:]))
    assert first < lost
    assert progress[lost:].min() < 1 / 3 + 0.01  # not even reached: the hand has gone up
    assert progress[lost:].max() > 2 / 3


def test_backtracker_plays_its_commands_backwards(world):
    actions, progress = roll(world, policy("backtracker", strength=1.0).actor(TASK, 1), 160)
    shortest = 30  # steps: 1.5 s
    turns = [
        step
        for step in range(shortest, 160 - shortest)
        if np.array_equal(actions[step : step + shortest], actions[step - shortest : step][::-1])
        and not np.array_equal(actions[step], actions[step - 10])
    ]
    assert turns
    # Progress 1.5 s after the turn is that of 1.5 s before it, or less.
    assert progress[turns[0] + shortest] < progress[turns[0]] - 0.3


def test_early_stopper_gives_up_and_says_so(world):
    actor = policy("early-stopper", strength=0.8).actor(TASK, 0)
    actions, progress = roll(world, actor)
    still = (np.diff(actions, axis=0) == 0).all(axis=1)
    assert actor.finished
    assert still[-40:].all()
    # It leaves 0.72 .. 0.8 undone; the arm runs on a little after the last command.
    assert 0.2 <= progress.max() < 0.28 + 0.05


def test_near_miss_lifts_the_block_not_high_enough():
    _actions, progress = rolled("near-miss")
    # It stops 0.03 m below HEIGHT, within 0.012 m; the block starts at 0.025 m.
    # Two of three subgoals hold, and of the third the share (height - 0.025) / (HEIGHT - 0.025).
    share = (HEIGHT - 0.03 - 0.025) / (HEIGHT - 0.025)
    slack = 0.012 / (HEIGHT - 0.025) / 3
    assert progress.max() == pytest.approx((2 + share) / 3, abs=slack)
    assert progress[-1] == pytest.approx(progress.max(), abs=0.01)


def test_wrong_object_lifts_another_one(world):
    _actions, progress = roll(world, policy("wrong-object", strength=1.0).actor(TASK, 0))
    assert world.state.held("other")
    assert world.state.position("other")[2] > HEIGHT
    assert world.state.position("block")[2] == pytest.approx(0.025, abs=0.002)
    assert progress.max() < 1 / 3


def test_wrong_object_chooses_once_for_an_attempt():
    chosen = [policy("wrong-object").actor(TASK, seed).script[0].name for seed in range(40)]
    # 20 of 40 expected, with a standard deviation of sqrt(40 * .5 * .5) = 3.2
    assert 10 <= chosen.count("above other") <= 30
    assert set(chosen) == {"above block", "above other"}


def test_knocked_is_thrown_off_and_gets_there_all_the_same(world):
    actions, progress = roll(world, policy("knocked").actor(TASK, 0), 160)
    calm = rolled("expert")[0]
    # The expert's targets move by at most 2.61 rad/s / 20 Hz = 0.13 rad a step; knocks of 0.06 rad
    # (root mean square) come on top, so what leaps is a knock or the way back from one.
    leaps = np.abs(np.diff(actions[:, :7], axis=0)).max(axis=1)
    assert leaps.max() > np.abs(np.diff(calm[:, :7], axis=0)).max()
    assert progress.max() == 1.0


def test_knocked_goes_on_from_where_the_arm_is(world):
    actor = policy("knocked", strength=1.0).actor(TASK, 0)
    world.reset(0)
    actor.reset("")
    knocked = actor._offsets(world.state).any(axis=1)
    first = int(np.argmax(knocked))
    lasts = int(np.argmin(knocked[first:]))
    for _ in range(first + lasts):
        act_once(world, actor)
    here = world.state.joint_position
    [action] = actor.act(world.observe())
    # One step of inverse kinematics from the present joints: at most 2.61 rad/s / 20 Hz away.
    assert np.abs(action[:7] - here).max() <= 2.61 / CONTROL_HZ + 1e-9


def test_replayed_plays_what_was_recorded_and_looks_at_nothing(world):
    # The recording has 10 samples a second: every action lasts for two control steps.
    played, _progress = roll(world, policy("replayed").actor(TASK, 7), 40, seed=7)
    expert = rolled("expert")[0]
    assert np.allclose(played[::2], expert[:40:2], atol=1e-6)  # kept as float32
    assert np.array_equal(played[::2], played[1::2])


# --- mistakes


@pytest.mark.parametrize("name", TASK_OF)
def test_a_task_without_such_a_mistake_is_refused_with_the_tasks_that_have_it(name):
    with pytest.raises(UsageError, match=rf"{name} can't do 'lift-block', .*{task_of(name).name}"):
        policy(name).actor(TASK, 0)
    assert not suits(policy(name), TASK)
    assert suits(policy(name), task_of(name))
    assert suits(policy("expert"), TASK)


def finish(name):
    """Return the world after a policy has done everything wrong, to the end of its script."""
    task = task_of(name)
    world, actor = shared_world(task), policy(name, strength=1.0).actor(task, 0)
    world.reset(0)
    while not actor.finished:
        world.step(actor.act(world.observe())[0])
    assert not world.success()
    return world.state


def test_wrong_target_puts_the_right_block_on_another_one():
    state = finish("wrong-target")
    gap = state.position("upper") - state.position("other")
    assert np.linalg.norm(gap[:2]) < 0.02
    assert gap[2] == pytest.approx(0.05, abs=0.005)


def test_wrong_order_lines_the_blocks_up_the_other_way_round():
    state = finish("wrong-order")
    for block, pad in zip(ORDER[::-1], PADS, strict=True):
        assert np.linalg.norm((state.position(block) - state.position(pad))[:2]) < 0.02


def test_an_ignored_constraint_presses_the_blue_button_too():
    state = finish("ignored-constraint")
    # A button stays at 20 mm, within a fraction of a millimetre.
    assert state.slide("red-button") == pytest.approx(0.020, abs=0.001)
    assert state.slide("blue-button") == pytest.approx(0.020, abs=0.001)
