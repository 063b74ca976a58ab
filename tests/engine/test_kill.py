"""Runs in real processes, stopped by real signals."""

from functools import partial

import pytest

from engine_killed import COUNT, kill, press_ctrl_c, stop_and_resume, terminate
from engine_workers import lines


def midway(folder):
    """Tell whether half the units were begun.

    By then some are stored: batches grow only as others are stored, and the first hold one unit.
    """
    return len(lines(folder / "log")) > COUNT // 2


def test_kill_9_loses_nothing_stored_and_leaves_no_process(tmp_path):
    stopped = stop_and_resume(tmp_path, partial(midway, tmp_path), kill, hold="late")
    assert stopped.code == -9
    assert 0 < stopped.journalled <= stopped.executed < COUNT
    assert (stopped.orphans, stopped.twice, stopped.identical) == (0, 0, True)


def test_kill_9_while_workers_start(tmp_path):
    stopped = stop_and_resume(tmp_path, lambda: bool(lines(tmp_path / "pids")), kill)
    assert (stopped.orphans, stopped.twice, stopped.identical) == (0, 0, True)


@pytest.mark.parametrize("bound", ["cpu", "network"])
@pytest.mark.parametrize("send", [press_ctrl_c, terminate])
def test_an_interrupted_run_can_be_resumed(tmp_path, send, bound):
    stopped = stop_and_resume(tmp_path, partial(midway, tmp_path), send, bound, "late")
    assert stopped.code == 130
    assert 0 < stopped.journalled < COUNT
    assert (stopped.orphans, stopped.twice, stopped.identical) == (0, 0, True)
