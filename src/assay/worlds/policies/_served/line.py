"""The line to a server: asked from plain functions, carried by a loop in a thread of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from assay.errors import MissingExtraError
from assay.models._http.loop import LoopThread
from assay.models._http.transport import proxy_of
from assay.worlds.policies._served.server import CONNECT_S, RedirectedError, Server

if TYPE_CHECKING:
    from aiohttp import ClientSession

__all__ = ["Line", "require_aiohttp"]

T = TypeVar("T")


class Line(ABC):
    """A line that lasts for one attempt. Whoever made it closes it.

    A call may be left behind by its caller when it takes too long. So all that waits is in the
    loop, and `close`, from any thread, ends it there.

    Args:
        server: Whom to ask.
    """

    def __init__(self, server: Server) -> None:
        self.server = server
        parts = urlsplit(server.url)
        plain = {"ws": "http", "wss": "https"}.get(parts.scheme, parts.scheme)
        self.proxy = proxy_of(parts._replace(scheme=plain).geturl())
        self._loop = LoopThread(_connected)

    def open(self, instruction: str, limit_s: float | None = None) -> None:
        """Begin an attempt.

        Args:
            instruction: What is to be done.
            limit_s: How long that may take [s]; None leaves it to the caller to give up.

        Raises:
            ServerFault: Nobody is there who could be asked.
            PolicyFault: Somebody is there and answers wrongly.
        """
        try:
            self._wait(self.opened(instruction), limit_s)
        except TimeoutError:
            raise self.server.lost(f"gave no answer within {limit_s:g} s") from None

    def ask(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send an observation and return the answer.

        Raises:
            ServerFault: The server is gone.
            PolicyFault: It answers wrongly.
        """
        return self._wait(self.asked(message))

    def close(self) -> None:
        """Hang up, whatever is under way. May be called twice."""
        self._loop.close()

    @property
    def http(self) -> ClientSession:
        """Return what opens connections, for use in the loop."""
        return self._loop.resource

    @abstractmethod
    async def opened(self, instruction: str) -> None:
        """Begin an attempt, in the loop."""

    @abstractmethod
    async def asked(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send an observation and return the answer, in the loop."""

    def _wait(self, work: Coroutine[Any, Any, T], limit_s: float | None = None) -> T:
        return self._loop.submit(work).result(limit_s)


def require_aiohttp() -> None:
    """Import the package, or raise what to install."""
    try:
        import aiohttp  # noqa: F401 - for later
    except ImportError as error:
        raise MissingExtraError("A policy on a server", "aiohttp", "serving") from error


@asynccontextmanager
async def _connected() -> AsyncIterator[ClientSession]:
    """Open what makes connections; none of them leads elsewhere than the user said."""
    import aiohttp

    trace = aiohttp.TraceConfig()
    trace.on_request_redirect.append(_refuse_redirect)
    # How long an answer may take is for the caller to say.
    patience = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S)
    async with aiohttp.ClientSession(trace_configs=[trace], timeout=patience) as session:
        yield session


async def _refuse_redirect(_session: object, _context: object, told: Any) -> None:  # noqa: ANN401 - aiohttp's own
    to = told.response.headers.get("Location", "nowhere")
    raise RedirectedError(f"{told.response.status}, to {to}")
