"""Encoders that transformers saves and loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from assay.errors import InputError, UsageError
from assay.models._weights import (
    check_complete,
    check_installed,
    fingerprint,
    loading,
    quiet,
    read_config,
)
from assay.models.encoders._rows import unit_rows
from assay.records import Floats, Image

__all__ = ["SavedEncoder", "SavedPair"]


@dataclass(frozen=True)
class SavedEncoder:
    """An encoder of pictures in a folder: `config.json`, weights, `preprocessor_config.json`.

    Attributes:
        path: The folder.
        threads: How many threads it computes with.
        batch: How many pictures or texts go through at once.
        name: How it is called in messages.
        types: The `model_type`s that it can be.
    """

    path: Path
    threads: int = 1
    batch: int = 32

    name: ClassVar[str]
    types: ClassVar[tuple[str, ...]]

    def check(self) -> None:
        """Raise what would stop every call; no weights are loaded."""
        check_installed(f"The encoder {self.name}")
        found = read_config(self.path)["model_type"]
        if found not in self.types:
            raise InputError(
                f"holds a model of type {found!r}; {self.name} is {' or '.join(self.types)}.",
                self.path,
            )
        self.revision()

    def revision(self) -> str:
        """Return a hash of the files."""
        return fingerprint(self.path)

    def pictures(self, images: Sequence[Image]) -> Floats:
        """Return one row of length 1 per picture, of shape (N, D)."""
        model, processor = self._loaded()

        def encode(some: Sequence[Image]) -> Any:  # noqa: ANN401 - a tensor of untyped transformers
            return self._seen(model, processor(images=list(some), return_tensors="pt"))

        return unit_rows(images, encode, self.batch, self.threads)

    def words(self, texts: Sequence[str]) -> Floats:
        """Raise a `UsageError`: it knows pictures only."""
        raise UsageError(
            f"The encoder {self.name} knows no words, so it can't compare pictures with"
            f" {len(texts)} texts: take clip, siglip or liv."
        )

    def _seen(self, model: Any, inputs: Any) -> Any:  # noqa: ANN401 - of untyped transformers
        return model(**inputs).pooler_output

    def _loaded(self) -> tuple[Any, Any]:
        self.check()
        return _load(self.path, self.revision(), self.name)


@dataclass(frozen=True)
class SavedPair(SavedEncoder):
    """An encoder of pictures and of words, whose folder holds a tokenizer too.

    Attributes:
        padding: How texts are made equally long; some were trained on one length only.
    """

    padding: ClassVar[str]

    def words(self, texts: Sequence[str]) -> Floats:
        """Return one row of length 1 per text, of shape (N, D)."""
        model, _ = self._loaded()
        tokenizer = _load_tokenizer(self.path, self.revision(), self.name)
        longest = model.config.get_text_config().max_position_embeddings

        def encode(some: Sequence[str]) -> Any:  # noqa: ANN401 - a tensor of untyped transformers
            tokens = tokenizer(
                list(some),
                padding=self.padding,
                truncation=True,
                max_length=longest,
                return_tensors="pt",
            )
            return model.get_text_features(**tokens).pooler_output

        return unit_rows(texts, encode, self.batch, self.threads)

    def _seen(self, model: Any, inputs: Any) -> Any:  # noqa: ANN401 - of untyped transformers
        return model.get_image_features(**inputs).pooler_output


@lru_cache(maxsize=2)
def _load(path: Path, revision: str, name: str) -> tuple[Any, Any]:  # noqa: ARG001 - other weights, other entry
    """Return the model and its picture processor, loaded once a process."""
    import torch
    from transformers import AutoImageProcessor, AutoModel

    quiet()
    with loading(path, name):
        # Always the same library: with torchvision pictures would come out a little different.
        processor = AutoImageProcessor.from_pretrained(path, local_files_only=True, backend="pil")
        model, report = AutoModel.from_pretrained(
            path, local_files_only=True, output_loading_info=True, dtype=torch.float32
        )
    check_complete(path, name, report)
    return model.eval(), processor


@lru_cache(maxsize=2)
def _load_tokenizer(path: Path, revision: str, name: str) -> Any:  # noqa: ANN401, ARG001 - as above
    from transformers import AutoTokenizer

    with loading(path, f"the tokenizer of {name}"):
        return AutoTokenizer.from_pretrained(path, local_files_only=True)
