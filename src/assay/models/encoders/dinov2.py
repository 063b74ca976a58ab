"""DINOv2: pictures alone, learnt without words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.models.encoders._saved import SavedEncoder

__all__ = ["Dinov2"]


@dataclass(frozen=True)
class Dinov2(SavedEncoder):
    """Encode pictures with DINOv2, from a folder that transformers saved.

    Cites: Oquab et al., "DINOv2: Learning Robust Visual Features without Supervision", 2023.
    """

    name: ClassVar[str] = "dinov2"
    types: ClassVar[tuple[str, ...]] = ("dinov2", "dinov2_with_registers")
