"""A policy's server: its address, what proves who asks, and the wording of what goes wrong."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from assay.errors import FaultKind, PolicyFault, ServerFault, UsageError
from assay.models._http.redaction import redact, secrets_in

__all__ = ["CONNECT_S", "MOST_BYTES", "RedirectedError", "Server", "check_url"]

CONNECT_S = 10.0  # a server that is there takes a connection at once
MOST_BYTES = 16_000_000  # of one answer: a thousand times any chunk of actions
_MOST_WORDS = 200  # letters of a server's own words


class RedirectedError(Exception):
    """A server sends elsewhere; observations and keys go where the user said, and nowhere else."""


@dataclass(frozen=True)
class Server:
    """Who is asked.

    Attributes:
        url: The address, without secrets.
        headers: What proves who asks: never shown.
    """

    url: str
    headers: Mapping[str, str] = field(repr=False)

    @classmethod
    def at(cls, url: str, scheme: str, key_variable: str) -> Server:
        """Return the server at `url`; its key is in the variable `key_variable`, if there is one.

        Args:
            url: The address.
            scheme: What stands before the key in the header, such as "Bearer".
            key_variable: The name of an environment variable.
        """
        key = os.environ.get(key_variable, "").strip() if key_variable else ""
        return cls(url.rstrip("/"), {"Authorization": f"{scheme} {key}"} if key else {})

    def lost(self, what: str) -> ServerFault:
        """Return the fault of a server that is not there: nothing can be said about the policy."""
        return ServerFault(self._sentence(what))

    def wrong(self, what: str, kind: FaultKind) -> PolicyFault:
        """Return the fault of a server that is there and gives no action."""
        return PolicyFault(self._sentence(what), kind)

    def _sentence(self, what: str) -> str:
        shown = " ".join(redact(what, secrets_in(self.headers)).split())
        cut = shown if len(shown) <= _MOST_WORDS else f"{shown[:_MOST_WORDS]}..."
        return f"The server at {self.url} {cut}."

    @contextmanager
    def worded(self) -> Iterator[None]:
        """Turn what aiohttp raises into a sentence."""
        import aiohttp

        try:
            yield
        except TimeoutError:
            raise self.lost(f"took no connection within {CONNECT_S:g} s") from None
        except RedirectedError as error:
            raise self.lost(f"sends elsewhere: {error}") from None
        except aiohttp.WSServerHandshakeError as error:
            raise self.lost(f"takes no websocket connection: it answered {error.status}") from None
        except aiohttp.ClientResponseError as error:
            raise self.lost(f"does not speak HTTP ({error.message})") from None
        except aiohttp.ClientConnectorCertificateError as error:
            raise self.lost(f"has a certificate that is not trusted ({error})") from None
        except aiohttp.ClientConnectorError as error:
            number = error.os_error.errno
            why = os.strerror(number) if number and number > 0 else error.os_error
            raise self.lost(f"can't be reached: {why}") from None
        except (aiohttp.ClientError, OSError) as error:
            why = f"{type(error).__name__}: {error}"
            raise self.lost(f"cut the connection ({why})") from None


def check_url(url: str, schemes: Sequence[str]) -> None:
    """Raise a `UsageError` unless `url` is an address without secrets in it."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"The address of the policy's server can't be read: {error}.") from None
    if parts.username or parts.password or parts.query or parts.fragment:
        # It is stored with the run: what may be secret must not stand in it, nor here.
        raise UsageError(
            "The address of the policy's server holds a user, a password, a query or a fragment;"
            " a key comes from an environment variable."
        )
    if parts.scheme not in schemes or not host:
        allowed = " or ".join(f"{scheme}://" for scheme in schemes)
        raise UsageError(
            f"The address of the policy's server must begin with {allowed} and name a host, such"
            f" as {schemes[0]}://localhost:8000, not {url!r}."
        )
