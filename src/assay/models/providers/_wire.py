"""What bodies are made of, and how to take answers apart that may hold anything."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.episodes.faults import shown
from assay.models.base import Picture, Reply, Request

__all__ = [
    "base64_of",
    "broken_off",
    "closed",
    "content",
    "count",
    "cut",
    "dig",
    "drawn_seed",
    "given",
    "mapped",
    "misshapen",
    "refused",
    "text_in",
]


_MOST_TOKENS = 10**9  # in one question or answer; more would fit into no table


def base64_of(picture: Picture) -> str:
    """Return the JPEG as base64."""
    return base64.b64encode(picture.jpeg).decode("ascii")


def content(
    request: Request,
    text: Callable[[str], Mapping[str, Any]],
    picture: Callable[[str], Mapping[str, Any]],
) -> list[Mapping[str, Any]]:
    """Return the parts in order, as `text` and `picture` (of base64) word them."""
    return [
        picture(base64_of(part)) if isinstance(part, Picture) else text(part)
        for part in request.parts
    ]


def drawn_seed(request: Request) -> int | None:
    """Return the seed of this sample: one seed for all would draw the same answer each time."""
    seed = request.sampling.seed
    return None if seed is None else seed + request.sample


def given(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def closed(schema: Any, dropped: frozenset[str] = frozenset()) -> Any:  # noqa: ANN401 - any JSON
    """Return a JSON schema that allows no further properties and leaves none out.

    Endpoints that keep strictly to a schema ask for that.

    Args:
        schema: The schema, or a part of one.
        dropped: Keywords the endpoint refuses; they bind only the one who reads the answer.
    """
    if isinstance(schema, list | tuple):
        return [closed(part, dropped) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    whole = {name: closed(part, dropped) for name, part in schema.items() if name not in dropped}
    if isinstance(schema.get("properties"), Mapping):
        # what a property is called is no keyword
        inner = {name: closed(part, dropped) for name, part in schema["properties"].items()}
        whole |= {"properties": inner, "required": [*inner], "additionalProperties": False}
    return whole


def dig(answer: Any, *path: str | int) -> Any:  # noqa: ANN401 - any JSON
    """Return what stands at `path` in decoded JSON, or None."""
    for step in path:
        if isinstance(step, str):
            answer = answer.get(step) if isinstance(answer, Mapping) else None
        else:
            answer = answer[step] if isinstance(answer, list) and step < len(answer) else None
    return answer


def mapped(answer: Any, *path: str | int) -> list[Mapping[str, Any]]:  # noqa: ANN401 - any JSON
    """Return the objects in the list at `path`; whatever else it holds is left out."""
    found = dig(answer, *path)
    return [part for part in found if isinstance(part, Mapping)] if isinstance(found, list) else []


def text_in(parts: Sequence[Mapping[str, Any]]) -> str:
    """Return the texts of `parts` in one."""
    texts = [part.get("text") for part in parts]
    return "".join(text for text in texts if isinstance(text, str))


def count(*tokens: object) -> int | None:
    """Return the sum of counts that are there and can be meant, None when there is none."""
    whole = [t for t in tokens if isinstance(t, int) and not isinstance(t, bool)]
    known = [t for t in whole if 0 <= t <= _MOST_TOKENS]
    return sum(known) if known else None


def refused(why: object) -> str:
    """Return the sentence for an answer that was refused."""
    said = f": {shown(why, 200)}" if isinstance(why, str) and why else ""
    return f"the model refused to answer{said}"


def cut(text: str) -> Reply:
    """Return the reply for an answer that reached the longest length."""
    return Reply(text, "truncated", "the answer was cut at the longest length (max_tokens)")


def broken_off(reason: object) -> Reply:
    """Return the reply for an answer that ended otherwise than answers do."""
    detail = f"the endpoint ended its answer for the reason {shown(repr(reason))}"
    return Reply(status="transport", detail=detail)


def misshapen(lacking: str) -> Reply:
    """Return the reply for an answer of another shape than the provider's."""
    return Reply(status="transport", detail=f"the endpoint's answer holds no {lacking}")
