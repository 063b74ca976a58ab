"""A killed run of judges goes on where it was, and ends with the same files."""

from bench_killed import bench_on, make_benchmark
from killed import Moment, kill_and_resume


def test_kill_and_resume_asks_nothing_twice(tmp_path):
    verb = bench_on(make_benchmark(tmp_path, 40), jobs=1)
    expected = verb.whole(tmp_path / "whole")
    found = kill_and_resume(
        verb, tmp_path / "killed", [Moment(1, stored=5, hold="run-9")], expected
    )
    assert found.kills == 1
    assert found.stored >= 5
    assert found.again == found.lost == 0
    assert found.identical
