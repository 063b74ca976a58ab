"""The same command with whoever judges: an endpoint, weights on this machine, no model at all."""

import json
from contextlib import contextmanager

import pyarrow.parquet as pq
import pytest

from assay.cli._app import run
from model_server import ModelServer
from models_loopback import by_schema
from models_tiny import llava

JUDGES = ("an endpoint", "weights on this machine", "no model")


@contextmanager
def judging(which, folder):
    """Yield what stands after `--judge`; both models are read by their probabilities of "True"."""
    if which == "an endpoint":
        with ModelServer(by_schema) as server:
            yield f"topreward@openai:stub@{server.url}"
    elif which == "weights on this machine":
        yield f"topreward@transformers:{llava(folder / 'tiny', terse=True, context=8192)}"
    else:
        yield "prm-mini"


def audited(source, which, folder, *options):
    """Audit `source` by one command; return what came of it, after a look at its files."""
    out = folder / "run"
    with judging(which, folder) as judge:
        words = ["audit", source, "--out", out, "--judge", judge, "--jobs", "1", *options]
        with pytest.raises(SystemExit) as ended:
            run([str(word) for word in words])
    assert not ended.value.code
    assert (out / "index.html").is_file()
    document = json.loads((out / "audit.json").read_text())
    assert {status for cell in document["cells"] for status in cell["status"]} == {"ok"}
    values = pq.read_table(out / "curves.parquet")["value"].to_pylist()
    assert all(0 <= value <= 1 for value in values)
    assert ("asked" in document) == (which != "no model")
    return document
