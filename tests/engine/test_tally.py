"""Counting, the rate, the time left, and the bar that shows them."""

import io
import sys

import pytest

from assay.engine import Failure, Tally
from assay.engine.progress import ProgressBar, in_words
from assay.engine.tally import Meter


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_rate_and_time_left():
    clock = Clock()
    meter = Meter(100, clock)
    clock.now = 2.0
    meter.add(7, [Failure("a", "ValueError", "no")])
    # 8 units in 2 s are 4 a second; 100 - 20 - 8 = 72 are left, 18 s.
    assert meter.tally(skipped=20) == Tally(
        total=100,
        skipped=20,
        done=7,
        failed=1,
        failures=(Failure("a", "ValueError", "no"),),
        rate=4.0,
        seconds_left=18.0,
    )


def test_nothing_is_known_before_the_first_unit():
    clock = Clock()
    meter = Meter(None, clock)
    assert (meter.tally(0).rate, meter.tally(0).seconds_left) == (0.0, None)
    clock.now = 1.0
    meter.add(0, [])
    assert (meter.tally(0).rate, meter.tally(0).seconds_left) == (0.0, None)


def test_the_rate_is_recent():
    clock = Clock()
    meter = Meter(None, clock)
    clock.now = 1000.0
    meter.add(1, [])  # a slow start: one unit in 1000 s
    for _ in range(100):
        clock.now += 0.5
        meter.add(10, [])
    assert meter.tally(0).rate == pytest.approx(20.0)


def test_a_slow_run_has_a_rate_between_units():
    clock = Clock()
    meter = Meter(10, clock)
    for _ in range(3):
        clock.now += 60
        meter.add(1, [])
    clock.now += 60
    # Three units in 240 s; the 7 others take 560 s.
    assert meter.tally(0).rate == pytest.approx(3 / 240)
    assert meter.tally(0).seconds_left == pytest.approx(560)


@pytest.mark.parametrize(
    ("rate", "left", "failed", "words"),
    [
        (0.0, None, 0, ""),
        (12.54, 80.4, 3, "12.5/s, 0:01:20 left, 3 failed"),
        (0.25, 3600.0, 0, "15.0/min, 1:00:00 left"),
    ],
)
def test_words(rate, left, failed, words):
    assert in_words(Tally(9, 0, 0, failed, (), rate, left)) == words


class Terminal(io.StringIO):
    def isatty(self):
        return True


TALLY = Tally(total=40, skipped=3, done=6, failed=1, failures=(), rate=2.0, seconds_left=15.0)


def test_a_terminal_gets_a_bar(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(sys, "stderr", Terminal())
    with ProgressBar("judging") as bar:
        bar(TALLY)
    shown = sys.stderr.getvalue()
    assert "judging" in shown
    assert "10/40" in shown
    assert "2.0/s, 0:00:15 left, 1 failed" in shown


def test_a_pipe_gets_nothing(capfd):
    with ProgressBar("judging") as bar:
        bar(TALLY)
    assert capfd.readouterr() == ("", "")
