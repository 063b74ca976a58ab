"""CLIP: pictures and words in one space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.models.encoders._saved import SavedPair

__all__ = ["Clip"]


@dataclass(frozen=True)
class Clip(SavedPair):
    """Encode with CLIP, from a folder that transformers saved.

    Cites: Radford et al., "Learning Transferable Visual Models From Natural Language Supervision",
    2021.
    """

    name: ClassVar[str] = "clip"
    types: ClassVar[tuple[str, ...]] = ("clip",)
    padding: ClassVar[str] = "longest"
