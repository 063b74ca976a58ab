"""Ctrl-C and the end of a program: the loop is closed, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from model_server import ModelServer, hang, say

# Everything Python can complain about is an error there, and what can't be raised is printed.
STRICT = (sys.executable, "-W", "error", "-c")
OPENED = """
import sys
from assay.models.address import parse
from assay.models.base import Request
from assay.models.session import ModelSettings, opened
with opened(ModelSettings()) as session:
    print(session.ask(parse(sys.argv[1]), Request(("?",))).text)
"""
DEFAULT = """
import sys
from assay.models.address import parse
from assay.models.base import Request
from assay.models.session import current
print(current().ask(parse(sys.argv[1]), Request(("?",))).text)
"""


def start(script: str, server: ModelServer, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*STRICT, script, f"openai:stub@{server.url}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "ASSAY_LEDGER": str(folder / "ledger.sqlite")},
    )


@pytest.mark.parametrize("script", [OPENED, DEFAULT])
def test_the_end_of_a_program_leaves_nothing_open(tmp_path: Path, script: str) -> None:
    with ModelServer(lambda asked: say("85")) as server:
        out, err = start(script, server, tmp_path).communicate(timeout=300)
    assert (out, err) == ("85\n", "")


@pytest.mark.parametrize("script", [OPENED, DEFAULT])
def test_ctrl_c_ends_a_program_at_once_and_cleanly(tmp_path: Path, script: str) -> None:
    asked = threading.Event()

    def answer(one):
        asked.set()
        return hang(600.0)

    with ModelServer(answer) as server:
        program = start(script, server, tmp_path)
        assert asked.wait(300)
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=300)  # less than any wait for the answer
    assert program.returncode == -signal.SIGINT
    assert out == ""
    assert err.count("KeyboardInterrupt") == 1
    for complaint in ("Warning", "never", "destroyed", "unclosed", "Exception ignored"):
        assert complaint not in err
