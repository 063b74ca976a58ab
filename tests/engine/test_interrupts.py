"""Signals are let through only where they can do no harm."""

import signal

import pytest

from assay.engine.interrupts import Interrupts


def test_a_signal_waits_for_a_safe_moment():
    reached = []

    def interrupted():
        with Interrupts() as interrupts:
            signal.raise_signal(signal.SIGTERM)
            reached.append("held back")
            with interrupts.allowed():
                reached.append("never")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert reached == ["held back"]


def test_a_signal_is_let_through_at_once_where_it_may():
    reached = []

    def interrupted():
        with Interrupts() as interrupts, interrupts.allowed():
            signal.raise_signal(signal.SIGINT)
            reached.append("never")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert reached == []


def test_a_signal_in_the_last_moment_is_not_lost():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), Interrupts():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_an_ignored_signal_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Interrupts() as interrupts, interrupts.allowed():
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
