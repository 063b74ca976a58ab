"""The example server: asked by `assay rollout`, and by openpi's own kind of client."""

from __future__ import annotations

import functools
import importlib.util
import json
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import ModuleType

import msgpack
import numpy as np
import pytest
from aiohttp import web
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.sync.server import ServerConnection, serve

from assay.cli._app import run
from assay.episodes.catalogue import read
from assay.errors import PolicyFault
from assay.models._http.loop import LoopThread
from assay.worlds.policies.http import Http
from assay.worlds.policies.websocket import Websocket
from assay.worlds.session import Session
from assay.worlds.tasks.lift_block import LiftBlock
from assay.worlds.world import World
from policy_stub import HOME, entries, packed, restored

EXAMPLE = Path(__file__).parent.parent / "examples" / "policy_server.py"
CHEAP = [
    *("--views", "front", "--size", "32", "--quality", "fast", "--fps", "20", "--jobs", "1"),
    *("--set", "images=observation/image=front", "--set", "size=0"),
]
OBSERVATION = {
    "observation/image": np.full((8, 8, 3), 51, np.uint8),  # a fifth of 255
    "observation/state": HOME.astype(np.float32),
    "prompt": "lift",
}


@functools.cache
def example() -> ModuleType:
    """Return the example as a module."""
    spec = importlib.util.spec_from_file_location("policy_server", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def world() -> World:
    return World(LiftBlock())


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator[str]:
    """Yield the address of the example server in a process of its own, without its scheme."""
    command = [sys.executable, "-W", "error", EXAMPLE, *arguments, "--port", "0"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        said = process.stdout.readline()
        assert said.startswith("Serving at ws://127.0.0.1:"), said
        yield said.split()[2].removeprefix("ws")
    finally:
        process.terminate()
        process.communicate()


@contextmanager
def serving(begin: Callable[[], Callable]) -> Iterator[str]:
    """Yield the address of the example server in a thread, without its scheme."""

    @asynccontextmanager
    async def resource() -> AsyncIterator[int]:
        app = example().PolicyServer(begin).app()
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.0)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield runner.addresses[0][1]
        await runner.cleanup()

    thread = LoopThread(resource)
    try:
        yield f"://127.0.0.1:{thread.resource}"
    finally:
        thread.close()


def code_of(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stopped:
        run([str(argument) for argument in arguments])
    return stopped.value.code or 0


def test_a_replayed_expert_succeeds_over_both_protocols_and_is_audited(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ask = ["rollout", "lift-block", "--seeds", "0"]
    still = ["--views", "none", "--fps", "20", "--jobs", "1"]
    assert code_of(*ask, "--out", "expert", *still) == 0
    with started(tmp_path, "replay=expert") as address:
        policies = [
            *("--policy", f"socket=websocket@ws{address}"),
            *("--policy", f"http@http{address}", "--set", "http.pictures=jpeg"),
        ]
        assert code_of(*ask, *policies, *CHEAP, "--out", "served") == 0
    [expert] = read(Path("expert"))
    episodes = list(read(Path("served")))
    assert [episode.policy for episode in episodes] == ["socket", "http"]
    for episode in episodes:
        # Actions are kept as float32, so that the last digits of a replay differ.
        done = episode.signals["progress"].values
        assert done == pytest.approx(expert.signals["progress"].values, abs=1e-3)
        assert episode.outcome is True
    assert code_of("audit", "served", "--judge", "oracle", "--jobs", "1", "--out", "report") == 0
    told = json.loads(Path("report/audit.json").read_text())
    assert {cell["policy"] for cell in told["cells"]} == {"socket", "http"}


class Counting:
    """Answer with how often this object was asked."""

    def __init__(self):
        self.asked = 0

    def __call__(self, observation):
        self.asked += 1
        return np.full((2, 8), float(self.asked))


def looks(observation):
    return np.full(8, observation["observation/image"].mean() / 255)


def lost(observation):
    raise LookupError("no weights")


def received(socket: ClientConnection) -> dict:
    """Do what openpi's client does, with the library that it uses."""
    got = socket.recv(timeout=30)
    assert isinstance(got, bytes), got
    return msgpack.unpackb(got, object_hook=restored)


@pytest.mark.parametrize(
    ("begin", "expected"),
    [
        (lambda: example().hold, [HOME.astype(np.float32)]),
        (lambda: looks, [np.full(8, np.float32(0.2))]),
        (Counting, [np.ones(8), np.ones(8)]),
    ],
)
def test_openpis_kind_of_client_is_answered(begin, expected):
    with serving(begin) as address:
        for _ in range(2):  # another connection is another attempt
            with connect(f"ws{address}", compression=None, max_size=None) as socket:
                assert received(socket) == {"server": "policy_server.py"}
                socket.send(packed(OBSERVATION))
                assert np.array_equal(received(socket)["actions"], expected)


def test_what_a_model_raises_is_sent_as_text_and_the_connection_ends():
    with serving(lambda: lost) as address, connect(f"ws{address}", compression=None) as socket:
        received(socket)
        socket.send(packed(OBSERVATION))
        assert socket.recv(timeout=30).endswith("LookupError: no weights\n")
        with pytest.raises(ConnectionClosed) as caught:
            socket.recv(timeout=30)
        assert caught.value.rcvd.code == 1011


def test_what_a_model_raises_is_the_policys_fault():
    with serving(lambda: lost) as address:
        for policy in (Websocket(f"ws{address}", images=""), Http(f"http{address}", images="")):
            session = Session(world(), policy.actor(LiftBlock(), 0))
            session.reset(0)
            with pytest.raises(PolicyFault, match="LookupError: no weights"):
                session.step()
            session.close()


def test_over_http_a_session_is_an_attempt():
    with serving(Counting) as address:
        sessions = [
            Session(world(), Http(f"http{address}", images="").actor(LiftBlock(), 0))
            for _ in range(2)
        ]
        for session in sessions:
            session.reset(0)
        # Two actions an answer, so that the third step is the first of the second answer.
        steps = [[session.step()[0] for session in sessions] for _ in range(3)]
        for session in sessions:
            session.close()
    assert steps == [[1, 1], [1, 1], [2, 2]]


def test_a_model_is_found_by_its_name(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    text = "def still(seen):\n    return 1\n\n\nclass Model:\n    pass\n"
    Path("my_actions.py").write_text(text)
    attempts_of = example().attempts_of
    assert attempts_of("my_actions:still", 0)()(None) == 1
    begin = attempts_of("my_actions:Model", 0)
    first, second = begin(), begin()
    assert type(first).__name__ == "Model"
    assert first is not second


def test_our_client_is_answered_by_openpis_kind_of_server():
    seen = []

    def talk(socket: ServerConnection) -> None:
        socket.send(packed({"robot": "panda"}))
        for data in socket:
            seen.append(msgpack.unpackb(data, object_hook=restored))
            timing = {"infer_ms": 1.0}
            actions = entries(np.tile(HOME, (4, 1)).astype(np.float32))
            socket.send(packed({"actions": actions, "server_timing": timing}))

    with serve(talk, "127.0.0.1", 0, compression=None, max_size=None) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        policy = Websocket(url=url, images="")
        policy.check(LiftBlock(), (), 30.0)
        session = Session(world(), policy.actor(LiftBlock(), 0))
        session.reset(0)
        steps = [session.step() for _ in range(6)]
        session.close()
        server.shutdown()
    assert np.array_equal(steps, np.tile(HOME.astype(np.float32), (6, 1)))
    assert len(seen) == 2
    assert seen[0]["prompt"] == LiftBlock().instruction
    assert seen[0]["observation/state"].shape == (8,)
