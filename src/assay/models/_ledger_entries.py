"""One stored answer, and its form in the ledger's rows and files."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from assay.errors import InputError
from assay.models.base import Reply

__all__ = ["Entry", "Row", "entry_of", "reply_of", "reply_text"]


class Row(NamedTuple):
    """An entry as it stands in the table and in exported files, all but the number in texts."""

    key: str
    usable: int
    model: str
    revision: str
    question: str
    reply: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What was asked and what came back, for whoever wants to read it again.

    Attributes:
        key: Its key in the ledger.
        model: The model, `provider:name[@url]`.
        revision: The model's revision, as the endpoint named it.
        system: The instructions that stood before everything.
        parts: Text and pictures in order, each {"text": ...} or {"picture": key}.
        settings: Schema, sampling, sample and options.
        reply: What came back.
        usable: Whether it counts as an answer; a failure is kept to be read, and asked again.
    """

    key: str
    model: str
    revision: str
    system: str
    parts: tuple[Mapping[str, str], ...]
    settings: Mapping[str, Any]
    reply: Reply
    usable: bool

    @property
    def prompt(self) -> str:
        """Return the texts alone, apart by empty lines."""
        return "\n\n".join(part["text"] for part in self.parts if "text" in part)

    @property
    def pictures(self) -> tuple[str, ...]:
        """Return the keys of the pictures, in the order in which they were shown."""
        return tuple(part["picture"] for part in self.parts if "picture" in part)


def reply_text(reply: Reply) -> str:
    """Return the stored form of a reply: JSON in ASCII, which holds any text there is."""
    probable = reply.logprobs
    stored = {
        "text": reply.text,
        "status": reply.status,
        "detail": reply.detail,
        # JSON has no infinity; as a text it is read back by the same `float`.
        "logprobs": None
        if probable is None
        else {name: _number(value) for name, value in probable.items()},
        "input_tokens": reply.input_tokens,
        "output_tokens": reply.output_tokens,
        "cost": reply.cost,
    }
    return json.dumps(stored, sort_keys=True, separators=(",", ":"), allow_nan=False)


def reply_of(key: str, revision: str, text: str) -> Reply:
    """Return the reply that `reply_text` was given, marked as one that comes from the ledger.

    Raises:
        InputError: The text is damaged.
    """
    try:
        stored = json.loads(text)
        probable = stored["logprobs"]
        return Reply(
            text=str(stored["text"]),
            status=stored["status"],
            detail=str(stored["detail"]),
            logprobs=None if probable is None else {k: float(v) for k, v in probable.items()},
            input_tokens=stored["input_tokens"],
            output_tokens=stored["output_tokens"],
            cost=stored["cost"],
            revision=revision,
            cached=True,
            key=key,
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"the entry {key} of the ledger is damaged ({error!r}).") from error


def entry_of(row: Row) -> Entry:
    """Return a row as an entry.

    Raises:
        InputError: The row is damaged.
    """
    try:
        question = json.loads(row.question)
        system, parts = question.pop("system"), question.pop("parts")
        shown = tuple({str(k): str(v) for k, v in part.items()} for part in parts)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"the entry {row.key} of the ledger is damaged ({error!r}).") from error
    return Entry(
        key=row.key,
        model=row.model,
        revision=row.revision,
        system=str(system),
        parts=shown,
        settings=question,
        reply=reply_of(row.key, row.revision, row.reply),
        usable=bool(row.usable),
    )


def _number(value: float) -> float | str:
    number = float(value)
    return number if math.isfinite(number) else str(number)
