"""A model on this machine that gives every judge an answer of the form it asks for."""

import json
from contextlib import contextmanager
from dataclasses import replace

from assay.models.session import ModelSettings, opened
from clips import write_clip
from model_server import ModelServer, say


def fitting(schema):
    """Return something that keeps a JSON schema: a number in the middle, the first option."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind in ("number", "integer"):
        middle = (schema.get("minimum", 0) + schema.get("maximum", 1)) / 2
        return round(middle) if kind == "integer" else middle
    if kind == "array":
        return [fitting(schema["items"])] * schema.get("minItems", 1)
    if kind == "object":
        return {name: fitting(inner) for name, inner in schema["properties"].items()}
    return "because"


def by_schema(asked):
    """Answer by the schema that was asked for; without one, with a number; or with options."""
    if asked.body.get("logprobs"):
        return say("True", logprobs={"True": -0.7, "False": -0.7})
    form = asked.body.get("response_format")
    if form is None:
        return say("10")
    return say(json.dumps(fitting(form["json_schema"]["schema"])))


def answering_as(revision, asked):
    """Answer as `by_schema` does, under another name of the model."""
    good = by_schema(asked)
    return replace(good, body=json.dumps(json.loads(good.body) | {"model": revision}).encode())


def instruct(folder, words="Put the block into the box."):
    """Write a manifest that says what was to be done in every clip of `folder`."""
    rows = (f"{clip.name},{words}" for clip in sorted(folder.glob("*.mp4")))
    (folder / "manifest.csv").write_text("\n".join(["file,instruction", *rows, ""]))


def write_instructed(folder, count):
    """Write clips of 16 frames at 8 a second into a new `folder`, and what was to be done."""
    folder.mkdir()
    for number in range(count):
        write_clip(folder / f"clip{number}.mp4", frames=16, fps=8, first=100 * number)
    instruct(folder)
    return folder


@contextmanager
def loopback(folder, answering=by_schema):
    """Yield the address of such a model and its server; answers are kept in `folder`."""
    with (
        ModelServer(answering) as server,
        opened(ModelSettings(ledger=folder / "ledger.sqlite")),
    ):
        yield f"openai:stub@{server.url}", server
