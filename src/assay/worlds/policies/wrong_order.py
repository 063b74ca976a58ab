"""Wrong-order: does the steps in another order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.worlds.policies._mistaken import Mistaken
from assay.worlds.tasks.base import Wrong

__all__ = ["WrongOrder"]


@dataclass(frozen=True)
class WrongOrder(Mistaken):
    """Do the steps in another order in some attempts, and be clean in the others.

    Attributes:
        strength: The share of attempts in another order; 0 is the expert.
    """

    wrong: ClassVar[Wrong] = "order"
