"""assay train policy: demonstrations, training, attempts with it, and their audit."""

from __future__ import annotations

import json

import pytest

from assay.cli._app import run

CHEAP = ["--views", "none", "--jobs", "1"]


def code_of(*arguments: object) -> int:
    """Run the command and return its exit code."""
    with pytest.raises(SystemExit) as stopped:
        run([str(argument) for argument in arguments])
    return stopped.value.code or 0


def test_rollout_train_rollout_audit(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ask = ["rollout", "lift-block", "--policy", "knocked", "--seeds", "0:6"]
    assert code_of(*ask, "--out", "demos", *CHEAP) == 0
    capsys.readouterr()
    train = ["train", "policy", "demos", "-o", "mine", "--steps", 20, "--try", "7", "--jobs", 1]
    assert code_of(*train, "--json") == 0
    seen = capsys.readouterr()
    document = json.loads(seen.out)
    assert seen.out == (tmp_path / "mine" / "train-policy.json").read_text()
    assert [row["policy"] for row in document["tried"]["rows"]] == ["cloned", "frozen", "replayed"]
    assert "use it with --policy mine" in seen.err
    assert (tmp_path / "mine" / "index.html").read_text().count("<svg") == 2
    assert code_of("show", "mine") == 0
    assert "joint error, rad" in capsys.readouterr().out
    again = ["rollout", "lift-block", "--policy", "mine", "--policy", "two=mine", "--seeds", "8"]
    assert code_of(*again, "--out", "runs", *CHEAP) == 0
    rows = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert rows == ["policy", "mine", "two"]
    assert code_of("audit", "runs", "--judge", "oracle", "--out", "report", "--jobs", 1) == 0
    assert code_of("rollout", "stack-blocks", "--policy", "mine", "--out", "other", *CHEAP) == 2
    assert "learnt 'lift-block' and can't do 'stack-blocks'" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["polcy", "demos"], "no thing to train named 'polcy'. Did you mean 'policy'?"),
        (["policy", "nowhere"], "there is no such path"),
        (["policy", "demos", "--from", "scratch"], "--from is no option of `assay train policy`."),
        (["policy", "demos", "--inputs", "sound"], "no kind of inputs named 'sound'"),
        (["progress", "demos", "--try", "3"], "--try is no option of `assay train progress`."),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(tmp_path, capsys, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    assert code_of("train", *arguments, "-o", "mine") == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "mine").exists()
