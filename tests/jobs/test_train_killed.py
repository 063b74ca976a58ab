"""A killed training goes on from its last look, and ends with the same judge to the bit."""

import signal

import pytest
import torch

from assay.cli._app import run
from assay.judges.prm_mini import _fitting
from assay.judges.prm_mini._card import is_trained
from demos import write_demos
from killed import LOG, begun, files_of
from train_killed import DIE, small_fit, stored, train_on


def test_kill_and_resume_repeats_no_look_and_gives_the_same_judge(tmp_path, monkeypatch):
    # 8 steps with a look after every second one: killed at the fifth, it goes on from the fourth.
    verb = train_on(write_demos(tmp_path / "demos"), steps=8)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    monkeypatch.setenv(DIE, "5")
    process = verb.start(killed)
    monkeypatch.delenv(DIE)
    monkeypatch.setattr(_fitting, "fit", small_fit)
    torch.set_num_threads(1)  # as the other process does: sums come in the same order

    def go(folder):
        monkeypatch.chdir(folder)
        monkeypatch.setenv(LOG, str(folder / "begun.log"))
        with pytest.raises(SystemExit) as ended:
            run([str(word) for word in verb.words])
        assert not ended.value.code

    go(whole)
    assert process.wait() == -signal.SIGKILL
    assert not is_trained(killed / "judge")
    kept = stored(killed)
    assert {unit for unit in kept if unit.startswith("step")} == {f"step {k}" for k in range(1, 5)}
    go(killed)
    assert begun(killed) == [f"step {k}" for k in (1, 2, 3, 4, 5, 5, 6, 7, 8)]
    assert files_of(killed / "judge") == files_of(whole / "judge")
