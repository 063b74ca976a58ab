"""Two arms: who moves, who stays, what is recorded, and that a moment can be put back."""

import json
import pickle
from functools import lru_cache

import numpy as np
import pytest

from assay import plugins
from assay.cli._app import run
from assay.errors import UsageError
from assay.worlds.labels import PHASES, PRIMITIVES
from assay.worlds.look import moves, views_of
from assay.worlds.moves import Move, by, never, tool_pose
from assay.worlds.recording import record
from assay.worlds.rendering import Renderer
from assay.worlds.robots.bimanual import Bimanual
from assay.worlds.robots.panda import Panda
from assay.worlds.session import Session
from assay.worlds.tasks._grips import near_end
from assay.worlds.tasks.handover import Handover
from assay.worlds.tasks.lift_tray import LiftTray
from assay.worlds.world import World

FLAWS = ["dropper", "backtracker", "jittery", "hesitant", "early-stopper", "wrong-effector"]
LEFT, RIGHT = slice(0, 7), slice(7, 14)


@lru_cache
def world():
    return World(Handover())


def session_of(policy, seed=0):
    made = plugins.find("assay.worlds.policies", policy)()
    session = Session(world(), made.actor(world().task, seed), policy)
    session.reset(seed)
    return session


@lru_cache
def episode():
    return record(session_of("expert"), 10, "expert", lambda: None)


def test_moves_of_one_hand_get_its_name():
    first = Move("up", tool_pose, 1.0)
    again = Move("down", tool_pose, 0.0, lost=never, retry="up")
    one, two = by("left", (first, again))
    assert (one.name, one.hand, one.retry) == ("left up", "left", "")
    assert (two.name, two.hand, two.retry) == ("left down", "left", "left up")


def test_the_idle_hand_keeps_its_set_point_and_both_can_move_at_once():
    actions = episode().signals["action"].values
    names = [goal.name for goal in episode().segments]
    assert names[-1] == "put the red bar on the pad"
    start = actions[0, RIGHT]
    taken = next(s.end_s for s in episode().segments if s.name.startswith("grasp the red bar"))
    idle = actions[: round(taken * 10)]
    assert np.array_equal(idle[:, RIGHT], np.tile(start, (len(idle), 1)))
    # While the left arm brings the bar, the right one goes to where it waits.
    bringing = actions[round(taken * 10) + 2 : round(taken * 10) + 6]
    assert np.ptp(bringing[:, LEFT], axis=0).max() > 0.02
    assert np.ptp(bringing[:, RIGHT], axis=0).max() > 0.02


def test_every_signal_of_an_arm_is_there_for_both_and_none_without_a_side():
    signals = episode().signals
    for name in ("joint_position", "gripper_opening", "ee_position", "force", "contact", "phase"):
        assert name not in signals
        assert {f"{name}.left", f"{name}.right"} <= set(signals)
    assert signals["joint_position.left"].values.shape[1] == 6
    assert signals["action"].values.shape[1] == 14
    assert set(signals["phase.right"].values) <= set(PHASES)
    assert {"grasp", "release"} <= set(signals["primitive.left"].values) <= set(PRIMITIVES)
    both = signals["contact.gripper-left.bar"].values * signals["contact.gripper-right.bar"].values
    assert both.max() > 0.0  # it was in both hands for a while
    assert (episode().world, episode().outcome) == ("tabletop-bimanual", True)


def test_the_bar_is_in_the_left_hand_before_it_is_in_the_right_one():
    signals = episode().signals
    held = [signals[f"contact.gripper-{side}.bar"].values > 0 for side in ("left", "right")]
    first, second = (int(np.argmax(hand)) for hand in held)
    assert 0 < first < second
    assert not held[0][-1]


@pytest.mark.parametrize("policy", FLAWS)
def test_every_flaw_goes_on_bit_by_bit_from_a_moment_that_was_put_back(policy):
    # 45 steps in, the left hand carries the bar.
    session = session_of(policy, seed=1)
    for _ in range(45):
        session.step()
    moment = pickle.loads(pickle.dumps(session.save()))
    ahead = [np.concatenate([session.step(), world().data.qpos]) for _ in range(12)]
    other = session_of(policy, seed=1)
    world().reset(3)
    other.restore(moment)
    again = [np.concatenate([other.step(), world().data.qpos]) for _ in range(12)]
    assert np.array_equal(ahead, again)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_tray_stays_in_two_hands_that_tremble(seed):
    tray = World(LiftTray())
    actor = plugins.find("assay.worlds.policies", "jittery")().actor(tray.task, seed)
    session = Session(tray, actor, "jittery")
    session.reset(seed)
    while not session.finished:
        session.step()
    assert session.success
    # At the first try: once it is up, it is not put down and taken anew.
    assert session.time < 5.0


@pytest.mark.parametrize("side", ["left", "right"])
def test_each_hand_takes_a_long_thing_at_its_own_end(side):
    for seed in range(5):
        world().reset(seed)
        seen = world().state.hand(side)
        grip = near_end("bar", 0.045)(seen)
        bar = seen.position("bar")
        # 4.5 cm along the bar, on the side of the arm's own base.
        assert np.hypot(grip.x - bar[0], grip.y - bar[1]) == pytest.approx(0.045)
        assert abs(grip.y - seen.arm.stand.y) < abs(bar[1] - seen.arm.stand.y)


def test_the_state_of_both_hands_has_no_one_tool_and_says_whom_to_ask():
    state = world().state
    with pytest.raises(UsageError, match=r"two hands: ask state\.hand\('left'\)"):
        state.position("tool")
    with pytest.raises(UsageError, match="bimanual has no single hand, but: left, right"):
        state.hand("")
    assert state.hand("left").hand("right").arm.side == "right"
    assert state.joint_position.shape == (12,)


def test_wrist_means_both_wrists_and_the_front_view_shows_both_arms():
    assert views_of(Bimanual(), ("front", "wrist")) == ("front", "wrist.left", "wrist.right")
    assert views_of(Panda()) == ("front", "side", "overhead", "wrist")
    assert [view for view in views_of(Bimanual()) if moves(view)] == ["wrist.left", "wrist.right"]
    world().reset(0)
    with Renderer(world(), 64, "fast") as renderer:
        for view in ("front", "side", "overhead"):
            robot = np.flatnonzero((renderer.segmentation(view) == 0).any(axis=0))
            # Both sides of the picture show a part of the robot.
            assert robot.min() < 24
            assert robot.max() > 40
        assert renderer.rgb("wrist.left").std() > 5


def code_of(arguments):
    """Run the command and return its exit code."""
    with pytest.raises(SystemExit) as stopped:
        run(arguments)
    return stopped.value.code or 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("lift-block", "--policy", "wrong-effector"), "no other arm to use"),
        (("handover", "--robot", "panda"), "handover takes two arms, and panda has one arm"),
        (("handover", "--robot", "none.xml"), "there is no such robot model"),
        (("handover", "--views", "wrist.middle"), "Did you mean 'wrist."),
    ],
)
def test_what_does_not_fit_together_is_refused_before_anything_runs(tmp_path, capsys, words, said):
    out = tmp_path / "run"
    assert code_of(["rollout", *words, "--seeds", "0:1", "--out", str(out)]) == 2
    assert said in capsys.readouterr().err
    assert not out.exists()


def test_a_rollout_with_two_arms_is_recorded_and_audited(tmp_path):
    out, report = tmp_path / "run", tmp_path / "report"
    roll = ("rollout", "lift-tray", "--policy", "early-stopper", "--seeds", "0:2", "--size", "32")
    films = ("--views", "front,wrist", "--quality", "fast", "--jobs", "1", "--out", str(out))
    assert code_of([*roll, *films]) == 0
    assert json.loads((out / "run.json").read_text())["settings"]["robot"] == "bimanual"
    info = json.loads((out / "meta" / "info.json").read_text())
    assert info["features"]["observation.state"]["shape"] == [14]
    assert "observation.images.wrist.right" in info["features"]
    assert (
        code_of(["audit", str(out), "--judge", "oracle", "--jobs", "1", "--out", str(report)]) == 0
    )
    assert (report / "index.html").is_file()
