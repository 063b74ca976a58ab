"""A real HTTP server on this machine that answers as an OpenAI-style endpoint, as it is told.

    with ModelServer(lambda asked: say("85")) as server:
        ...  # post to server.url + "/chat/completions"
        assert server.count == 1

A behaviour is a function of what was asked; `Asked.nth` counts from 0. It returns a `Behaviour`,
one of the many ways in which an endpoint can do well or badly. `in_turn` plays a script.
"""

from __future__ import annotations

import asyncio
import base64
import json
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from aiohttp import web

MODEL = "stub-2026-01"


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    nth: int
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    path: str

    @property
    def text(self) -> str:
        """Return all texts of the question, apart by line breaks."""
        return "\n".join(p["text"] for p in self._parts() if p["type"] == "text")

    @property
    def pictures(self) -> list[bytes]:
        """Return the coded pictures, in order."""
        urls = [p["image_url"]["url"] for p in self._parts() if p["type"] == "image_url"]
        return [base64.b64decode(url.partition("base64,")[2], validate=True) for url in urls]

    def _parts(self) -> list[dict[str, Any]]:
        parts: list[dict[str, Any]] = []
        for message in self.body["messages"]:
            content = message["content"]
            parts += [{"type": "text", "text": content}] if isinstance(content, str) else content
        return parts


@dataclass(frozen=True)
class Behaviour:
    """What is sent back, and how."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    hang_s: float = 0.0  # waits before anything is sent
    cut: bool = False  # closes the connection without a word
    half: bool = False  # promises the whole body and closes after half of it


Answering = Callable[[Asked], Behaviour]


def say(
    text: str,
    *,
    finish: str = "stop",
    model: str = MODEL,
    tokens: tuple[int, int] = (100, 10),
    logprobs: Mapping[str, float] | None = None,
    refusal: str | None = None,
) -> Behaviour:
    """Answer correctly; prose, "(0-100): 85", NaN, a wrong option and "" are said like this too."""
    message = {"role": "assistant", "content": text, "refusal": refusal}
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": finish}
    if logprobs is not None:
        tops = [{"token": t, "logprob": p, "bytes": None} for t, p in logprobs.items()]
        first = {**tops[0], "top_logprobs": tops}
        choice["logprobs"] = {"content": [first]}
    usage = {
        "prompt_tokens": tokens[0],
        "completion_tokens": tokens[1],
        "total_tokens": sum(tokens),
    }
    whole = {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [choice],
        "usage": usage,
    }
    return Behaviour(body=json.dumps(whole).encode())


def refuse(words: str = "I can't help with that.") -> Behaviour:
    """Refuse as a model does: with status 200."""
    return say("", refusal=words)


def error(status: int, message: str = "", **headers: str) -> Behaviour:
    """Fail with a status; `retry_after="1"` is the header Retry-After."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = json.dumps({"error": {"message": message, "type": "stub"}}).encode()
    return Behaviour(status=status, body=body, headers=named)


def hang(seconds: float = 30.0) -> Behaviour:
    """Keep silent for so long."""
    return Behaviour(hang_s=seconds, cut=True)


def cut() -> Behaviour:
    """Close the connection."""
    return Behaviour(cut=True)


def half_a_body() -> Behaviour:
    """Send half of a correct answer and close."""
    return Behaviour(body=say("85").body, half=True)


def truncated_json() -> Behaviour:
    """Send half of a correct answer as if it were whole."""
    whole = say("85").body
    return Behaviour(body=whole[: len(whole) // 2])


def brackets(status: int = 200) -> Behaviour:
    """Send JSON that begins and begins and never ends."""
    return Behaviour(status=status, body=b"[" * 200_000)


# Every way in which the text of an answer can be of use or of none, by name.
TEXTS = {
    "correct": '{"value": 85}',
    "prose": "The robot is nearly there, I would say.",
    "scale": "(0-100): 85",
    "nan": '{"value": NaN}',
    "wrong option": '{"value": "perhaps"}',
    "empty": "",
}


def in_turn(*behaviours: Behaviour) -> Answering:
    """Play a script; its last line goes on for ever."""
    return lambda asked: behaviours[min(asked.nth, len(behaviours) - 1)]


class ModelServer:
    """Serve on a free port of this machine, in a thread of its own.

    Args:
        answering: Says what comes back; `server.answering` may be changed at any time.
        latency_s: How long every answer takes [s].
        keep: Whether requests are kept to be looked at; a measurement has no use for them.
    """

    def __init__(self, answering: Answering, *, latency_s: float = 0.0, keep: bool = True) -> None:
        self.answering = answering
        self.latency_s = latency_s
        self.asked: list[Asked] = []
        self.count = 0
        self.most_at_once = 0
        self._keep = keep
        self._now = 0
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))

    @property
    def url(self) -> str:
        """Return what a user types after the @."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(30.0), "The server did not start."
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application(client_max_size=1 << 30)
        app.router.add_post("/{tail:.*}", self._answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.0)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.port = runner.addresses[0][1]
        self._ready.set()
        await self._stop.wait()
        # Who came last, and left without a word, has a connection only some turns of the loop on.
        # A server that is closed before that leaves it open for good.
        for _ in range(10):
            await asyncio.sleep(0)
        await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        nth, self.count = self.count, self.count + 1
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            raw = await request.read()
            asked = Asked(nth, json.loads(raw) if self._keep else {}, request.headers, request.path)
            if self._keep:
                self.asked.append(asked)
            behaviour = self.answering(asked)
            await self._wait(self.latency_s + behaviour.hang_s)
            return await _respond(request, behaviour)
        except ConnectionResetError:  # who asked was killed in the middle of the question
            return web.Response()
        finally:
            self._now -= 1

    async def _wait(self, seconds: float) -> None:
        """Wait so long, or until the server is stopped."""
        if seconds:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), seconds)


async def _respond(request: web.Request, behaviour: Behaviour) -> web.StreamResponse:
    transport = request.transport
    if behaviour.cut:
        if transport is not None:
            transport.abort()
        return web.Response()
    headers = {"Content-Type": "application/json", **behaviour.headers}
    if not behaviour.half:
        return web.Response(status=behaviour.status, body=behaviour.body, headers=headers)
    response = web.StreamResponse(headers={**headers, "Content-Length": str(len(behaviour.body))})
    await response.prepare(request)
    await response.write(behaviour.body[: len(behaviour.body) // 2])
    if transport is not None:
        transport.close()
    return response
