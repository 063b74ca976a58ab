"""Wrong-target: goes for the wrong place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.worlds.policies._mistaken import Mistaken
from assay.worlds.tasks.base import Wrong

__all__ = ["WrongTarget"]


@dataclass(frozen=True)
class WrongTarget(Mistaken):
    """Take the right thing to the wrong place in some attempts, and be clean in the others.

    Attributes:
        strength: The share of attempts at the wrong place; 0 is the expert.
    """

    wrong: ClassVar[Wrong] = "target"
