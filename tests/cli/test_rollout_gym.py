"""assay rollout gym:...: from an environment to an audit, and what it says when one is wrong."""

from __future__ import annotations

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from assay.cli._app import run
from assay.episodes import catalogue

LINE = "gym:gym_made:Line"


def code_of(*arguments: object) -> int:
    """Run the command and return its exit code."""
    with pytest.raises(SystemExit) as stopped:
        run([str(argument) for argument in arguments])
    return stopped.value.code or 0


def rolled(out, *more: object, policy="gym_made:onward", seeds="0:1", task=LINE) -> int:
    return code_of(
        "rollout", task, "--policy", policy, "--seeds", seeds, "--jobs", "1", "--out", out, *more
    )


def test_an_environment_then_an_audit(tmp_path, capsys):
    out, report = tmp_path / "run", tmp_path / "report"
    both = ["--policy", "random", "--set", "limit_s=1", "--set", "instruction=Go to the right."]
    assert rolled(out, *both, seeds="0:3") == 0
    seen = capsys.readouterr()
    assert [line.split()[:3] for line in seen.out.splitlines()[1:]] == [
        ["gym_made:onward", "3", "3"],
        ["random", "3", "0"],
    ]
    assert f"Success is info['success'] of {LINE} after the last step." in seen.err
    assert code_of("audit", out, "--judge", "ramp", "--out", report, "--jobs", "1") == 0
    rows = pq.read_table(report / "episodes.parquet").to_pylist()
    assert {(r["policy"], r["success_end"]) for r in rows} == {
        ("gym_made:onward", True),
        ("random", False),
    }
    assert {r["world"] for r in rows} == {"gymnasium"}


def test_the_episode_holds_what_happened(tmp_path):
    assert rolled(tmp_path / "run", "--set", "full_reward=10") == 0
    (episode,) = catalogue.read(tmp_path / "run")
    # Seed 0 puts the goal 3 cells away. Ten steps a second, one cell each: it is there after 0.3 s.
    # The action beside a sample is the one that follows, and the last one is repeated.
    signals = {name: series.values for name, series in episode.signals.items()}
    assert np.allclose(episode.signals["success"].times, [0.0, 0.1, 0.2, 0.3])
    assert signals["success"].tolist() == [False, False, False, True]
    assert signals["reward"].tolist() == [0.0, -2.0, -1.0, 0.0]
    assert signals["return"].tolist() == [0.0, -2.0, -3.0, -3.0]
    assert np.allclose(signals["reward_share"], [0.0, -0.2, -0.1, 0.0])
    assert signals["action"].reshape(-1).tolist() == [1.0, 1.0, 1.0, 1.0]
    assert signals["state"].tolist() == [[0, 3], [1, 3], [2, 3], [3, 3]]
    assert (episode.id, episode.task) == ("gym_made:onward/Line-0000", "Line")
    assert (episode.scene, episode.seed) == ("gymnasium/Line/0/plain", 0)
    assert episode.outcome is True
    frames = list(episode.views["render"].frames.at(episode.signals["success"].times))
    # The red point is 4 pixels wide and moves by 4: its middle is at 2, 6, 10 and 14.
    red = [int(frame[8, :, 0].astype(int).argmax()) for frame in frames]
    assert [
        abs(found - middle) <= 2 for found, middle in zip(red, (2, 6, 10, 14), strict=True)
    ] == [True] * 4


def test_fewer_samples_than_steps_keep_the_end(tmp_path):
    assert rolled(tmp_path / "run", "--fps", "5") == 0
    (episode,) = catalogue.read(tmp_path / "run")
    # Steps 0 and 2, and the end at step 3, which is held until a sample is due at 0.4 s.
    assert np.allclose(episode.signals["success"].times, [0.0, 0.2, 0.4])
    assert episode.signals["success"].values.tolist() == [False, False, True]
    assert episode.signals["state"].values[:, 0].tolist() == [0.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("options", "samples"),
    [
        # Done at step 3; from there it has held for 0.2 s at step 5.
        (["--set", "hold_s=0.2"], 6),
        (["--set", "limit_s=1"], 11),
    ],
)
def test_an_environment_that_never_ends_is_ended(tmp_path, options, samples):
    ask = ["--set", "env.ends=false", *options, "--views", "none"]
    assert rolled(tmp_path / "run", *ask, policy="gym_made:Onward") == 0
    (episode,) = catalogue.read(tmp_path / "run")
    assert len(episode.signals["success"].times) == samples
    assert not episode.views


@pytest.mark.parametrize(
    ("named", "worded", "successes"),
    [
        ("terminated", "terminated", 1),
        ("grade>=0.9", "info['grade'] >= 0.9", 1),
        ("grade>=2", "info['grade'] >= 2", 0),
        ("reward>=0", "reward >= 0", 1),
    ],
)
def test_success_is_what_the_user_names(tmp_path, capsys, named, worded, successes):
    ask = ["--set", f"success={named}", "--views", "none", "--json"]
    assert rolled(tmp_path / "run", *ask) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["settings"]["task"]["success"] == worded
    assert document["policies"][0]["successes"] == successes


def test_several_cameras_are_several_views(tmp_path):
    assert rolled(tmp_path / "all", "--set", "env.fault=two") == 0
    assert rolled(tmp_path / "one", "--set", "env.fault=two", "--views", "far") == 0
    (both,), (one,) = catalogue.read(tmp_path / "all"), catalogue.read(tmp_path / "one")
    assert (set(both.views), set(one.views)) == ({"near", "far"}, {"far"})


def test_options_reach_the_policy_they_name_and_the_instruction_all(tmp_path, capsys):
    named = ["--policy", "fast=gym_made:Onward", "--policy", "told=gym_made:Obedient"]
    said = ["--set", "instruction=Go to the right.", "--set", "fast.pace=3", "--views", "none"]
    assert rolled(tmp_path / "run", *named, *said, policy="slow=gym_made:Onward") == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    times = {row[0]: row[row.index("s") - 1] for row in rows}
    # Three cells in steps of one, three and one: 0.3, 0.1 and 0.3 s.
    assert times == {"slow": "0.3", "fast": "0.1", "told": "0.3"}


def test_a_registered_environment_goes_by_its_id(tmp_path, capsys):
    ask = ["--set", "success=reward>=1", "--set", "env.is_slippery=false", "--views", "none"]
    lake = "gym:FrozenLake-v1"
    assert rolled(tmp_path / "run", *ask, policy="gym_made:to_the_goal", task=lake) == 0
    (episode,) = catalogue.read(tmp_path / "run")
    # Six moves at the four steps a second that FrozenLake states.
    assert np.allclose(episode.signals["success"].times, np.arange(7) / 4)
    assert episode.signals["state"].values.reshape(-1).tolist() == [0, 4, 8, 9, 13, 14, 15]
    assert episode.outcome is True
    assert "reward >= 1 of gym:FrozenLake-v1" in capsys.readouterr().err


def test_a_seed_that_brings_nothing_back_shares_no_scene(tmp_path, capsys):
    assert rolled(tmp_path / "run", "--set", "env.fault=unseeded", "--views", "none") == 0
    assert "The same seed gave two different beginnings" in capsys.readouterr().err
    (episode,) = catalogue.read(tmp_path / "run")
    assert episode.scene is None


@pytest.mark.parametrize(
    ("task", "options", "words"),
    [
        (LINE, ["--set", "env.fault=silent"], "`info` has 'grade', 'left' after a step"),
        (LINE, ["--set", "env.fault=no_rate"], "says nothing of time: metadata['render_fps']"),
        (LINE, ["--set", "env.fault=four"], "returned 4 values for a step"),
        (LINE, ["--set", "env.fault=float"], "uint8 (H, W, 3) is needed, not float64 (16, 24, 3)"),
        (LINE, ["--set", "env.fault=words"], "info['success'] is 'soon', neither true nor false"),
        (LINE, ["--set", "env.colour=red"], "can't be made (TypeError"),
        (LINE, ["--set", "success=grade>=much"], "takes NAME or NAME>=NUMBER"),
        (LINE, ["--set", "success=reward"], "needs a bound"),
        (LINE, ["--set", "success=terminated>=1"], "takes no bound"),
        (LINE, ["--set", "sucess=left"], "Did you mean 'success'"),
        (LINE, ["--set", "limit_s=0"], "limit_s must be above 0"),
        (LINE, ["--set", "other.pace=1"], "no policy 'other' was asked for"),
        (LINE, ["--fps", "3"], "one of 10, 5, 2, 1 does"),
        (LINE, ["--fps", "20"], "must divide the 10 steps a second"),
        (LINE, ["--fps", "0"], "--fps must be above 0"),
        (LINE, ["--size", "64"], "--size is for Assay's own world"),
        (LINE, ["--perturb", "background"], "--perturb is for Assay's own world"),
        (LINE, ["--views", "near,far"], "`render` gave no view 'far', only near"),
        (LINE, ["--policy", "expert"], "no policy for a Gymnasium environment named 'expert'"),
        (LINE, ["--policy", "env=random"], "No policy can be called 'env'"),
        (LINE, ["--policy", "gym_made:HZ"], "is no policy: it needs the methods"),
        ("gym:gym_made:undrawn", [], "its render_mode is None, and 'rgb_array' is needed"),
        ("gym:gym_made:no_env", [], "made str, which is no gymnasium.Env"),
        ("gym:gym_made:HZ", [], "is no factory"),
        ("gym:nowhere:make", [], "there is no module 'nowhere'"),
        ("gym:FrozenLak-v1", ["--views", "none"], "Did you mean: `FrozenLake`"),
        ("gym:CartPole-v1", ["--views", "none"], "`info` has no keys after a step"),
    ],
)  # fmt: skip
def test_what_can_not_be_rolled_out_is_one_sentence_and_exit_2(
    tmp_path, capsys, task, options, words
):
    assert rolled(tmp_path / "run", *options, task=task) == 2
    assert words in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("policy", "options", "status", "words"),
    [
        ("Onward", ["env.fault=raises"], "harness_failure", "RuntimeError: the cable is torn"),
        ("Onward", ["env.fault=nan"], "harness_failure", "reward is nan with"),
        ("Onward", ["env.fault=lost"], "harness_failure", "observation is not finite"),
        ("Onward", ["env.fault=silent_at_the_end"], "harness_failure", "has no 'success', but"),
        ("Wide", [], "policy_fault", "an array of shape (3,) with"),
        ("Wordy", [], "policy_fault", "returned 'right' with"),
        ("Nowhere", [], "policy_fault", "an action that is not finite"),
        ("Confused", [], "policy_fault", "raised KeyError: 'way' when asked to act"),
        ("Sleepy", [], "policy_fault", "took more than 1 s to act"),
        (
            "Onward",
            ["env.fault=refuses", "gym_made:Onward.pace=2"],
            "policy_fault",
            "outside of the action space",
        ),
    ],
)
def test_whose_fault_it_was(tmp_path, capsys, policy, options, status, words):
    said = [word for option in options for word in ("--set", option)]
    hurried = ["--act-timeout", "1"] if policy == "Sleepy" else []
    ask = [*said, *hurried, "--views", "none"]
    assert rolled(tmp_path / "run", *ask, policy=f"gym_made:{policy}") == 1
    err = capsys.readouterr().err
    assert f"{status}: 1 of 1 attempts" in err
    assert words in err


def test_an_action_beyond_its_bounds_is_the_environments_business(tmp_path):
    ask = ["--set", "gym_made:Onward.pace=3", "--views", "none"]
    assert rolled(tmp_path / "run", *ask, policy="gym_made:Onward") == 0
    (episode,) = catalogue.read(tmp_path / "run")
    assert episode.signals["action"].values.reshape(-1).tolist() == [3.0, 3.0]
