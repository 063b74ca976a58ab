"""Wrong-effector: uses the wrong arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.worlds.policies._mistaken import Mistaken
from assay.worlds.tasks.base import Wrong

__all__ = ["WrongEffector"]


@dataclass(frozen=True)
class WrongEffector(Mistaken):
    """Do with one arm what the instruction wants of the other in some attempts, else do it cleanly.

    Attributes:
        strength: The share of attempts with the wrong arm; 0 is the expert.
    """

    wrong: ClassVar[Wrong] = "effector"
