"""Models behind an OpenAI-style endpoint: OpenAI, vLLM, llama.cpp and most hosts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from assay.models.base import Reply, Request
from assay.models.providers._endpoint import Endpoint
from assay.models.providers._options import LISTED, pairs, with_options
from assay.models.providers._wire import (
    closed,
    content,
    count,
    cut,
    dig,
    drawn_seed,
    given,
    mapped,
    misshapen,
    refused,
)

__all__ = ["OpenAI"]

# Models that think before they speak take no temperature and list no tokens.
_THINKING = r"o\d|gpt-5(?![.\d]|-chat)"


@dataclass(frozen=True)
class OpenAI(Endpoint):
    """Ask chat completions, at OpenAI or at any URL that speaks the same way."""

    own_url: ClassVar[str] = "https://api.openai.com/v1"
    own_variable: ClassVar[str] = "OPENAI_API_KEY"
    blind: ClassVar[str] = (
        r"gpt-3\.5|gpt-4(-0\d{3})?$|o1-mini|o1-preview|o3-mini|text-|davinci|babbage"
    )

    def limits(self) -> Mapping[str, int]:
        """Return how many options can be told apart, and OpenAI's own limit of pictures."""
        options = {"options": 0 if self._thinks() else LISTED}
        return {**options, "pictures": 500} if self._own() else options

    def url(self) -> str:
        """Return where requests are posted."""
        return f"{self._base()}/chat/completions"

    def headers(self) -> Mapping[str, str]:
        """Return the headers with the key, where there is one."""
        key = self._key()
        return {"Authorization": f"Bearer {key}"} if key else {}

    def body(self, request: Request) -> Mapping[str, Any]:
        """Return what is posted as JSON."""
        messages = [{"role": "user", "content": content(request, _text, _picture)}]
        if request.system:
            messages.insert(0, {"role": "system", "content": [_text(request.system)]})
        return {
            "model": self.address.name,
            "messages": messages,
            **self._drawing(request),
            **_answer_form(request),
        }

    def read(self, request: Request, answer: Mapping[str, Any]) -> Reply:
        """Return the reply in a decoded answer of status 200."""
        choice = dig(answer, "choices", 0)
        if not isinstance(dig(choice, "message"), Mapping):
            return misshapen("choices")
        model = answer.get("model")
        return replace(
            _said(request, choice),
            input_tokens=count(dig(answer, "usage", "prompt_tokens")),
            output_tokens=count(dig(answer, "usage", "completion_tokens")),
            revision=model if isinstance(model, str) else "",
        )

    def _thinks(self) -> bool:
        return self._own() and re.match(_THINKING, self.address.name) is not None

    def _drawing(self, request: Request) -> dict[str, Any]:
        """Return how the answer is drawn, in the words of this endpoint."""
        sampling = request.sampling
        if self._thinks():
            return {"max_completion_tokens": sampling.max_tokens}
        # OpenAI has renamed the field; not every server that speaks its language has followed.
        longest = "max_completion_tokens" if self._own() else "max_tokens"
        fields = {
            longest: sampling.max_tokens,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "seed": drawn_seed(request),
        }
        return given(fields)


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _picture(data: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{data}"}}


def _answer_form(request: Request) -> dict[str, Any]:
    """Return what the answer must look like: a listed first token, or JSON of a schema."""
    if request.options:
        return {"logprobs": True, "top_logprobs": LISTED}
    if request.schema is None:
        return {}
    schema = {"name": "answer", "strict": True, "schema": closed(request.schema)}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _said(request: Request, choice: Mapping[str, Any]) -> Reply:
    """Return what the model said and how it ended."""
    message, ended = choice["message"], choice.get("finish_reason")
    if message.get("refusal"):
        return Reply(status="refused", detail=refused(message["refusal"]))
    if ended == "content_filter":
        return Reply(status="refused", detail=refused("stopped by the endpoint's filter"))
    said = message.get("content")
    text = said if isinstance(said, str) else ""
    if not request.options:
        return cut(text) if ended == "length" else Reply(text)
    listed = mapped(choice, "logprobs", "content", 0, "top_logprobs")
    return with_options(request, text, pairs(listed, "token", "logprob"))
