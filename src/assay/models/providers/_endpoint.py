"""What all endpoints share: where they are, which key opens them, and which models are blind."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass
from typing import ClassVar, Literal
from urllib.parse import urlsplit

from assay.errors import UsageError
from assay.models.base import Address

__all__ = ["Endpoint"]


@dataclass(frozen=True)
class Endpoint:
    """An endpoint by its address.

    One rule says which key is sent. The provider's own endpoint takes the variable that its own
    tools use. Any other takes `ASSAY_API_KEY_` and its host in capitals, so no key ever goes to a
    host it was not meant for. Over https that variable must be set; over plain http and on this
    machine it is sent when it is.

    Attributes:
        own_url: Where requests go unless the address says otherwise.
        own_variable: Holds the key for `own_url`.
        blind: Matches the names of models there that take no pictures.
    """

    address: Address

    kind: ClassVar[Literal["http"]] = "http"
    own_url: ClassVar[str]
    own_variable: ClassVar[str]
    blind: ClassVar[str]

    def check(self) -> None:
        """Raise a `UsageError` where no request can succeed: no key, or no eyes."""
        self._key()
        if self._own() and re.match(self.blind, self.address.name):
            raise UsageError(
                f"The model {self.address} takes no pictures, so it can't judge any: choose one"
                " that does."
            )

    def _own(self) -> bool:
        """Whether this is the provider's own endpoint, whose models are known."""
        return self._base() == self.own_url

    def _base(self) -> str:
        return self.address.url or self.own_url

    def _variable(self) -> str:
        host = urlsplit(self._base()).hostname or ""
        named = "ASSAY_API_KEY_" + re.sub(r"[^A-Z0-9]", "_", host.upper())
        return self.own_variable if self._own() else named

    def _key(self) -> str:
        """Return the key, empty where none is needed and none is set."""
        variable = self._variable()
        key = os.environ.get(variable, "").strip()
        if not key and self._needs_key():
            raise UsageError(
                f"The model {self.address} needs a key: set the environment variable {variable}."
            )
        if not (key.isascii() and key.isprintable()):
            raise UsageError(f"The key in {variable} holds a character that no key can hold.")
        return key

    def _needs_key(self) -> bool:
        parts = urlsplit(self._base())
        return parts.scheme == "https" and not _this_machine(parts.hostname or "")


def _this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
