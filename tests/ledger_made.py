"""Questions and answers for tests of the ledger."""

from __future__ import annotations

from assay.models.base import Address, Picture, Reply, Request, Sampling
from assay.models.ledger import Ledger, key_of

ADDRESS = Address("openai", "seer", "http://localhost:8000/v1")
REVISION = "seer-2"
SCHEMA = {"type": "object", "properties": {"score": {"type": "number"}}}


def question(number: int = 0, text: str = "How far has it got?", sample: int = 0) -> Request:
    shown = Picture(b"jpeg", f"picture-{number}", 64, 48)
    return Request((text, shown), system="You judge.", schema=SCHEMA, sample=sample)


def reply(text: str = '{"score": 0.4}', revision: str = REVISION, **more) -> Reply:
    known = {"input_tokens": 300, "output_tokens": 8, "cost": 0.001, "attempts": 1}
    return Reply(text=text, revision=revision, **{**known, **more})


def store(ledger: Ledger, request: Request, answer: Reply, address: Address = ADDRESS) -> str:
    key = key_of(address, answer.revision, request)
    ledger.put(key, address, request, answer)
    return key


def sampled(**changes) -> Request:
    return Request(("Well?",), sampling=Sampling(**changes))
