"""The bytes that are posted: made around pictures that were coded once.

A body of 1 MB is nearly all base64. Coding it anew and sending it through a JSON encoder for every
request costs more than the sending. So the provider words its body around small stand-ins, only
that is encoded, and the coded pictures are put in their places as bytes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from assay.models.base import Picture, Request

__all__ = ["CodedPictures", "Worded", "body_of"]

_JPEG = b"\xff\xd8\xff"  # stand-ins begin as pictures do, for providers that look


class Worded(Protocol):
    """What words a body: every provider asked over HTTP."""

    def body(self, request: Request) -> Mapping[str, Any]:
        """Return what is posted as JSON."""
        ...


class CodedPictures:
    """The base64 of pictures, kept by their keys; thread-safe.

    Args:
        most: How much may be kept [bytes]; what was used last stays.
    """

    def __init__(self, most: int = 256_000_000) -> None:
        self._most = most
        self._held = 0
        self._coded: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()
        # Nobody can guess it, so no prompt holds a stand-in by accident or on purpose.
        self._secret = secrets.token_bytes(24)

    def of(self, picture: Picture) -> bytes:
        """Return the base64 of `picture`."""
        with self._lock:
            found = self._coded.get(picture.key)
            if found is not None:
                self._coded.move_to_end(picture.key)
                return found
        coded = base64.b64encode(picture.jpeg)
        with self._lock:
            if picture.key not in self._coded:
                self._coded[picture.key] = coded
                self._held += len(coded)
            while self._held > self._most and len(self._coded) > 1:
                self._held -= len(self._coded.popitem(last=False)[1])
        return coded

    def stand_in(self, picture: Picture) -> Picture:
        """Return a picture of 27 bytes to word a body around.

        They are whole groups of three, so their base64 stands alone and without padding.
        """
        drawn = hashlib.sha256(self._secret + picture.key.encode()).digest()
        return replace(picture, jpeg=_JPEG + drawn[:24])


def body_of(provider: Worded, request: Request, coded: CodedPictures) -> Sequence[bytes]:
    """Return the body as JSON in UTF-8, in pieces to be sent one after the other.

    Args:
        provider: What words it.
        request: What is asked.
        coded: Where coded pictures are kept.
    """
    if not request.pictures:
        return [_json(provider.body(request))]
    shown = tuple(p if isinstance(p, str) else coded.stand_in(p) for p in request.parts)
    around = replace(request, parts=shown)
    small = _json(provider.body(around))
    stand_ins = (base64.b64encode(one.jpeg) for one in around.pictures)
    pictures = dict(zip(stand_ins, request.pictures, strict=True))
    pieces = re.split(b"(" + b"|".join(map(re.escape, pictures)) + b")", small)
    if set(pieces[1::2]) != set(pictures):  # the provider changes pictures: it must see them
        return [_json(provider.body(request))]
    return [coded.of(pictures[piece]) if n % 2 else piece for n, piece in enumerate(pieces)]


def _json(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), default=_plain).encode()


def _plain(value: object) -> Any:  # noqa: ANN401 - a schema nests anything
    """Return mappings that are no dictionaries as dictionaries."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"A body can't hold a {type(value).__name__}.")
