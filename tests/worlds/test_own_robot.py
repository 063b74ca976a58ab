"""A robot of the user's own: what is derived, what is added, and what is refused."""

import json

import numpy as np
import pytest

import robots_made
from assay.cli._app import run
from assay.errors import InputError, UnknownNameError, UnsafePathError
from assay.worlds.policies.expert import Expert
from assay.worlds.robots._choosing import make_robot
from assay.worlds.robots._models import arm_model
from assay.worlds.session import Session
from assay.worlds.tasks.lift_block import LiftBlock
from assay.worlds.world import World

NEAR = "[stand]\nx = 0.2\n"  # it reaches 0.5 m


@pytest.mark.parametrize("kind", ["xml", "urdf"])
def test_the_expert_lifts_a_block_with_a_file_that_names_nothing(tmp_path, kind):
    text = robots_made.MJCF if kind == "xml" else robots_made.urdf()
    path = robots_made.write(tmp_path, f"tiny.{kind}", text)
    (tmp_path / "tiny.toml").write_text(NEAR)
    robot = make_robot(str(path))
    assert robot.joints == ("turn", "lean", "bend", "roll", "nod", "spin")
    assert (robot.fingers, robot.finger_range) == (("thumb", "finger"), 0.04)
    world = World(LiftBlock(), robot)
    assert world.scene == "tabletop-tiny/lift-block/0/plain"
    # The pose to start from was found: the hand points down in front of the arm.
    assert world.state.matrix("tool")[2, 2] < -0.99
    session = Session(world, Expert().actor(world.task, 1))
    session.reset(1)
    while not session.finished:
        session.step()
    assert session.success


def test_a_rollout_with_a_file_records_what_it_was_and_can_be_audited(tmp_path):
    path = robots_made.write(tmp_path)
    (tmp_path / "tiny.toml").write_text(NEAR)
    out = tmp_path / "run"
    asked = ["--robot", str(path), "--views", "none", "--seeds", "1:2", "--out", str(out)]
    for words in (
        ("rollout", "lift-block", *asked),
        ("audit", str(out), "--judge", "oracle", "--out", str(tmp_path / "report")),
    ):
        with pytest.raises(SystemExit, check=lambda stopped: not stopped.code):
            run(list(words))
    told = json.loads((out / "run.json").read_text())["settings"]["robot"]
    assert (told["name"], told["settings"]["path"]) == ("tiny", str(path))
    assert told["settings"]["fingers"] == ["thumb", "finger"]
    assert told["settings"]["stand"]["x"] == 0.2
    (cell,) = json.loads((tmp_path / "report" / "audit.json").read_text())["cells"]
    assert (cell["task"], cell["mp"]["value"]) == ("lift-block", 1.0)


def test_what_stands_in_the_file_of_names_counts(tmp_path):
    path = robots_made.write(tmp_path)
    said = {"name": "mine", "joints": ["lean", "bend"], "home": [0.7, 0.8], "stand": {"yaw": 1.0}}
    (tmp_path / "tiny.json").write_text(json.dumps(said))
    robot = make_robot(str(path))
    assert (robot.name, robot.joints, robot.home) == ("mine", ("lean", "bend"), (0.7, 0.8))
    model = arm_model(robot)
    assert [model.actuator(n).name for n in range(model.nu)] == ["lean", "bend", "gripper"]
    foot = model.body("foot").quat
    np.testing.assert_allclose(foot, (np.cos(0.5), 0, 0, np.sin(0.5)), atol=1e-12)


def test_the_tool_is_between_the_finger_tips_and_points_out_of_the_hand(tmp_path):
    # The pads reach from 0.02 to 0.08 m in the hand's frame: the tool is 1 cm short of that.
    path = robots_made.write(tmp_path)
    (tmp_path / "tiny.toml").write_text("home = [0.0, 0.7, 0.8, 0.0, 1.6, 0.0]\n")
    tool = arm_model(make_robot(str(path))).site("tool")
    np.testing.assert_allclose(tool.pos, (0.0, 0.0, 0.07), atol=1e-7)
    np.testing.assert_allclose(np.abs(tool.quat), (1.0, 0.0, 0.0, 0.0), atol=1e-7)


BROKEN = {
    "no finger": (('type="slide"', 'type="hinge"'), "no gripper: two sliding joints are needed"),
    "half a file": (("</worldbody>", ""), "no XML that can be read"),
    "no such thing": (('type="capsule"', 'type="cone"'), "MuJoCo can't read it"),
    "closed below 0": (('range="0 .04"', 'range="-.04 .04"'), "must be closed at 0"),
    "collada": (
        ("<worldbody>", '<asset><mesh file="hand.dae"/></asset><worldbody>'),
        r"the mesh 'hand.dae' can't be read: .stl, .obj, .msh can",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_file_that_can_not_be_used_is_refused_in_one_sentence(tmp_path, case):
    (old, new), said = BROKEN[case]
    path = robots_made.write(tmp_path, text=robots_made.MJCF.replace(old, new))
    with pytest.raises(InputError, match=said) as caught:
        make_robot(str(path))
    assert str(path) in str(caught.value)


def test_names_that_are_not_there_are_told_with_the_nearest(tmp_path):
    path = robots_made.write(tmp_path)
    with pytest.raises(InputError, match="there is no such robot model"):
        make_robot(str(tmp_path / "other.xml"))
    (tmp_path / "tiny.toml").write_text('joints = ["trun"]\n')
    with pytest.raises(UnknownNameError, match=r"no joint in tiny\.xml named 'trun'.*'turn'"):
        make_robot(str(path))
    (tmp_path / "tiny.toml").write_text('tool = "grip"\n')
    with pytest.raises(UnknownNameError, match=r"no site in tiny\.xml named 'grip'"):
        make_robot(str(path))
    (tmp_path / "tiny.toml").write_text("finger = 3\n")
    with pytest.raises(InputError, match=r"tiny.toml: `finger`"):
        make_robot(str(path))
    (tmp_path / "tiny.toml").write_text("home = [0.0]\n")
    with pytest.raises(InputError, match="`home` has 1 numbers for 6 joints"):
        make_robot(str(path))


@pytest.mark.parametrize("named", ["../secret.stl", "/etc/passwd", "package://arm/hand.stl"])
def test_nothing_outside_of_the_model_s_folder_is_read(tmp_path, named):
    asset = f'<asset><mesh file="{named}"/></asset><worldbody>'
    text = robots_made.MJCF.replace("<worldbody>", asset)
    with pytest.raises(UnsafePathError, match="is not in the model's own folder"):
        make_robot(str(robots_made.write(tmp_path, text=text)))
