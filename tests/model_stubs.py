"""The least providers there can be: one over HTTP, one in this process; and pictures to show."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from assay.errors import UsageError
from assay.models._http.bodies import CodedPictures
from assay.models._http.retrying import Backoff
from assay.models.base import Address, Picture, Provider, Reply, Request
from assay.models.session import ModelSettings, Session
from model_server import ModelServer

KEY = "sk-very/secret+key=1"


@dataclass(frozen=True)
class StubHttp:
    kind: ClassVar[Literal["http", "local"]] = "http"
    address: Address
    key: str = KEY

    def check(self) -> None:
        if not self.key:
            raise UsageError("The variable STUB_KEY is not set.")

    def limits(self) -> Mapping[str, int]:
        return {"pictures": 8}

    def url(self) -> str:
        return f"{self.address.url}/chat/completions"

    def headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def body(self, request: Request) -> Mapping[str, Any]:
        content = [_part(part) for part in request.parts]
        messages = [{"role": "user", "content": content}]
        drawn = request.sampling
        return {"model": self.address.name, "messages": messages, "max_tokens": drawn.max_tokens}

    def read(self, request: Request, answer: Mapping[str, Any]) -> Reply:
        choice = answer["choices"][0]
        refusal = choice["message"]["refusal"]
        told = {
            "input_tokens": answer["usage"]["prompt_tokens"],
            "output_tokens": answer["usage"]["completion_tokens"],
            "revision": answer["model"],
        }
        if refusal:
            return Reply(status="refused", detail=refusal, **told)
        status = "truncated" if choice["finish_reason"] == "length" else "ok"
        return Reply(text=choice["message"]["content"], status=status, **told)


def _part(part: str | Picture) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    coded = CodedPictures().of(part).decode()  # a provider knows nothing of what others keep
    return {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{coded}"}}


@dataclass(frozen=True)
class StubLocal:
    kind: ClassVar[Literal["http", "local"]] = "local"
    address: Address
    running: list[str] = field(default_factory=list)
    most: list[int] = field(default_factory=list)

    def check(self) -> None:
        pass

    def limits(self) -> Mapping[str, int]:
        return {}

    def revision(self) -> str:
        return "weights-1"

    def answer(self, request: Request) -> Reply:
        self.running.append(threading.current_thread().name)
        self.most.append(len(self.running))
        time.sleep(0.01)
        self.running.pop()
        return Reply(text=f"I see {request.parts[0]}")


def stub(address: Address) -> Provider:
    return StubLocal(address) if address.provider == "local" else StubHttp(address)


def picture(number: int, size: int = 300) -> Picture:
    """Return bytes that stand for a coded picture."""
    return Picture(np.random.default_rng(number).bytes(size), f"picture-{number}", 448, 448)


@contextmanager
def asking(folder: Path, server: ModelServer, **settings: Any) -> Iterator[tuple[Session, Address]]:
    """Open a session that asks `server` and hardly waits between tries."""
    settings = {"ledger": folder / "ledger.sqlite", "timeout_s": 20.0, **settings}
    backoff = Backoff(np.random.default_rng(0), base_s=0.01)
    with Session(ModelSettings(**settings), backoff=backoff, make=stub) as session:
        yield session, Address("stub", "seer", server.url)
