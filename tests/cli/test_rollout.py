"""assay rollout: from the command line to an audit, and what it says when something is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli._app import run

CHEAP = ["--views", "front", "--size", "32", "--quality", "fast", "--fps", "5", "--jobs", "1"]


def code_of(*arguments: str) -> int:
    """Run the command and return its exit code."""
    with pytest.raises(SystemExit) as stopped:
        run([str(argument) for argument in arguments])
    return stopped.value.code or 0


def test_a_rollout_then_an_audit(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ask = ["rollout", "lift-block", "--policy", "expert", "--policy", "stuck=frozen"]
    assert code_of(*ask, "--seeds", "0:1", "--out", "runs", *CHEAP) == 0
    seen = capsys.readouterr()
    assert [line.split()[0] for line in seen.out.splitlines()] == ["policy", "expert", "stuck"]
    assert seen.err == "Dataset: runs\n"
    assert code_of("audit", "runs", "--judge", "oracle", "--out", "report", "--jobs", "1") == 0
    assert (tmp_path / "report" / "index.html").exists()


def test_json_is_the_file_and_nothing_else(tmp_path, capsys):
    out = tmp_path / "run"
    ask = ["rollout", "lift-block", "--seeds", "2", "--views", "none", "--jobs", "1", "--json"]
    assert code_of(*ask, "--out", str(out)) == 0
    text = capsys.readouterr().out
    assert text == (out / "rollout.json").read_text()
    assert json.loads(text)["schema"] == "assay.rollout/1"


def test_a_policys_fault_is_exit_1_and_a_sentence(tmp_path, capsys):
    ask = ["rollout", "lift-block", "--policy", "policies_made:Sleeps", "--act-timeout", "1"]
    assert code_of(*ask, "--seeds", "0", "--out", str(tmp_path / "run"), *CHEAP) == 1
    err = capsys.readouterr().err
    assert "policy_fault: 1 of 1 attempts" in err
    assert "took more than 1 s to act with 'policies_made:Sleeps' on seed 0 at 0 s" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["lift-blok"], "There is no task named 'lift-blok'. Did you mean 'lift-block'?"),
        (["lift-block", "--policy", "droper"], "Did you mean 'dropper'"),
        (["lift-block", "--perturb", "lightning"], "Did you mean 'lighting'"),
        (["lift-block", "--policy", "a=expert", "--policy", "a=frozen"], "asked for twice"),
        (["lift-block", "--set", "strength=1"], "no option of Expert named 'strength'"),
        (["lift-block", "--set", "dropper.strength=1"], "no policy 'dropper' was asked for"),
        (["lift-block", "--policy", "dropper", "--set", "strength=much"], "can't be 'much'"),
        (["lift-block", "--policy", "nowhere:Policy"], "there is no module 'nowhere'"),
        (["lift-block", "--policy", "policies_made:Stil"], "Did you mean 'Still'"),
        (["lift-block", "--policy", "a=expert@ws://localhost"], "expert is on no server"),
        (
            ["lift-block", "--policy", "a=websocket@localhost:8000"],
            "must begin with ws:// or wss://",
        ),
        (
            ["lift-block", "--policy", "websocket@ws://127.0.0.1:9"],  # where nobody ever answers
            "The server at ws://127.0.0.1:9 can't be reached: Connection refused. Is it running",
        ),
        (
            ["lift-block", "--policy", "wrong-order"],
            "wrong-order can't do 'lift-block', which has no order that matters;",
        ),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(tmp_path, capsys, arguments, words):
    assert code_of("rollout", *arguments, "--out", str(tmp_path / "run"), *CHEAP) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_options_reach_the_policy_they_name(tmp_path, capsys):
    ask = ["rollout", "lift-block", "--policy", "dropper", "--policy", "expert", "--seeds", "1"]
    own = ["--set", "dropper.strength=0", "--views", "none", "--jobs", "1", "--json"]
    assert code_of(*ask, *own, "--out", str(tmp_path / "run")) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["settings"]["policies"]["dropper"]["settings"] == {"strength": 0.0}
    first, second = document["policies"]
    assert first["mean_time_s"] == second["mean_time_s"]  # without its flaw it is the expert


def test_no_gl_library_is_exit_2_before_anything_runs(tmp_path):
    ask = [sys.executable, "-m", "assay", "rollout", "lift-block", "--seeds", "0", "--jobs", "1"]
    # A library of that name that is none: the loader finds it first and can't load it.
    for name in ("libEGL.so.1", "libEGL.so", "libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"):
        (tmp_path / name).write_text("no library")
    names = {"LD_LIBRARY_PATH": str(tmp_path), "MUJOCO_GL": ""}
    done = subprocess.run(
        [*ask, "--out", str(tmp_path / "run")],
        env={**os.environ, **names},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "Rendering needs EGL or OSMesa" in done.stderr
    assert not Path(tmp_path / "run").exists()


def test_show_prints_what_came_of_a_rollout(tmp_path, capsys):
    out = tmp_path / "run"
    assert (
        code_of(
            "rollout", "lift-block", "--seeds", "0", "--views", "none", "--jobs", "1", "--out", out
        )
        == 0
    )
    printed = capsys.readouterr().out
    assert code_of("show", out) == 0
    assert capsys.readouterr().out == printed
    assert code_of("show", out, "--json") == 0
    assert capsys.readouterr().out == (out / "rollout.json").read_text()


def test_a_policy_without_a_name_is_refused(tmp_path, capsys):
    out = tmp_path / "run"
    assert code_of("rollout", "lift-block", "--policy", "=expert", "--out", out) == 2
    assert "--policy takes NAME or LABEL=NAME" in capsys.readouterr().err
