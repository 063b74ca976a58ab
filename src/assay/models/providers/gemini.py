"""Models behind a Gemini-style endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar
from urllib.parse import quote

from assay.models.base import Reply, Request
from assay.models.providers._endpoint import Endpoint
from assay.models.providers._options import LISTED, pairs, with_options
from assay.models.providers._wire import (
    broken_off,
    content,
    count,
    cut,
    dig,
    drawn_seed,
    given,
    mapped,
    misshapen,
    refused,
    text_in,
)

__all__ = ["Gemini"]

_REFUSALS = {
    *("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"),
    *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
}


@dataclass(frozen=True)
class Gemini(Endpoint):
    """Ask generateContent, at Google or at any URL that speaks the same way."""

    own_url: ClassVar[str] = "https://generativelanguage.googleapis.com/v1beta"
    own_variable: ClassVar[str] = "GEMINI_API_KEY"
    blind: ClassVar[str] = (
        r"(models/)?(gemini-(1\.0-)?pro$|gemma-3-1b|text-|embedding|gemini-embed)"
    )

    def limits(self) -> Mapping[str, int]:
        """Return how many options can be told apart and how many pictures are taken."""
        return {"options": LISTED, "pictures": 3600}

    def url(self) -> str:
        """Return where requests are posted."""
        name = quote(self.address.name.removeprefix("models/"), safe="@.-_")
        return f"{self._base()}/models/{name}:generateContent"

    def headers(self) -> Mapping[str, str]:
        """Return the headers with the key, where there is one."""
        key = self._key()
        return {"x-goog-api-key": key} if key else {}

    def body(self, request: Request) -> Mapping[str, Any]:
        """Return what is posted as JSON."""
        body: dict[str, Any] = {
            "contents": [{"role": "user", "parts": content(request, _text, _picture)}],
            "generationConfig": _settings(request),
        }
        if request.system:
            body["systemInstruction"] = {"parts": [_text(request.system)]}
        return body

    def read(self, request: Request, answer: Mapping[str, Any]) -> Reply:
        """Return the reply in a decoded answer of status 200."""
        usage = answer.get("usageMetadata")
        spoken = [dig(usage, f"{what}TokenCount") for what in ("candidates", "thoughts")]
        return replace(
            _said(request, answer),
            input_tokens=count(dig(usage, "promptTokenCount")),
            output_tokens=count(*spoken),
            revision=str(answer.get("modelVersion") or ""),
        )


def _text(text: str) -> dict[str, Any]:
    return {"text": text}


def _picture(data: str) -> dict[str, Any]:
    return {"inlineData": {"mimeType": "image/jpeg", "data": data}}


def _settings(request: Request) -> dict[str, Any]:
    """Return how the answer is drawn and what it must look like."""
    sampling = request.sampling
    drawn = {
        "temperature": sampling.temperature,
        "maxOutputTokens": sampling.max_tokens,
        "topP": sampling.top_p,
        "seed": drawn_seed(request),
    }
    if request.options:
        return given(drawn | {"responseLogprobs": True, "logprobs": LISTED})
    if request.schema is None:
        return given(drawn)
    form = {"responseMimeType": "application/json", "responseJsonSchema": request.schema}
    return given(drawn | form)


def _said(request: Request, answer: Mapping[str, Any]) -> Reply:
    """Return what the model said and how it ended."""
    blocked = dig(answer, "promptFeedback", "blockReason")
    if blocked:
        return Reply(status="refused", detail=refused(f"the prompt was blocked ({blocked})"))
    candidate = dig(answer, "candidates", 0)
    if not isinstance(candidate, Mapping):
        return misshapen("candidates")
    ended = candidate.get("finishReason")
    if ended in _REFUSALS:
        return Reply(status="refused", detail=refused(ended))
    if ended not in (None, "STOP", "MAX_TOKENS"):
        return broken_off(ended)
    text = text_in([p for p in mapped(candidate, "content", "parts") if not p.get("thought")])
    if not request.options:
        return cut(text) if ended == "MAX_TOKENS" else Reply(text)
    listed = mapped(candidate, "logprobsResult", "topCandidates", 0, "candidates")
    return with_options(request, text, pairs(listed, "token", "logProbability"))
