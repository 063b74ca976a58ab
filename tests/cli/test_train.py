"""assay train: from the command line to a judge that another command takes."""

from __future__ import annotations

import json

import pytest

from assay.cli._app import run
from demos import write_demos


def code_of(*arguments: object) -> int:
    """Run the command and return its exit code."""
    with pytest.raises(SystemExit) as stopped:
        run([str(argument) for argument in arguments])
    return stopped.value.code or 0


def test_a_training_then_an_audit(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_demos(tmp_path / "demos", count=4, failures=2)
    ask = ["train", "progress", "demos", "--from", "scratch", "--steps", 2, "--jobs", 1]
    assert code_of(*ask, "-o", "mine", "--json") == 0
    seen = capsys.readouterr()
    assert seen.out == (tmp_path / "mine" / "train.json").read_text()
    document = json.loads(seen.out)
    assert document["targets"] == {"time": 4, "label": 2}
    assert "use it with --judge mine" in seen.err
    assert code_of(*ask, "-o", "mine") == 0  # finished: it is only printed
    assert "pixel-change" in capsys.readouterr().out
    assert code_of("audit", "demos", "--judge", "mine", "--out", "report", "--jobs", 1) == 0
    assert (tmp_path / "report" / "index.html").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["progres", "demos"], "no thing to train named 'progres'. Did you mean 'progress'?"),
        (["progress", "nowhere"], "there is no such path"),
        (["progress", "demos", "--validation", "2"], "--validation must lie in 0..0.5, not 2."),
        (["progress", "demos", "--from", "demos"], "demos is none of them"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(tmp_path, capsys, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    write_demos(tmp_path / "demos", count=1)
    assert code_of("train", *arguments, "-o", "judge") == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "judge").exists()
