"""A killed audit goes on where it was, and ends with the same files."""

from audit_killed import EPISODES, files_of, judged, kill_and_resume, make_source, start


def test_kill_and_resume_gives_the_same_files_and_judges_nothing_twice(tmp_path):
    source = make_source(tmp_path)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    assert start(whole, source).wait() == 0
    found = kill_and_resume(
        killed, source, lambda: len(judged(killed)) > EPISODES // 3, files_of(whole / "run")
    )
    assert 0 < found.stored < EPISODES
    assert found.twice == 0
    assert found.identical
