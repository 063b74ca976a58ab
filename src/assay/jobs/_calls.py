"""What models were asked on behalf of every episode: packed for the journal, and as a table."""

from __future__ import annotations

import json
import math
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from assay.jobs._rundir import write_file
from assay.models.base import Picture, Request
from assay.models.recording import Call, Record
from assay.models.session import Recall
from assay.records import STATUSES

__all__ = [
    "ANSWERED",
    "Packed",
    "Row",
    "asked",
    "pack",
    "read_calls",
    "read_recall",
    "revisions_of",
    "unpack",
    "write_calls",
]

Row: TypeAlias = dict[str, Any]
"""A call: the columns of `calls.parquet` without episode, judge and number."""

Packed: TypeAlias = Mapping[str, Mapping[str, bytes]]
"""Packed calls by judge and episode."""

ANSWERED: Final = frozenset({"ok", "unparsed", "invalid_value"})
"""Statuses of calls that a model answered, well or badly."""

_BATCH = 1000  # rows in memory at a time
_WHOSE = ("episode", "judge", "number")


def pack(record: Record) -> bytes:
    """Return the calls of one episode in a small form; nothing was asked: nothing.

    The prompts of an episode are much alike, so that together they take little more than one.
    """
    shown = record.shown()
    return _packed([_row(call, shown) for call in record.calls()])


def unpack(packed: bytes) -> list[Row]:
    """Return the calls that were packed, in order."""
    rows: list[Row] = json.loads(zlib.decompress(packed)) if packed else []
    return rows


def _packed(rows: Sequence[Row]) -> bytes:
    # ASCII: a judge, or a model, may say anything, and half a surrogate pair is no UTF-8.
    return zlib.compress(json.dumps(rows).encode("ascii")) if rows else b""


def _row(call: Call, shown: Mapping[str, tuple[str, float]]) -> Row:
    reply = call.reply
    return {
        "key": reply.key,
        "model": call.model,
        "revision": _clean(reply.revision),
        "status": call.status,
        "detail": _clean(call.detail),
        "prompt": _clean(_prompt(call.request)),
        "pictures": [_picture(picture, shown) for picture in call.request.pictures],
        "reply": _clean(reply.text),
        "input_tokens": reply.input_tokens,
        "output_tokens": reply.output_tokens,
        "cost": reply.cost,
    }


def _prompt(request: Request) -> str:
    """Return the whole text; "[picture 2]" stands where the second picture was shown."""
    texts, count = [], 0
    for part in request.parts:
        count += isinstance(part, Picture)
        texts.append(f"[picture {count}]" if isinstance(part, Picture) else part)
    return "".join([f"{request.system}\n\n"] * bool(request.system) + texts)


def _picture(picture: Picture, shown: Mapping[str, tuple[str, float]]) -> Row:
    view, at_s = shown.get(picture.key, (None, None))
    return {"key": picture.key, "view": view, "t": at_s}


def _clean(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def write_calls(path: Path, packed: Packed) -> None:
    """Write `calls.parquet`: one row per call, judge by judge, by episode and in order.

    Without any call there is no file.

    Args:
        path: The file.
        packed: The calls, the main judge's first.
    """
    if not any(calls for own in packed.values() for calls in own.values()):
        path.unlink(missing_ok=True)
        return
    write_file(path, lambda partial: _write(partial, packed))


def _write(path: Path, packed: Packed) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    text, whole = pa.string(), pa.int64()
    picture = pa.struct([("key", text), ("view", text), ("t", pa.float64())])
    fields: list[tuple[str, pa.DataType]] = [
        *[(name, text) for name in ("episode", "judge")],
        ("number", pa.int32()),
        *[(n, text) for n in ("key", "model", "revision", "status", "detail", "prompt")],
        ("pictures", pa.list_(picture)),
        ("reply", text),
        *[(name, whole) for name in ("input_tokens", "output_tokens")],
        ("cost", pa.float64()),
    ]
    schema = pa.schema(fields, metadata={"schema": "assay.calls/1"})
    rows: list[Row] = []
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for row in _rows(packed):
            rows.append(row)
            if len(rows) == _BATCH:
                writer.write_table(pa.Table.from_pylist(rows, schema=schema))
                rows = []
        if rows:
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def _rows(packed: Packed) -> Iterator[Row]:
    for judge, own in packed.items():
        for episode in sorted(own):
            for number, row in enumerate(unpack(own[episode])):
                yield {"episode": episode, "judge": judge, "number": number, **row}


def read_calls(path: Path) -> dict[tuple[str, str], bytes]:
    """Return what `write_calls` wrote, by judge and episode; nothing where there is no file."""
    if not path.is_file():
        return {}
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        rows = (row for batch in file.iter_batches(_BATCH) for row in batch.to_pylist())
        return {
            key: _packed([{n: v for n, v in row.items() if n not in _WHOSE} for row in own])
            for key, own in groupby(rows, key=lambda row: (row["judge"], row["episode"]))
        }


def read_recall(path: Path) -> Recall:
    """Return who answered the calls in a file of `write_calls`, so that they can be told again.

    Of a model that answered nothing, the revisions count as which it refused or broke off.
    """
    if not path.is_file():
        return Recall()
    import pyarrow.parquet as pq

    found: dict[str, dict[bool, Counter[str]]] = {}
    keys: set[str] = set()
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(_BATCH, columns=["key", "model", "revision", "status"]):
            for row in batch.to_pylist():
                keys.add(row["key"])
                if row["status"] != "transport":
                    counts = found.setdefault(row["model"], {True: Counter(), False: Counter()})
                    counts[row["status"] in ANSWERED][row["revision"]] += 1
    revisions = {
        model: [name for name, _ in (counts[True] or counts[False]).most_common()]
        for model, counts in found.items()
    }
    return Recall(revisions, frozenset(keys))


def revisions_of(packed: bytes) -> set[tuple[str, str]]:
    """Return who answered the calls of an episode: models, and their revisions."""
    rows = unpack(packed)
    return {(row["model"], row["revision"]) for row in rows if row["status"] in ANSWERED}


def asked(packed: Packed) -> dict[str, Row]:
    """Return what all answers came to, by model: the same for a run that paid and one that did not.

    A question that several episodes put is counted with each of them and paid for once. Without a
    price for one answer there is none for all. `revisions` says how many answers each revision of
    the model gave; an endpoint that does not tell its revision has an empty one.
    """
    statuses: dict[str, Counter[str]] = {}
    revisions: dict[str, Counter[str]] = {}
    paid: dict[str, dict[str, _Paid]] = {}
    for row in _rows(packed):
        model = row["model"]
        statuses.setdefault(model, Counter())[row["status"]] += 1
        told = revisions.setdefault(model, Counter())
        if row["status"] in ANSWERED:
            told[row["revision"]] += 1
        paid.setdefault(model, {})[row["key"]] = _Paid.of(row)
    return {
        model: {
            "questions": statuses[model].total(),
            "distinct": len(paid[model]),
            "status": {s: statuses[model][s] for s in STATUSES if statuses[model][s]},
            "revisions": dict(sorted(revisions[model].items())),
            **_sums(list(paid[model].values())),
        }
        for model in sorted(statuses)
    }


class _Paid(NamedTuple):
    """What is added up of a call: with prompts and replies, a long run would fill the memory."""

    pictures: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    sent: bool

    @classmethod
    def of(cls, row: Row) -> _Paid:
        tokens = (row["input_tokens"] or 0, row["output_tokens"] or 0)
        return cls(len(row["pictures"]), *tokens, row["cost"], row["status"] != "transport")


def _sums(paid: Sequence[_Paid]) -> Row:
    known = [one.cost for one in paid if one.cost is not None]
    unknown = any(one.cost is None and one.sent for one in paid)
    return {
        "pictures": sum(one.pictures for one in paid),
        "input_tokens": sum(one.input_tokens for one in paid),
        "output_tokens": sum(one.output_tokens for one in paid),
        # fsum: the same to the last bit in whatever order answers came
        "cost": None if unknown else math.fsum(known),
    }
