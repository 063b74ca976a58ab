"""Vision-language models in a folder on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Literal

from assay.models._weights import check_installed, fingerprint, read_config
from assay.models.base import Address, Reply, Request

__all__ = ["Transformers"]


@dataclass(frozen=True)
class Transformers:
    """Load a saved model with transformers and ask it, without the network.

    The address names the folder: `transformers:/models/Qwen3-VL-2B`. Nothing is fetched, and no
    code that comes with a model is run. What the folder says about the model and its weights makes
    the revision.
    """

    address: Address

    kind: ClassVar[Literal["local"]] = "local"

    def check(self) -> None:
        """Raise where no request can succeed: no packages, no folder, another kind of model."""
        check_installed("A local model")
        config = read_config(self._folder())
        self.revision()
        from assay.models.providers._local_model import check_kind

        check_kind(self._folder(), config["model_type"])

    def limits(self) -> Mapping[str, int]:
        """Return the longest question, in tokens, where the folder says."""
        config = read_config(self._folder())
        text = config.get("text_config")
        inner = text if isinstance(text, dict) else config
        longest = inner.get("max_position_embeddings")
        return {"tokens": longest} if isinstance(longest, int) else {}

    def revision(self) -> str:
        """Return a hash of the files."""
        return fingerprint(self._folder())

    def answer(self, request: Request) -> Reply:
        """Return the reply; weights are loaded when first asked."""
        check_installed("A local model")
        from assay.models.providers._local_model import load

        read_config(self._folder())
        model = load(self._folder(), self.revision())
        return replace(model.answer(request), revision=self.revision())

    def _folder(self) -> Path:
        return Path(self.address.name).expanduser()
