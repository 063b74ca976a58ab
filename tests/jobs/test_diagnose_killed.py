"""A killed diagnosis goes on where it was: nothing is looked at or paid for twice."""

from diagnose_killed import kill_asking, measuring, write_measured
from glitch_vlm import simulated_clips
from killed import Moment, kill_and_resume


def test_instruments_look_at_no_clip_again(tmp_path):
    verb = measuring(write_measured(tmp_path / "clips", 12), jobs=1)
    expected = verb.whole(tmp_path / "whole")
    found = kill_and_resume(
        verb, tmp_path / "killed", [Moment(1, stored=3, hold="clip011")], expected
    )
    assert (found.kills, found.again, found.lost) == (1, 0, 0)
    assert found.stored >= 3
    assert found.identical


def test_gaze_pays_for_no_answer_again(tmp_path):
    found = kill_asking(tmp_path, simulated_clips()[:6], [0.5])
    assert found.kills == 1
    assert found.sound, found
