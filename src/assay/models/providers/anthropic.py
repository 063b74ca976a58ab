"""Models behind an Anthropic-style endpoint."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from assay.errors import UsageError
from assay.models.base import Reply, Request
from assay.models.providers._endpoint import Endpoint
from assay.models.providers._wire import (
    broken_off,
    closed,
    content,
    count,
    cut,
    dig,
    mapped,
    misshapen,
    refused,
    text_in,
)

__all__ = ["Anthropic"]

# From 4.7 on the models refuse to be told a temperature.
_TAKES_TEMPERATURE = r"claude-(2|3|instant|(opus|sonnet|haiku)-4(-[0-6])?(-\d{8}|@|-latest|$))"
# Of a schema's keywords, those that the endpoint refuses.
_REFUSED = frozenset(
    {
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "minItems", "maxItems", "uniqueItems"),
    }
)
_CUT = {"max_tokens", "model_context_window_exceeded"}
_WHOLE = {"end_turn", "stop_sequence"}


@dataclass(frozen=True)
class Anthropic(Endpoint):
    """Ask the Messages API; it lists no token probabilities."""

    own_url: ClassVar[str] = "https://api.anthropic.com/v1"
    own_variable: ClassVar[str] = "ANTHROPIC_API_KEY"
    blind: ClassVar[str] = r"claude-(1|2|instant)"

    def limits(self) -> Mapping[str, int]:
        """Return how many pictures a request may hold; no option has a probability."""
        return {"options": 0, "pictures": 600}

    def url(self) -> str:
        """Return where requests are posted."""
        return f"{self._base()}/messages"

    def headers(self) -> Mapping[str, str]:
        """Return the headers with the key, where there is one."""
        key = self._key()
        return {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})}

    def body(self, request: Request) -> Mapping[str, Any]:
        """Return what is posted as JSON."""
        if request.options:
            raise UsageError(
                f"The model {self.address} lists no log-probabilities: choose a judge that needs"
                " none, or a model of another provider."
            )
        body: dict[str, Any] = {
            "model": self.address.name,
            "max_tokens": request.sampling.max_tokens,
            "messages": [{"role": "user", "content": content(request, _text, _picture)}],
        }
        if request.system:
            body["system"] = request.system
        if request.schema is not None:
            schema = closed(request.schema, _REFUSED)
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        return body | self._drawing(request)

    def read(self, request: Request, answer: Mapping[str, Any]) -> Reply:  # noqa: ARG002 - the contract's
        """Return the reply in a decoded answer of status 200."""
        if not isinstance(answer.get("content"), list):
            return misshapen("content")
        usage = answer.get("usage")
        cached = [dig(usage, f"cache_{how}_input_tokens") for how in ("read", "creation")]
        return replace(
            _said(answer),
            input_tokens=count(dig(usage, "input_tokens"), *cached),
            output_tokens=count(dig(usage, "output_tokens")),
            revision=str(answer.get("model") or ""),
        )

    def _drawing(self, request: Request) -> dict[str, Any]:
        """Return how the answer is drawn: by temperature or by share, never both."""
        if not re.match(_TAKES_TEMPERATURE, self.address.name):
            return {}
        sampling = request.sampling
        if sampling.top_p is not None:
            return {"top_p": sampling.top_p}
        return {"temperature": min(sampling.temperature, 1.0)}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _picture(data: str) -> dict[str, Any]:
    source = {"type": "base64", "media_type": "image/jpeg", "data": data}
    return {"type": "image", "source": source}


def _said(answer: Mapping[str, Any]) -> Reply:
    """Return what the model said and how it ended."""
    text, ended = text_in(mapped(answer, "content")), answer.get("stop_reason")
    if ended == "refusal":
        return Reply(status="refused", detail=refused(text))
    if ended in _CUT:
        return cut(text)
    return Reply(text) if ended in _WHOLE else broken_off(ended)
