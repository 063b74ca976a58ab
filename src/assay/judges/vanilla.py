"""Ask a model once what is wrong with a clip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.judges._one_look import OneLook

__all__ = ["Vanilla"]


@dataclass(frozen=True)
class Vanilla(OneLook):
    """Ask a model once what is wrong with a clip."""

    words: ClassVar[str] = "vanilla"
