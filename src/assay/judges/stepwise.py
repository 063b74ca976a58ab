"""Ask a model to think step by step first; what it thinks is not part of the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.judges._one_look import OneLook

__all__ = ["Stepwise"]


@dataclass(frozen=True)
class Stepwise(OneLook):
    """Ask a model to think step by step first; what it thinks is not part of the report."""

    words: ClassVar[str] = "stepwise"
    free: ClassVar[bool] = True
