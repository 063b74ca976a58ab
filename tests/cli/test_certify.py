"""assay certify: from the command line to a passport, and what it says when something is wrong."""

from __future__ import annotations

import json

import pytest

from assay.cli._app import run
from clips import write_clip

CHEAP = ["--views", "front", "--size", "32", "--quality", "fast", "--fps", "5", "--jobs", "1"]


def code_of(*arguments):
    """Run the command and return its exit code."""
    with pytest.raises(SystemExit) as stopped:
        run([str(argument) for argument in arguments])
    return stopped.value.code or 0


def test_a_rollout_then_a_passport_of_the_oracle(tmp_path, capsys):
    made = ["rollout", "lift-block", "--seeds", "0:2", "--out", tmp_path / "runs", *CHEAP]
    assert code_of(*made) == 0
    ask = ["certify", "oracle", "--on", tmp_path / "runs", "--no-worlds", "--jobs", "1"]
    capsys.readouterr()
    assert code_of(*ask, "--out", tmp_path / "out") == 0
    seen = capsys.readouterr()
    assert "oracle on your episodes (2 episodes)" in seen.out
    assert "FAIL" not in seen.out
    assert seen.err == f"Passport: {tmp_path / 'out' / 'index.html'}\n"


def test_clips_without_any_truth_and_a_function_of_one_s_own(tmp_path, capsys):
    folder = tmp_path / "clips"
    folder.mkdir()
    for number in range(2):
        write_clip(folder / f"clip{number}.mp4", frames=20, fps=10, first=1000 * number)
    ask = ["certify", "judge_functions:brightness", "--on", folder, "--no-worlds", "--jobs", "1"]
    code = code_of(*ask, "--out", tmp_path / "out", "--json")
    text = capsys.readouterr().out
    assert text == (tmp_path / "out" / "certify.json").read_text()
    document = json.loads(text)
    assert {line["domain"] for line in document["checks"]} == {"your episodes"}
    verdicts = {line["title"]: line["verdict"] for line in document["checks"]}
    assert verdicts["static video"] == verdicts["time reversal"] == "pass"
    assert code == int("fail" in verdicts.values())
    assert "calibration" not in verdicts


def test_a_failed_check_is_exit_1_and_a_sentence(tmp_path, capsys):
    write_clip(tmp_path / "clip.mp4", frames=20, fps=10)
    ask = ["certify", "ramp", "--on", tmp_path / "clip.mp4", "--no-worlds", "--jobs", "1"]
    assert code_of(*ask, "--out", tmp_path / "out", "--format", "md") == 1
    seen = capsys.readouterr()
    assert "| static video | FAIL | 100.0 † | at most 10.0 | 1 |" in seen.out
    assert "Fails static video (your episodes): The score moves although nothing does" in seen.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rmap"], "There is no judge named 'rmap'. Did you mean 'ramp'"),
        (["ramp", "--no-worlds"], "There is nothing to certify on"),
        (["ramp", "--on", "nowhere", "--no-worlds"], "there is no such path"),
        (["ramp", "--tasks", "lift-blok"], "Did you mean 'lift-block'"),
        (["ramp", "--set", "value=1"], "no option of Ramp named 'value'"),
        (["ramp", "--set", "value"], "--set takes field=value, not 'value'"),
        (["nowhere:judge"], "there is no module 'nowhere'"),
        (["ramp", "--goal", "nowhere.png"], "--goal is for judges that compare with a goal"),
        (["similarity-image", "--goal", "nowhere.png"], "nowhere.png"),
        (["ramp", "--seeds", "1000"], "--seeds must be 1 to 100"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(tmp_path, capsys, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    assert code_of("certify", *arguments, "--out", "out") == 2
    seen = capsys.readouterr()
    assert words in seen.err
    assert (seen.out, (tmp_path / "out").exists()) == ("", False)


def test_help_has_an_example(capsys):
    assert code_of("certify", "--help") == 0
    assert "Example: assay certify" in capsys.readouterr().out
