"""Keep keys out of every text that leaves: an endpoint may echo them in an error or an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, quote, unquote, urlsplit

__all__ = ["HIDDEN", "redact", "secrets_in"]

HIDDEN = "[key]"
_OPEN = {"content-type", "accept", "user-agent", "anthropic-version"}
_SHORTEST = 4  # characters; anything shorter is no key, and hiding it would only spoil texts


def secrets_in(headers: Mapping[str, str], url: str = "") -> tuple[str, ...]:
    """Return what must never be shown, in every form in which it may come back, longest first.

    Args:
        headers: What is sent along. All values count but those of headers known to be harmless.
        url: Where it is sent; a user, a password and values of the query count.
    """
    values = [v for name, v in headers.items() if name.casefold() not in _OPEN]
    words = [word for value in values for word in (value, *value.split())]
    words = [word for word in words if word.casefold() not in {"bearer", "basic", "token"}]
    parts = urlsplit(url)
    words += [unquote(word) for word in (parts.username, parts.password) if word]
    words += [value for _, value in parse_qsl(parts.query)]
    forms = {
        form for word in words for form in (word, quote(word, safe=""), json.dumps(word)[1:-1])
    }
    return tuple(sorted((f for f in forms if len(f) >= _SHORTEST), key=len, reverse=True))


def redact(text: str, secrets: tuple[str, ...]) -> str:
    """Return `text` with every secret replaced."""
    if not secrets or not text:
        return text
    return re.sub("|".join(map(re.escape, secrets)), HIDDEN, text)
