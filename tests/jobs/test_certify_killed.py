"""A killed certification goes on where it was, and ends with the same passport."""

from certify_killed import certify_on, make_clips
from killed import Moment, kill_and_resume


def test_kill_and_resume_examines_nothing_twice(tmp_path):
    verb = certify_on(make_clips(tmp_path / "clips", 6), jobs=1)
    expected = verb.whole(tmp_path / "whole")
    found = kill_and_resume(
        verb, tmp_path / "killed", [Moment(1, stored=2, hold="episode clip05")], expected
    )
    assert found.kills == 1
    assert 2 <= found.stored < 6
    assert found.again == found.lost == 0
    assert found.identical
