"""Websocket: a policy behind a websocket, as openpi serves it."""

from __future__ import annotations

from dataclasses import dataclass

from assay.worlds.policies._served.packing import require_msgpack
from assay.worlds.policies._served.policy import Served
from assay.worlds.policies._served.server import Server, check_url
from assay.worlds.policies._served.sockets import WebsocketLine

__all__ = ["Websocket"]


@dataclass(frozen=True)
class Websocket(Served):
    """Ask a server that speaks openpi's websocket protocol.

    Attributes:
        url: Where the server is.
    """

    url: str = "ws://localhost:8000"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_url(self.url, ("ws", "wss"))

    def line(self) -> WebsocketLine:
        """Return a new line to the server, not opened yet."""
        return WebsocketLine(Server.at(self.url, "Api-Key", self.key_variable))

    def load(self) -> None:
        """Import what asking needs, or raise what to install."""
        super().load()
        require_msgpack()
