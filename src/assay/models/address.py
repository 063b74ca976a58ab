"""Which model is meant by `provider:name[@url]`, and the provider that answers for it."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from assay import plugins
from assay.errors import UsageError
from assay.models.base import Address, Provider

__all__ = ["make_provider", "parse"]

_PROVIDERS = "assay.models.providers"
# With a scheme, a port, brackets, or a name that ends like a domain's.
_LIKE_URL = r"[^@/]*://|localhost\b|[^@/]*:\d|\[|[\w.-]+\.[a-z]{2,}(?:/|$)"
_FORM = "provider:name[@url], such as openai:Qwen3-VL-8B@http://localhost:8000/v1"


def parse(text: str) -> Address:
    """Return the address that `text` says, as it is typed after `--model`.

    Only a provider that is asked over HTTP has a URL, which follows an `@`; an `@` before a version
    belongs to the name. For a local one all that follows the colon is its folder.

    Raises:
        UnknownNameError: No provider has that name.
        UsageError: The name is missing, or the URL is none to ask at.
    """
    provider, colon, rest = text.strip().partition(":")
    known = plugins.names(_PROVIDERS)
    if not provider or not (colon or provider in known):
        listed = ", ".join(known)
        raise UsageError(f"A model is {_FORM}; {text!r} names no provider. Known: {listed}.")
    if plugins.find(_PROVIDERS, provider).kind == "local":
        name, url = rest, ""
    else:
        name, url = _split(rest)
    if not name:
        raise UsageError(f"A model is {_FORM}; {text!r} names a provider but no model.")
    if url:
        _check_url(url, provider, name)
    return Address(provider, name, url.rstrip("/"))


def make_provider(address: Address) -> Provider:
    """Return the provider of `address`; nothing is loaded or sent."""
    provider: Provider = plugins.find(_PROVIDERS, address.provider)(address)
    return provider


def _split(rest: str) -> tuple[str, str]:
    """Return the name and the URL.

    What looks like a host counts as a URL too, so that its user is told what it lacks.
    """
    at = re.search(rf"@(?={_LIKE_URL})", rest)
    return (rest[: at.start()], rest[at.end() :]) if at else (rest, "")


def _check_url(url: str, provider: str, name: str) -> None:
    """Raise a `UsageError` unless `url` is plain http(s) without secrets in it."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(
            f"The URL of the model {provider}:{name} can't be read: {error}."
        ) from None
    if parts.username or parts.password or parts.query or parts.fragment:
        # The URL is stored with every run: what may be secret must not stand in it, nor here.
        raise UsageError(
            f"The URL of the model {provider}:{name} holds a user, a password, a query or a"
            " fragment; a key comes from an environment variable."
        )
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError(
            f"The URL of the model {provider}:{name} must begin with http:// or https:// and name"
            f" a host, not {url!r}."
        )
