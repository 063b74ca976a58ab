"""Post one body and read one answer: every way in which that can fail becomes a `Fault`."""

from __future__ import annotations

import ipaddress
import json
import urllib.request
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from assay.errors import AssayError, MissingExtraError
from assay.models._http.faults import Fault, fault_of
from assay.models._http.redaction import redact, secrets_in
from assay.models.base import HttpProvider, Reply, Request

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

__all__ = ["CONNECT_S", "Post", "Route", "connected", "post", "proxy_of", "require_aiohttp"]

CONNECT_S = 10.0  # an endpoint that is there takes a connection at once, however busy it is
_CHUNK = 1 << 18  # bytes handed to the socket at once: others get their turn in between
_MOST_ANSWER = 32_000_000  # bytes; no answer to a question is longer
# What a provider may come to over an answer that nobody foresaw.
_MISREAD = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)


@dataclass(frozen=True)
class Route:
    """The way to one model, the same for all its requests.

    Attributes:
        provider: Words bodies and reads answers.
        url: Where requests are posted.
        headers: With keys: never shown.
        secrets: What no text may show.
        proxy: The proxy on the way, if any.
    """

    provider: HttpProvider
    url: str
    headers: Mapping[str, str] = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)
    proxy: str | None

    @classmethod
    def to(cls, provider: HttpProvider) -> Route:
        """Return the way to the model of `provider`."""
        url, headers = provider.url(), provider.headers()
        secrets = secrets_in(headers, url)
        return cls(provider, url, headers, secrets, proxy_of(url))


@dataclass(frozen=True)
class Post:
    """One request, ready to be sent as often as need be.

    Attributes:
        route: Where to.
        request: What is asked.
        body: JSON in pieces.
        timeout_s: How long a whole try may take [s].
    """

    route: Route
    request: Request
    body: Sequence[bytes] = field(repr=False)
    timeout_s: float


def require_aiohttp() -> None:
    """Raise what to install where the package is missing."""
    try:
        import aiohttp  # noqa: F401 - whether it is there
    except ImportError as error:
        raise MissingExtraError("Asking a model over HTTP", "aiohttp", "models") from error


@asynccontextmanager
async def connected() -> AsyncIterator[ClientSession]:
    """Open what all requests share: connections that are kept, as many as are needed."""
    require_aiohttp()
    import aiohttp

    connector = aiohttp.TCPConnector(limit=0)  # how many at once is for `limits` to say
    async with aiohttp.ClientSession(connector=connector) as session:
        yield session


async def post(http: ClientSession, sent: Post) -> Reply | Fault:
    """Send once and return the reply, or why there is none; keys are hidden in all of it."""
    import aiohttp

    try:
        end = await _posted(http, sent)
    except TimeoutError:
        end = Fault(f"No answer came within {sent.timeout_s:g} s.", again=True, billed=True)
    except aiohttp.ClientConnectorCertificateError as error:
        end = Fault(f"The endpoint's certificate is not trusted: {error}.", stops="")
    except aiohttp.ClientConnectorError as error:
        end = Fault(f"The endpoint can't be reached: {error.os_error}.", again=True)
    except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError) as error:
        end = Fault(f"{error} is no address that can be asked.", stops="")
    except (aiohttp.ClientError, OSError) as error:
        what = f"{type(error).__name__}: {error}"
        end = Fault(f"The connection was cut ({what}).", again=True, billed=True)
    return _hidden(end, sent.route.secrets)


async def _posted(http: ClientSession, sent: Post) -> Reply | Fault:
    from aiohttp import ClientTimeout

    route, size = sent.route, sum(map(len, sent.body))
    headers = {**route.headers, "Content-Type": "application/json", "Content-Length": str(size)}
    async with http.post(
        route.url,
        data=_pieces(sent.body),
        headers=headers,
        timeout=ClientTimeout(total=sent.timeout_s, sock_connect=min(CONNECT_S, sent.timeout_s)),
        allow_redirects=False,  # a key goes to the host it was given for, and to no other
        proxy=route.proxy,
    ) as response:
        raw = await _read(response)
        if raw is None:
            return Fault(f"The answer is longer than {_MOST_ANSWER} bytes.")
        if response.status != 200:
            words = redact(raw.decode("utf-8", "replace"), route.secrets)
            named = {name.casefold(): value for name, value in response.headers.items()}
            return fault_of(response.status, named, words, sent.request)
    return _understood(sent, raw)


async def _pieces(body: Sequence[bytes]) -> AsyncIterator[memoryview]:
    """Yield the body in chunks, without copying it."""
    for piece in body:
        view = memoryview(piece)
        for start in range(0, len(view), _CHUNK):
            yield view[start : start + _CHUNK]


async def _read(response: ClientResponse) -> bytes | None:
    """Return the whole body, None if it is too long to be an answer."""
    parts, size = [], 0
    async for part in response.content.iter_any():
        parts.append(part)
        size += len(part)
        if size > _MOST_ANSWER:
            return None
    return b"".join(parts)


def _understood(sent: Post, raw: bytes) -> Reply | Fault:
    """Return the reply in a body of status 200."""
    try:
        answer: Any = json.loads(raw)
    except (ValueError, RecursionError) as error:  # brackets without end are no JSON either
        return Fault(f"The answer is no JSON ({error}).", again=True, billed=True)
    if not isinstance(answer, dict):
        return Fault("The answer is JSON, but no object: is this the right url?", billed=True)
    try:
        return sent.route.provider.read(sent.request, answer)
    except (*_MISREAD, AssayError) as error:
        what = f"{type(error).__name__}: {error}"
        return Fault(f"The answer is not of the expected form ({what}).", billed=True)


def _hidden(end: Reply | Fault, secrets: tuple[str, ...]) -> Reply | Fault:
    if isinstance(end, Fault):
        return replace(end, sentence=redact(end.sentence, secrets))
    return replace(
        end,
        text=redact(end.text, secrets),
        detail=redact(end.detail, secrets),
        revision=redact(end.revision, secrets),
    )


def proxy_of(url: str) -> str | None:
    """Return the proxy that the environment names for `url`; this machine needs none."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if _is_here(host) or urllib.request.proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    return urllib.request.getproxies().get(parts.scheme)


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
