"""Ask a model from Python; with `plan` nothing is sent, and the cost is counted."""

from pathlib import Path

from assay.models.address import parse
from assay.models.base import Request
from assay.models.session import ModelSettings, opened

settings = ModelSettings(ledger=Path("ledger.sqlite"), in_flight=8, plan=True)
model = parse("openai:Qwen3-VL-8B@http://localhost:8000/v1")
with opened(settings) as session:
    reply = session.ask(model, Request(("What is 2 + 3?",)))
    print(reply.status, reply.text, reply.detail)
    print(session.usage()[str(model)])
