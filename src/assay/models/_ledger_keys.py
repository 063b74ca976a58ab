"""What tells one question to a model from all others.

The key is a hash of a canonical text: the same in every process, on every machine and with every
version of Python. The text is stored beside the answer, so that a key can be checked for ever.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from assay.errors import UsageError
from assay.models.base import Address, Picture, Request

__all__ = ["KEY_VERSION", "key_from", "key_of", "model_of", "question_of"]

KEY_VERSION = 1
"""Stands in every key: another way to make keys must never meet answers under the old ones."""


def key_of(address: Address, revision: str, request: Request) -> str:
    """Return the key of a question in the ledger.

    It stands for the model and where it is asked, its revision, every text, the pixels and the
    preparation of every picture, the schema, how the answer is drawn, the options, and which of
    several samples is wanted.

    Args:
        address: The model. What it says of a revision does not count: `revision` does.
        revision: The model's revision, as the endpoint names it.
        request: What is asked.
    """
    return key_from(model_of(address), revision, question_of(request))


def key_from(model: str, revision: str, question: str) -> str:
    """Return the key of what `model_of` and `question_of` returned."""
    # JSON of a list of three texts: no two different lists share one text.
    whole = json.dumps([model, revision, _hashed(question)])
    return f"{KEY_VERSION}-{_hashed(whole)}"


def model_of(address: Address) -> str:
    """Return the model's name in the ledger: its address without user, password and query.

    They may be secrets, which are never stored.
    """
    if not address.url:
        return f"{address.provider}:{address.name}"
    parts = urlsplit(address.url)
    host = parts.netloc.rpartition("@")[2]
    url = urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
    return f"{address.provider}:{address.name}@{url}"


def question_of(request: Request) -> str:
    """Return the canonical text of a request; pictures stand in it by their keys.

    Raises:
        UsageError: The schema is no plain JSON.
    """
    drawn = request.sampling
    question = {
        "system": request.system,
        "parts": [
            {"picture": part.key} if isinstance(part, Picture) else {"text": part}
            for part in request.parts
        ],
        "schema": _plain(request.schema),
        "sampling": {
            "temperature": float(drawn.temperature),  # 0 and 0.0 are one
            "max_tokens": int(drawn.max_tokens),
            "top_p": None if drawn.top_p is None else float(drawn.top_p),
            "seed": None if drawn.seed is None else int(drawn.seed),
        },
        "sample": int(request.sample),
        "options": list(request.options),
    }
    try:
        return json.dumps(question, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise UsageError(f"A request to a model must be plain JSON: {error}.") from error


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _plain(value: Any) -> Any:  # noqa: ANN401 - a schema nests anything
    """Return mappings of any kind as dictionaries with texts as keys, tuples as lists."""
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
