"""Every robot in the folder keeps the contract, in every task that it has the hands for."""

from functools import lru_cache

import mujoco
import numpy as np
import pytest

from assay import plugins
from assay.errors import UsageError
from assay.worlds.policies.expert import Expert
from assay.worlds.policies.frozen import Frozen
from assay.worlds.robots._choosing import make_robot, robot_for
from assay.worlds.robots._models import arm_model
from assay.worlds.robots.base import grippers, width
from assay.worlds.robots.desk_arm import DeskArm
from assay.worlds.session import Session
from assay.worlds.tasks.base import hands_of
from assay.worlds.world import World

ROBOTS = plugins.names("assay.worlds.robots")
TASKS = plugins.names("assay.worlds.tasks")


@lru_cache
def task(name):
    return plugins.find("assay.worlds.tasks", name)()


PAIRS = [(r, t) for r in ROBOTS for t in TASKS if len(make_robot(r).arms) == hands_of(task(t))]


@pytest.mark.parametrize("name", ROBOTS)
def test_a_robot_is_named_after_its_file_and_says_what_it_is(name):
    robot = make_robot(name)
    assert robot.name == name
    assert plugins.describe("assay.worlds.robots", name).endswith(".")
    assert [arm.side for arm in robot.arms] in ([""], ["left", "right"])


@pytest.mark.parametrize("name", ROBOTS)
def test_every_arm_has_the_parts_that_the_contract_names(name):
    for arm in make_robot(name).arms:
        model = arm_model(arm)
        assert len(arm.home) == len(arm.speed_limits) == len(arm.joints)
        for joint, angle in zip(arm.joints, arm.home, strict=True):
            low, high = model.joint(joint).range
            assert low < angle < high
            assert model.actuator(joint).trnid[0] == model.joint(joint).id
        assert model.actuator("gripper").ctrlrange[1] == arm.finger_range
        assert {model.site(n).name for n in ("tool", "flange")} == {"tool", "flange"}
        assert [model.sensor(n).dim[0] for n in ("force", "torque")] == [3, 3]
        assert model.camera("wrist").bodyid[0] == model.site("tool").bodyid[0]
        collide = {model.geom(g).name for g in range(model.ngeom) if model.geom_contype[g]}
        assert collide == set(arm.pads)


@pytest.mark.parametrize(("robot", "name"), PAIRS)
def test_every_attempt_begins_with_open_hands_over_the_table_and_stays_so(robot, name):
    world = World(task(name), make_robot(robot))
    own = world.robot
    assert world.scene.startswith("tabletop/" if robot == "panda" else f"tabletop-{robot}/")
    session = Session(world, Frozen().actor(world.task, 0))
    session.reset(0)
    start = world.observe()
    for _ in range(3):
        action = session.step()
    assert action.shape == (width(own),)
    assert np.array_equal(action[grippers(own)], np.ones(len(own.arms)))
    np.testing.assert_allclose(world.observe().joint_position, start.joint_position, atol=2e-3)
    for arm in own.arms:
        hand = world.state.hand(arm.side)
        assert hand.position("tool")[2] > 0.2
        assert hand.matrix("tool")[2, 2] < -0.99  # it points down
        assert hand.opening > 0.98
        # From the base's frame back to the world's.
        there, _rotation = hand.tool_in_base()
        cos, sin = np.cos(arm.stand.yaw), np.sin(arm.stand.yaw)
        back = np.array([cos * there[0] - sin * there[1], sin * there[0] + cos * there[1]])
        base = np.array([arm.stand.x, arm.stand.y])
        np.testing.assert_allclose(base + back, hand.position("tool")[:2], atol=1e-12)


@pytest.mark.parametrize("name", TASKS)
def test_the_robot_that_is_taken_by_default_has_the_hands_for_the_task(name):
    assert len(robot_for(task(name)).arms) == hands_of(task(name))


def test_a_robot_with_the_wrong_number_of_arms_is_refused_and_others_are_named():
    with pytest.raises(UsageError, match=r"handover takes two arms, and panda has one arm: .* bim"):
        World(task("handover"), make_robot("panda"))
    with pytest.raises(UsageError, match=r"give --robot desk-arm or panda"):
        World(task("lift-block"), make_robot("bimanual"))


def test_the_desk_arm_has_the_kinematics_that_are_published():
    # Trossen's home matrix of WidowX-250 6DOF: with all joints at 0 the fingers are at
    # (0.458325, 0, 0.36065) m in the base's frame, and the hand's z points along x.
    model = arm_model(DeskArm())
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    stand = DeskArm().stand
    np.testing.assert_allclose(
        data.site("tool").xpos - (stand.x, stand.y, stand.z), (0.458325, 0.0, 0.36065), atol=1e-9
    )
    np.testing.assert_allclose(data.site("tool").xmat.reshape(3, 3)[:, 2], (1, 0, 0), atol=1e-9)


@pytest.mark.parametrize("name", ["lift-block", "open-drawer"])
def test_the_expert_does_tasks_with_the_desk_arm_too(name):
    world = World(task(name), DeskArm())
    session = Session(world, Expert().actor(world.task, 5))
    session.reset(5)
    while not session.finished:
        session.step()
    assert session.success
