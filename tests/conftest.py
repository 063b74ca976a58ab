"""What holds for every test: skips fail, the network is shut, hypothesis is reproducible."""

from __future__ import annotations

import ipaddress
import os
import shutil
import signal
import sys
from collections.abc import Iterator

import hypothesis
import pytest

# `make real` says where the clips are; without them those tests would have nothing to say.
collect_ignore = [] if "CLIPS" in os.environ else ["real"]

# The everyday profile draws the same examples every time: a red test means that the code changed,
# not that the dice did. New examples are the business of `make proof`, which also draws far more.
# Neither has time limits: a busy machine is not a bug.
hypothesis.settings.register_profile(
    "test",
    deadline=None,
    derandomize=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile(
    "proof",
    deadline=None,
    max_examples=2000,
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("test")


class NetworkUsed(RuntimeError):
    """A test tried to reach another machine. Not an OSError, which code might catch and hide."""


def _guard(event: str, args: tuple[object, ...]) -> None:
    """Refuse to look up or reach any machine but this one; an audit hook can't be got around."""
    if event == "socket.getaddrinfo":
        host = args[0]
    elif event in {"socket.connect", "socket.sendto", "socket.sendmsg"}:
        address = args[1]
        if not isinstance(address, tuple):  # a path of AF_UNIX, or None on a connected socket
            return
        host = address[0]
    else:
        return
    if not _is_local(host):
        raise NetworkUsed(f"A test reached for {host!r}: tests may only use this machine.")


def _is_local(host: object) -> bool:
    name = host.decode() if isinstance(host, bytes) else host
    if name in {None, "", "localhost"}:
        return True
    try:
        return ipaddress.ip_address(str(name)).is_loopback
    except ValueError:
        return False


sys.addaudithook(_guard)

# A command that a shell started in the background, as some integration services do, ignores Ctrl-C
# and hands that down to its children. The tests of interruption need the real thing.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _usual_priority() -> Iterator[None]:
    """Undo what SVT-AV1 does as root: its caller, and all it starts, would starve the machine."""
    _be_usual()
    yield
    _be_usual()


def _be_usual() -> None:
    if hasattr(os, "sched_setscheduler") and os.sched_getscheduler(0) != os.SCHED_OTHER:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


@pytest.fixture(autouse=True)
def _own_ledger(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep answers of models out of the user's own ledger."""
    monkeypatch.setenv("ASSAY_LEDGER", str(tmp_path_factory.getbasetemp() / "ledger.sqlite"))


def _forbid_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid}: skipped tests fail here. {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Iterator[None]:
    """Turn a skipped test into a failed one, so that a green run means that all of it ran."""
    report = yield
    _forbid_skip(report)
    # Tests of strange texts log them; between two processes only what is UTF-8 can be passed on.
    report.sections = [
        (name, text.encode("utf-8", "backslashreplace").decode()) for name, text in report.sections
    ]
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Iterator[None]:
    """Turn a skipped module into an error."""
    report = yield
    _forbid_skip(report)
    return report


@pytest.fixture(scope="session")
def browser_program() -> str:
    """Return the browser that `make test` has seen to. As root it needs `--no-sandbox`."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    assert found, f"None of {', '.join(names)} is installed."
    return found
