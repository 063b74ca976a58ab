"""Ask a model once, with the definition of every type and of every severity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.judges._one_look import OneLook

__all__ = ["VanillaTaxonomy"]


@dataclass(frozen=True)
class VanillaTaxonomy(OneLook):
    """Ask a model once, with the definition of every type and of every severity."""

    words: ClassVar[str] = "vanilla_taxonomy"
    defines: ClassVar[bool] = True
