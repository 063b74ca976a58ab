"""A real policy server on this machine that speaks both protocols, well or badly as it is told.

    with Stub(talk=holding()) as server:
        ...  # ask ws://127.0.0.1:PORT, which is server.ws
        assert server.attempts == 1

A way to talk is an async function of a `Call`, one observation that came over a websocket. A way to
reply is a function of the path and the body that were posted.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import msgpack
import numpy as np
from aiohttp import web

from assay import plugins
from assay.models._http.loop import LoopThread
from assay.worlds.policies._served.policy import Served
from assay.worlds.robots.panda import Panda

_FOLDER = "assay.worlds.policies"
SERVED = [n for n in plugins.names(_FOLDER) if issubclass(plugins.find(_FOLDER, n), Served)]
HOME = np.array([*Panda().home, 1.0])


@dataclass(frozen=True)
class Call:
    """One observation: the `nth` of all, counted from 0, on this connection the `own`-th."""

    stub: Stub
    socket: web.WebSocketResponse
    request: web.Request
    message: dict[str, Any]
    nth: int
    own: int

    async def send(self, message: Any) -> None:
        await self.socket.send_bytes(packed(message))


Talk = Callable[[Call], Awaitable[None]]
Reply = Callable[[str, dict[str, Any]], web.Response]


def packed(message: Any) -> bytes:
    """Pack with msgpack alone: arrays as the protocol writes them, not by our own code."""
    return msgpack.packb(message, default=entries)


def entries(array: np.ndarray) -> dict[bytes, Any]:
    about = {b"dtype": array.dtype.str, b"shape": array.shape}
    return {b"__ndarray__": True, b"data": array.tobytes(), **about}


def restored(found: dict[Any, Any]) -> Any:
    if b"__ndarray__" not in found:
        return found
    return np.ndarray(found[b"shape"], found[b"dtype"], found[b"data"])


def holding(count: int = 1) -> Talk:
    """Answer with so many actions that stay at home."""

    async def talk(call: Call) -> None:
        await call.send({"actions": np.tile(HOME, (count, 1)), "server_timing": {"infer_ms": 1.5}})

    return talk


def saying(message: Any) -> Talk:
    """Answer with that message."""

    async def talk(call: Call) -> None:
        await call.send(message)

    return talk


def replying(path: str, body: dict[str, Any]) -> web.Response:
    """Answer over HTTP with one action that stays at home."""
    return web.json_response({"actions": [HOME.tolist()]} if path == "/act" else {})


class Stub:
    """Serve on a port of this machine, in a thread of its own.

    Args:
        talk: How observations over a websocket are answered.
        reply: How posts are answered.
        hello: What a connection begins with; None says nothing.
        port: 0 takes a free one.
    """

    def __init__(
        self,
        talk: Talk | None = None,
        reply: Reply = replying,
        hello: bytes | str | None = packed({}),
        port: int = 0,
    ) -> None:
        self.talk, self.reply, self.hello, self.port = talk or holding(), reply, hello, port
        self.seen: list[dict[str, Any]] = []
        self.posted: list[tuple[str, dict[str, Any]]] = []
        self.headers: list[dict[str, str]] = []
        self.owns: list[int] = []
        self.goodbyes: list[int | None] = []

    @property
    def ws(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    @property
    def http(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def url(self, name: str) -> str:
        """Return the address for the policy of that name."""
        return self.ws if name == "websocket" else self.http

    @property
    def attempts(self) -> int:
        """Return the connections over which anything was asked."""
        return self.owns.count(0)

    def __enter__(self) -> Self:
        self._loop = LoopThread(self._serving)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.close()

    @asynccontextmanager
    async def _serving(self) -> AsyncIterator[None]:
        app = web.Application(client_max_size=1 << 30)
        app.router.add_get("/", self._socket)
        app.router.add_post("/{tail:.*}", self._post)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        self.port = self._runner.addresses[0][1]
        yield
        for _ in range(10):  # who came last has a connection only some turns of the loop on
            await asyncio.sleep(0)
        await self._runner.cleanup()

    async def die(self) -> None:
        """Take no more connections: for a way to talk, which then cuts its own."""
        for site in list(self._runner.sites):
            await site.stop()

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        self.headers.append(dict(request.headers))
        socket = web.WebSocketResponse(max_msg_size=0)
        await socket.prepare(request)
        if isinstance(self.hello, str):
            await socket.send_str(self.hello)
        elif self.hello is not None:
            await socket.send_bytes(self.hello)
        own = 0
        async for message in socket:
            found = msgpack.unpackb(message.data, object_hook=restored)
            self.seen.append(found)
            self.owns.append(own)
            await self.talk(Call(self, socket, request, found, len(self.seen) - 1, own))
            own += 1
        self.goodbyes.append(socket.close_code)
        return socket

    async def _post(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.posted.append((request.path, body))
        self.headers.append(dict(request.headers))
        return self.reply(request.path, body)
