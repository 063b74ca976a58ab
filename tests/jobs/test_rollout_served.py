"""Rollouts of policies on a server: it is not there, dies, comes back, or the run is killed."""

from __future__ import annotations

import asyncio
import functools
import json
import subprocess
import sys
from pathlib import Path

import pytest

import killed
from assay.errors import UsageError
from assay.jobs.rollout import RolloutResult, RolloutSettings, rollout
from assay.worlds.policies.websocket import Websocket
from policy_stub import Call, Stub, holding

CHUNK = 40  # lift-block has 8 s, 160 steps: a server that holds still is asked 4 times an attempt


def rolled(out: Path, url: str, **more) -> RolloutResult:
    policies = {"pi0": Websocket(url=url, images="")}
    given = {"seeds": "0:3", "views": (), "fps": 5, "jobs": 1, **more}
    return rollout(RolloutSettings(out=out, task="lift-block", policies=policies, **given))


async def dies(call: Call, at: int) -> None:
    """Hold still, but die when asked for the `at`-th time."""
    if call.nth == at:
        await call.stub.die()
        call.request.transport.abort()
    else:
        await holding(CHUNK)(call)


def test_a_server_that_dies_is_a_failure_of_the_harness_and_is_asked_again(tmp_path):
    with Stub(talk=functools.partial(dies, at=6)) as server:
        first = rolled(tmp_path / "run", server.ws)
    # Of 4 questions an attempt the first has 0 to 3, the second 4 and 5; then it is cut, at the
    # question after the second chunk: 2 x 40 steps of 0.05 s are 4 s.
    [row] = first.document["policies"]
    assert row["status"] == {"ok": 1, "policy_fault": 0, "harness_failure": 2}
    assert [f["seed"] for f in first.document["failures"]] == [1, 2]
    cut, refused = (f["detail"] for f in first.document["failures"])
    assert cut.startswith(f"ServerFault: The server at {server.ws} closed the connection")
    assert cut.endswith("with 'pi0' on seed 1 at 4 s.")
    assert "can't be reached" in refused
    assert (row["success"]["worst"], row["success"]["best"]) == (0.0, pytest.approx(2 / 3))
    assert not first.ok

    with Stub(talk=holding(CHUNK), port=server.port) as again:
        second = rolled(tmp_path / "run", server.ws)
        assert again.attempts == 2  # and not the one that is done
        assert second.ok
        assert second.document["policies"][0]["status"]["ok"] == 3
    # Nothing is left to do, so nobody needs to be there.
    assert rolled(tmp_path / "run", server.ws).document == second.document


def test_one_wrong_answer_costs_one_attempt(tmp_path):
    async def talk(call: Call) -> None:
        if call.nth == 4:
            await call.send({"action": 1})
        else:
            await holding(CHUNK)(call)

    with Stub(talk=talk) as server:
        document = rolled(tmp_path / "run", server.ws).document
    assert document["policies"][0]["status"] == {"ok": 2, "policy_fault": 1, "harness_failure": 0}
    [failure] = document["failures"]
    assert (failure["seed"], failure["status"]) == (1, "policy_fault")
    # One to see whether it is there and one for each attempt, and every one is closed as it should.
    assert server.goodbyes == [1000] * 4


def test_a_slow_server_costs_the_attempts_it_is_slow_in(tmp_path):
    async def talk(call: Call) -> None:
        if call.nth != 0:
            await holding(CHUNK)(call)

    with Stub(talk=talk) as server:
        document = rolled(tmp_path / "run", server.ws, act_timeout=2.0).document
    [failure] = document["failures"]
    assert "took more than 2 s to act with 'pi0' on seed 0 at 0 s" in failure["detail"]
    assert document["policies"][0]["status"]["ok"] == 2


def test_no_server_at_the_start_is_refused_before_anything_is_made(tmp_path):
    with Stub() as server:
        pass  # it has gone, and nobody else is there yet
    with pytest.raises(UsageError, match=f"The server at {server.ws} can't be reached"):
        rolled(tmp_path / "run", server.ws)
    assert not (tmp_path / "run").exists()


def test_the_record_names_the_server_and_no_key(tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_POLICY_KEY", "open-sesame")
    with Stub(talk=holding(CHUNK)) as server:
        run = rolled(tmp_path / "run", server.ws, seeds="0")
    assert server.headers[0]["Authorization"] == "Api-Key open-sesame"
    written = [path.read_bytes() for path in run.out.rglob("*") if path.is_file()]
    assert not any(b"open-sesame" in text for text in written)
    record = json.loads((run.out / "run.json").read_text())
    policy = record["settings"]["policies"]["pi0"]
    assert policy["name"] == "websocket"
    assert policy["settings"]["url"] == server.ws


def test_a_killed_rollout_goes_on_and_repeats_nothing(tmp_path):
    run = tmp_path / "run"
    killing = True

    async def talk(call: Call) -> None:
        if killing and call.stub.attempts == 4:
            await asyncio.Event().wait()  # the last attempt has no answer before the kill
        await holding(CHUNK)(call)

    with Stub(talk=talk) as server:
        words = ["rollout", "lift-block", "--policy", f"pi0=websocket@{server.ws}", "--jobs", "2"]
        # Two workers: connections are made in processes of their own.
        cheap = ["--views", "none", "--set", "images=", "--fps", "5", "--seeds", "0:4"]
        command = [sys.executable, "-m", "assay", *words, *cheap, "--out", str(run)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert killed.kill(
            process,
            lambda: server.attempts == 4 and len(killed.keys(run / "journal.sqlite")) >= 1,
        )
        killing = False
        stored, before = len(killed.keys(run / "journal.sqlite")), server.attempts
        assert rolled(run, server.ws, seeds="0:4").document["dataset"]["episodes"] == 4
        assert server.attempts - before == 4 - stored
