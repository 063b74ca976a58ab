"""A line over a websocket, as openpi's servers speak it.

The server begins with a message of its own, the metadata. Then every observation, one message, has
one answer. A text instead of bytes is the traceback of an error on the server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from assay.worlds.policies._served.line import Line
from assay.worlds.policies._served.packing import pack, unpack
from assay.worlds.policies._served.server import CONNECT_S, MOST_BYTES, Server

if TYPE_CHECKING:
    from aiohttp import ClientWebSocketResponse, WSMessage

__all__ = ["WebsocketLine"]

_GOODBYE_S = 1.0  # how long a server may take to say it too


class WebsocketLine(Line):
    """One connection for one attempt: a server that remembers things can begin anew with it.

    Args:
        server: Whom to ask.
    """

    _socket: ClientWebSocketResponse
    _reader: asyncio.Task[None]  # the loop itself holds tasks but weakly

    def __init__(self, server: Server) -> None:
        super().__init__(server)
        self._messages: asyncio.Queue[WSMessage | None] = asyncio.Queue()

    async def opened(self, instruction: str) -> None:  # noqa: ARG002 - goes with every observation
        """Connect and take the server's metadata."""
        import aiohttp

        with self.server.worded():
            async with asyncio.timeout(CONNECT_S):
                self._socket = await self.http.ws_connect(
                    self.server.url,
                    headers=self.server.headers,
                    proxy=self.proxy,
                    compress=0,
                    max_msg_size=MOST_BYTES,
                    timeout=aiohttp.ClientWSTimeout(ws_receive=None, ws_close=_GOODBYE_S),
                )
        self._reader = asyncio.create_task(self._read(self._socket))
        try:
            async with asyncio.timeout(CONNECT_S):
                self._understood(await self._messages.get())
        except TimeoutError:
            what = f"sent no metadata within {CONNECT_S:g} s: is it a server of openpi's kind?"
            raise self.server.lost(what) from None

    async def asked(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send an observation and return the answer."""
        if not self._messages.empty():
            self._understood(self._messages.get_nowait())  # says why, where the server is gone
            raise self.server.wrong("sent an answer that nobody had asked for", "unreadable")
        data = pack(message)
        with self.server.worded():
            await self._socket.send_bytes(data)
        return self._understood(await self._messages.get())

    async def _read(self, socket: ClientWebSocketResponse) -> None:
        """Take in what comes, all the time: a server that pings is answered between two acts."""
        try:
            async for message in socket:
                self._messages.put_nowait(message)
        finally:
            with suppress(TimeoutError):  # a server that reads nothing hears no goodbye either
                async with asyncio.timeout(2 * _GOODBYE_S):
                    await socket.close()
            self._messages.put_nowait(None)

    def _understood(self, message: WSMessage | None) -> Mapping[str, Any]:
        """Return the map in a message.

        Raises:
            ServerFault: There is none, because the server is gone.
            PolicyFault: It is not what a policy answers.
        """
        from aiohttp import WSCloseCode, WSMsgType

        if message is None:
            code = self._socket.close_code
            why = f" (code {code})" if code else ""
            raise self.server.lost(f"closed the connection without an answer{why}")
        if message.type is WSMsgType.TEXT:
            raise self.server.wrong(f"raised {_last_line(message.data)}", "raised")
        if message.type is not WSMsgType.BINARY:
            if getattr(message.data, "code", None) == WSCloseCode.MESSAGE_TOO_BIG:
                raise self.server.wrong(f"sent more than {MOST_BYTES} bytes", "too_large")
            raise self.server.lost(f"broke the connection ({message.data})")
        try:
            found = unpack(message.data)
        except ValueError as error:
            what = f"sent what is no msgpack of openpi's kind ({error})"
            raise self.server.wrong(what, "unreadable") from None
        if not isinstance(found, dict):
            what = f"sent {type(found).__name__}, where a map is needed"
            raise self.server.wrong(what, "unreadable")
        return found


def _last_line(traceback: str) -> str:
    """Return what a traceback comes to."""
    lines = [line.strip() for line in traceback.splitlines() if line.strip()]
    return lines[-1] if lines else "an error without words"
