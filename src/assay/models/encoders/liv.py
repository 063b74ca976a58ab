"""LIV: pictures and words, learnt from videos of people with captions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from assay.models._weights import loading, quiet
from assay.models.encoders._published import Published, Shown
from assay.models.encoders._rows import unit_rows
from assay.records import Floats

if TYPE_CHECKING:
    from torch import Tensor, nn

__all__ = ["Liv"]


def _network(weights: Mapping[str, Tensor]) -> nn.Module:
    from assay.models.encoders._networks import LivNetwork

    return LivNetwork.of(weights)


@dataclass(frozen=True)
class Liv(Published):
    """Encode with LIV, from the published `model.pt` and CLIP's tokenizer in the same folder.

    Cites: Ma et al., "LIV: Language-Image Representations and Rewards for Robotic Control", 2023.
    """

    name: ClassVar[str] = "liv"
    shown: ClassVar[Shown] = Shown(
        224, 224, (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
    )
    make: ClassVar[Callable[[Mapping[str, Tensor]], nn.Module]] = staticmethod(_network)

    def words(self, texts: Sequence[str]) -> Floats:
        """Return one row of length 1 per text, of shape (N, D)."""
        network = self._network()
        tokenizer = _tokenizer(self._file().parent)

        def encode(some: Sequence[str]) -> Tensor:
            tokens = tokenizer(
                list(some),
                padding="longest",
                truncation=True,
                max_length=network.places,
                return_tensors="pt",
            )
            rows: Tensor = network.words(tokens["input_ids"])
            return rows

        return unit_rows(texts, encode, self.batch, self.threads)


@lru_cache(maxsize=2)
def _tokenizer(folder: Path) -> Any:  # noqa: ANN401 - of transformers, without types
    from transformers import AutoTokenizer

    quiet()
    with loading(folder, "CLIP's tokenizer, which liv reads words with"):
        return AutoTokenizer.from_pretrained(folder, local_files_only=True)
