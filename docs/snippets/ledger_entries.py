"""Store an answer, find it again, and read what was asked."""

from pathlib import Path

from assay.models.base import Address, Reply, Request
from assay.models.ledger import Ledger, key_of

model = Address("openai", "my-model", "http://localhost:8000/v1")
asked = Request(("How far has the robot got, from 0 to 100?",))
said = Reply(text="40", revision="my-model-2026-01", input_tokens=12, output_tokens=1)

with Ledger(Path("ledger.sqlite")) as ledger:
    ledger.put(key_of(model, said.revision, asked), model, asked, said)

    key = key_of(model, ledger.revision(model) or "", asked)
    if (entry := ledger.entry(key)) is not None:
        print(entry.prompt, "->", entry.reply.text)
