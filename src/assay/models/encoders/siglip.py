"""SigLIP: pictures and words in one space, trained pair by pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.models.encoders._saved import SavedPair

__all__ = ["Siglip"]


@dataclass(frozen=True)
class Siglip(SavedPair):
    """Encode with SigLIP, from a folder that transformers saved.

    Cites: Zhai et al., "Sigmoid Loss for Language Image Pre-Training", 2023.
    """

    name: ClassVar[str] = "siglip"
    types: ClassVar[tuple[str, ...]] = ("siglip",)
    # It was trained on texts of one length, and reads the last place.
    padding: ClassVar[str] = "max_length"
