"""Http: a policy behind plain HTTP, which a server in any language can speak."""

from __future__ import annotations

from dataclasses import dataclass

from assay.worlds.policies._served.pictures import Coding
from assay.worlds.policies._served.policy import Served
from assay.worlds.policies._served.posts import HttpLine
from assay.worlds.policies._served.server import Server, check_url

__all__ = ["Http"]


@dataclass(frozen=True)
class Http(Served):
    """Ask a server that takes JSON over HTTP.

    Attributes:
        url: Where the server is.
        pictures: How pictures are coded: `png`, bit by bit as drawn, or `jpeg`, a tenth of it.
    """

    url: str = "http://localhost:8000"
    pictures: Coding = "png"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_url(self.url, ("http", "https"))

    def line(self) -> HttpLine:
        """Return a new line to the server, not opened yet."""
        return HttpLine(Server.at(self.url, "Bearer", self.key_variable), self.pictures)
