"""A vision-language model that transformers loads, as one object that answers."""

from __future__ import annotations

import importlib.util
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, UsageError
from assay.models._weights import check_complete, loading, quiet
from assay.models.base import Picture, Reply, Request
from assay.models.pictures import decode
from assay.models.providers._wire import cut, drawn_seed

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["LocalModel", "check_kind", "load"]

_WHAT = "a vision-language model"


def check_kind(folder: Path, kind: str) -> None:
    """Raise a kind error unless models of `kind` answer in text, and can be loaded here."""
    with loading(folder, _WHAT):
        from transformers.models.auto.modeling_auto import (
            MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES as KNOWN,
        )
    if kind not in KNOWN:
        raise InputError(
            f"holds a model of type {kind!r}, which takes no pictures and text to answer in text,"
            " or which this version of transformers does not know.",
            folder,
        )
    if _watches(kind) and importlib.util.find_spec("torchvision") is None:
        # No extra can bring it: its build must be of the same kind as torch's (CPU or CUDA).
        raise UsageError(
            f"Models of type {kind!r} also watch videos, and transformers can't load them without"
            " the package 'torchvision': install it from where torch came from."
        )


def _watches(kind: str) -> bool:
    """Whether the processor of this kind of model has a part for videos."""
    import transformers
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES

    processor = getattr(transformers, str(PROCESSOR_MAPPING_NAMES.get(kind)), None)
    return processor is not None and "video_processor" in processor.get_attributes()


@lru_cache(maxsize=1)
def load(folder: Path, revision: str) -> LocalModel:  # noqa: ARG001 - other weights, other entry
    """Return the model in `folder`, loaded once a process from these files alone."""
    import torch

    quiet()
    graphics = torch.cuda.is_available()
    with loading(folder, _WHAT):
        from transformers import AutoModelForImageTextToText, AutoProcessor

        processor = AutoProcessor.from_pretrained(folder, local_files_only=True)
        model, report = AutoModelForImageTextToText.from_pretrained(
            folder,
            local_files_only=True,
            output_loading_info=True,
            # The CPU is slow at halves of numbers; a graphics card takes them as they were saved.
            dtype="auto" if graphics else torch.float32,
        )
    check_complete(folder, _WHAT, report)
    if not getattr(processor, "chat_template", None):
        raise InputError("has no chat template, so it can't be told what to answer.", folder)
    return LocalModel(processor, model.to("cuda" if graphics else "cpu").eval())


@dataclass(frozen=True)
class LocalModel:
    """A processor and a model of transformers; neither has types, so both are Any."""

    processor: Any
    model: Any

    def context(self) -> int | None:
        """Return the longest prompt and answer together, in tokens, if the model says."""
        longest = getattr(self.model.config.get_text_config(), "max_position_embeddings", None)
        return longest if isinstance(longest, int) else None

    def answer(self, request: Request) -> Reply:
        """Return the model's answer, and the log-probabilities of the options if any."""
        import torch

        prompt = self._prompt(request)
        asked, longest = prompt["input_ids"].shape[1], self.context()
        if longest is not None and asked + request.sampling.max_tokens > longest:
            return Reply(
                status="transport",
                detail=f"the question has {asked} tokens and the answer up to"
                f" {request.sampling.max_tokens}, but the model takes {longest} together: show"
                " fewer or smaller pictures, or let the answer be shorter (max_tokens)",
            )
        try:
            return self._said(request, prompt)
        except torch.OutOfMemoryError:
            return Reply(
                status="transport",
                detail=f"a question of {asked} tokens needs more memory than the model has here",
                input_tokens=asked,
            )

    def _said(self, request: Request, prompt: Mapping[str, Any]) -> Reply:
        import torch

        with torch.random.fork_rng(), torch.inference_mode():
            torch.manual_seed(drawn_seed(request) or request.sample)
            done = self.model.generate(**prompt, **_drawing(request))
            new = done.sequences[0, prompt["input_ids"].shape[1] :]
            first = torch.log_softmax(done.logits[0][0].double(), dim=-1)
            logprobs = self._options(request.options, prompt, first) if request.options else None
        text = self._tokenizer().decode(new, skip_special_tokens=True).strip()
        whole = request.options or int(new[-1]) in self._ends()
        reply = Reply(text, logprobs=logprobs) if whole else cut(text)
        return replace(reply, input_tokens=prompt["input_ids"].shape[1], output_tokens=len(new))

    def _prompt(self, request: Request) -> dict[str, Any]:
        """Return the model's inputs for the request, in the words of its own chat template."""
        turns = [{"role": "user", "content": [_part(part) for part in _parts(request)]}]
        if request.system:
            turns.insert(0, {"role": "system", "content": [_part(request.system)]})
        inputs = self.processor.apply_chat_template(
            turns, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
        )
        return dict(inputs.to(self.model.device))

    def _options(
        self, options: Sequence[str], prompt: Mapping[str, Any], first: Tensor
    ) -> dict[str, float]:
        """Return how likely each option is as the first thing said.

        Where the options' first tokens differ, these tell them apart, as an endpoint's list does.
        Else each option is scored to its end.

        Args:
            options: The options.
            prompt: The model's inputs.
            first: Log-probabilities of the first token, of shape (vocabulary,).
        """
        spelt = {option: self._tokens(option) for option in options}
        starts = {option: {ways[0] for ways in spelt[option]} for option in options}
        every = [token for tokens in starts.values() for token in tokens]
        if len(every) == len(set(every)):
            return {
                option: math.log(sum(math.exp(float(first[t])) for t in tokens))
                for option, tokens in starts.items()
            }
        return {option: self._spelt(ways[0], prompt) for option, ways in spelt.items()}

    def _tokens(self, option: str) -> list[list[int]]:
        """Return the ways to spell an option, at the start of a line or after a blank."""
        coder = self._tokenizer()
        ways = [coder.encode(text, add_special_tokens=False) for text in (option, f" {option}")]
        return [tokens for tokens in ways if tokens]

    def _spelt(self, tokens: Sequence[int], prompt: Mapping[str, Any]) -> float:
        """Return the log-probability of `tokens` after the prompt."""
        import torch

        asked = prompt["input_ids"].shape[1]
        longer = {name: _longer(name, value, tokens, asked) for name, value in prompt.items()}
        logits = self.model(**longer).logits[0, asked - 1 : -1].double()
        picked = torch.tensor(tokens, device=logits.device)[:, None]
        return float(torch.log_softmax(logits, dim=-1).gather(1, picked).sum())

    def _tokenizer(self) -> Any:  # noqa: ANN401 - of transformers, without types
        return getattr(self.processor, "tokenizer", self.processor)

    def _ends(self) -> set[int]:
        """Return the tokens that end an answer."""
        ends = self.model.generation_config.eos_token_id
        return {*ends} if isinstance(ends, list) else {ends, self._tokenizer().eos_token_id}


def _parts(request: Request) -> tuple[str | Picture, ...]:
    """Return the parts; a schema is asked for in words, since nothing here enforces it."""
    if request.schema is None or request.options:
        return request.parts
    return (
        *request.parts,
        f"Answer with JSON alone, of this schema: {json.dumps(request.schema)}",
    )


def _part(part: str | Picture) -> dict[str, Any]:
    from PIL import Image

    if isinstance(part, Picture):
        return {"type": "image", "image": Image.fromarray(decode(part))}
    return {"type": "text", "text": part}


def _drawing(request: Request) -> dict[str, Any]:
    sampling = request.sampling
    drawn: dict[str, Any] = {"do_sample": sampling.temperature > 0}
    if sampling.temperature > 0:
        drawn |= {"temperature": sampling.temperature, "top_k": 0, "top_p": sampling.top_p or 1.0}
    return {
        **drawn,
        "max_new_tokens": sampling.max_tokens,
        "return_dict_in_generate": True,
        "output_logits": True,
    }


def _longer(name: str, value: Tensor, tokens: Sequence[int], asked: int) -> Tensor:
    """Return an input with the tokens of an answer behind it; those per picture stay."""
    import torch

    if value.shape != (1, asked):
        return value
    fill = {"input_ids": list(tokens), "attention_mask": [1] * len(tokens)}
    more = torch.tensor([fill.get(name, [0] * len(tokens))], device=value.device, dtype=value.dtype)
    return torch.cat([value, more], dim=1)
