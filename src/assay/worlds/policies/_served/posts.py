"""A line over HTTP: JSON is posted, and JSON comes back, as docs/policy-servers.md says."""

from __future__ import annotations

import base64
import io
import json
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.worlds.policies._served.line import Line
from assay.worlds.policies._served.pictures import Coding, coded
from assay.worlds.policies._served.server import MOST_BYTES, Server

if TYPE_CHECKING:
    from aiohttp import ClientResponse

__all__ = ["HttpLine"]

# The way there is broken, or leads to something else; all other statuses are the policy's own.
_NOT_THE_POLICY = {401, 403, 404, 405, 407, 408, 429, 502, 503, 504}


class HttpLine(Line):
    """One session for one attempt.

    Args:
        server: Whom to ask.
        coding: How pictures are coded.
    """

    def __init__(self, server: Server, coding: Coding) -> None:
        super().__init__(server)
        self._coding = coding
        self._session = secrets.token_hex(8)  # tells attempts at the same time apart

    async def opened(self, instruction: str) -> None:
        """Post `/reset`; what comes back does not matter."""
        await self._post("/reset", {"instruction": instruction})

    async def asked(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Post `/act` and return the answer."""
        plain = {name: self._plain(value) for name, value in message.items()}
        raw = await self._post("/act", {"observation": plain})
        try:
            found = json.loads(raw)
        except (ValueError, RecursionError) as error:  # brackets without end are no JSON either
            raise self.server.wrong(f"sent what is no JSON ({error})", "unreadable") from None
        if not isinstance(found, dict):
            what = f"sent {type(found).__name__}, where an object is needed"
            raise self.server.wrong(what, "unreadable")
        return found

    async def _post(self, path: str, body: Mapping[str, Any]) -> bytes:
        data = json.dumps({"session": self._session, **body}).encode()
        headers = {**self.server.headers, "Content-Type": "application/json"}
        url = self.server.url + path
        with self.server.worded():
            async with self.http.post(
                url, data=io.BytesIO(data), headers=headers, proxy=self.proxy
            ) as response:
                raw, status = await self._read(response), response.status
        if status != 200:
            words = raw.decode("utf-8", "replace").strip() or "nothing"
            what = f"answered {path} with status {status}: {words}"
            broken = status in _NOT_THE_POLICY
            raise self.server.lost(what) if broken else self.server.wrong(what, "raised")
        return raw

    async def _read(self, response: ClientResponse) -> bytes:
        """Return the whole body."""
        parts, size = [], 0
        async for part in response.content.iter_any():
            parts.append(part)
            size += len(part)
            if size > MOST_BYTES:
                raise self.server.wrong(f"sent more than {MOST_BYTES} bytes", "too_large")
        return b"".join(parts)

    def _plain(self, value: Any) -> Any:  # noqa: ANN401 - JSON nests anything
        """Return a value as JSON holds it: pictures coded, other arrays as lists."""
        if not isinstance(value, np.ndarray):
            return value
        if value.ndim < 3:
            return value.tolist()
        return {self._coding: base64.b64encode(coded(value, self._coding)).decode()}
