"""Serve a policy to `assay rollout`: over a websocket as openpi does, and over HTTP.

    python examples/policy_server.py hold
    python examples/policy_server.py replay=runs/lift --episode 3
    python examples/policy_server.py my_model:actions

Then: assay rollout lift-block --policy mine=websocket@ws://localhost:8000 --out runs/mine

`my_model:actions` is a function of an observation that returns actions of shape (n, 8) or (8,). A
class will do too: one object of it is made for every attempt, and called with observations. The
file stands alone: copy it to where your model runs. It needs numpy, aiohttp and msgpack, pillow for
pictures over HTTP, and Assay only for `replay`.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import importlib
import inspect
import io
import sys
import traceback
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
from aiohttp import web

Observation = dict[str, Any]
Attempt = Callable[[Observation], np.ndarray]
STEP_S = 0.05  # how long an action lasts
MOST_SESSIONS = 64


def hold(observation: Observation) -> np.ndarray:
    """Stay where you are."""
    return np.asarray(observation["observation/state"])


class Replay:
    """Do what was done in a recorded episode, action by action."""

    def __init__(self, actions: np.ndarray) -> None:
        self.left = list(actions)

    def __call__(self, _observation: Observation) -> np.ndarray:
        return self.left.pop(0) if len(self.left) > 1 else self.left[0]


def recorded(dataset: Path, number: int) -> np.ndarray:
    """Return the actions of an episode, one for each 0.05 s, of shape (n, A)."""
    from assay.episodes.catalogue import read

    episodes = [episode for episode in read(dataset) if hasattr(episode, "signals")]
    times = episodes[number].signals["action"].times
    steps = np.arange(0.0, times[-1] + STEP_S / 2, STEP_S)
    return np.asarray(episodes[number].at("action", steps, "previous"))


def attempts_of(name: str, episode: int) -> Callable[[], Attempt]:
    """Return what begins an attempt."""
    if name == "hold":
        return lambda: hold
    if name.startswith("replay="):
        return partial(Replay, recorded(Path(name.removeprefix("replay=")), episode))
    module, _, attribute = name.partition(":")
    sys.path.insert(0, str(Path.cwd()))
    found = getattr(importlib.import_module(module), attribute)
    return found if inspect.isclass(found) else lambda: found


class PolicyServer:
    """Both protocols on one port."""

    def __init__(self, begin: Callable[[], Attempt]) -> None:
        self.begin = begin
        self.sessions: OrderedDict[str, Attempt] = OrderedDict()
        self.one_at_a_time = asyncio.Lock()  # most models can't be called by two threads

    def app(self) -> web.Application:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_get("/", self.websocket)
        app.router.add_post("/reset", self.reset)
        app.router.add_post("/act", self.act)
        return app

    async def answer(self, attempt: Attempt, observation: Observation) -> np.ndarray:
        """Return actions of shape (n, A). The model works in a thread, so that pings are heard."""
        async with self.one_at_a_time:
            return np.array(await asyncio.to_thread(attempt, observation), np.float32, ndmin=2)

    async def websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Speak as openpi does: metadata, then an answer to every observation."""
        socket = web.WebSocketResponse(compress=False, max_msg_size=64 << 20)
        await socket.prepare(request)
        attempt = self.begin()  # a new connection is a new attempt
        await socket.send_bytes(msgpack.packb({"server": "policy_server.py"}))
        async for message in socket:
            try:
                observation = msgpack.unpackb(message.data, object_hook=array_of)
                actions = await self.answer(attempt, observation)
            except Exception:  # noqa: BLE001 - whatever a model raises is told to who asked
                await socket.send_str(traceback.format_exc())
                await socket.close(code=1011)
            else:
                await socket.send_bytes(msgpack.packb({"actions": entries_of(actions)}))
        return socket

    async def reset(self, request: web.Request) -> web.Response:
        """Begin an attempt."""
        self.sessions[(await request.json())["session"]] = self.begin()
        while len(self.sessions) > MOST_SESSIONS:
            self.sessions.popitem(last=False)
        return web.json_response({})

    async def act(self, request: web.Request) -> web.Response:
        """Answer an observation."""
        body = await request.json()
        try:
            observation = {key: plain_of(value) for key, value in body["observation"].items()}
            actions = await self.answer(self.sessions[body["session"]], observation)
        except Exception as error:  # noqa: BLE001 - whatever a model raises is told to who asked
            return web.Response(status=500, text=f"{type(error).__name__}: {error}")
        return web.json_response({"actions": actions.tolist()})


def entries_of(array: np.ndarray) -> dict[bytes, Any]:
    """Return the map that stands for an array in msgpack."""
    about = {b"dtype": array.dtype.str, b"shape": array.shape}
    return {b"__ndarray__": True, b"data": array.tobytes(), **about}


def array_of(entries: dict[Any, Any]) -> object:
    """Return the array that a map stands for; any other map as it is."""
    if b"__ndarray__" not in entries:
        return entries
    return np.frombuffer(entries[b"data"], entries[b"dtype"]).reshape(entries[b"shape"])


def plain_of(value: object) -> object:
    """Return what JSON says as arrays."""
    if isinstance(value, list):
        return np.array(value, np.float32)
    if not isinstance(value, dict):
        return value
    from PIL import Image

    [file] = value.values()  # of "png" or "jpeg"
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(file))).convert("RGB"))


async def serve(begin: Callable[[], Attempt], host: str, port: int) -> None:
    runner = web.AppRunner(PolicyServer(begin).app(), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, host, port).start()
    host, port = runner.addresses[0][:2]
    print(f"Serving at ws://{host}:{port} and http://{host}:{port}", flush=True)
    await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("policy", help="hold, replay=DATASET, or module:function")
    parser.add_argument("--episode", type=int, default=0, help="which one to replay, from 0")
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 serves other machines too")
    parser.add_argument("--port", type=int, default=8000, help="0 takes a free one")
    asked = parser.parse_args()
    begin = attempts_of(asked.policy, asked.episode)
    try:
        asyncio.run(serve(begin, asked.host, asked.port))
    except KeyboardInterrupt:
        print("Stopped.")


if __name__ == "__main__":
    main()
