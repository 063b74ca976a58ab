"""A killed audit goes on where it was, and ends with the same files."""

import signal
import subprocess
import time

from audit_killed import EPISODES, LAST, files_of, judged, kill_and_resume, make_source, start


def test_kill_and_resume_gives_the_same_files_and_judges_nothing_twice(tmp_path):
    source = make_source(tmp_path)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    assert start(whole, source).wait() == 0
    found = kill_and_resume(
        killed,
        source,
        lambda: len(judged(killed)) > EPISODES // 3,
        files_of(whole / "run"),
        hold=LAST,
    )
    assert 0 < found.stored < EPISODES
    assert found.twice == 0
    assert found.identical


def test_ctrl_c_says_how_to_go_on(tmp_path):
    source = make_source(tmp_path)
    process = start(tmp_path, source, stderr=subprocess.PIPE, hold=LAST)
    while len(judged(tmp_path)) < 10:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate()
    assert process.returncode == 130
    assert error.decode() == "assay: stopped. Run the same command again to go on.\n"
    assert start(tmp_path, source).wait() == 0
